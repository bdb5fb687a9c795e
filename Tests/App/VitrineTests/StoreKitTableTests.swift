import Foundation
import Testing
import VitrineTestSupport

/// Table of StoreKit's behaviors, whose tests must exist.
@Suite(.hangLimit) struct StoreKitTableTests {
    @Test func `every test named in the table of StoreKit's behaviors exists`() throws {
        let table = try String(contentsOf: Repository.file("Documentation/StoreKit.md"), encoding: .utf8)
        var sources: [String: String] = [:]
        let tests = Repository.file("Tests")
        for path in try FileManager.default.subpathsOfDirectory(atPath: tests.path()) where path.hasSuffix(".swift") {
            let file = tests.appending(path: path)
            sources[file.lastPathComponent] = try String(contentsOf: file, encoding: .utf8)
        }
        var count = 0
        for reference in table.matches(of: /`(?<file>[\w+]+\.swift)`: (?<names>[^<|]+)/) {
            for name in reference.names.split(separator: "; ") {
                let name = name.trimmingCharacters(in: .whitespaces)
                #expect(
                    sources[String(reference.file)]?.contains("func `\(name)`") == true, "\(reference.file): \(name)")
                count += 1
            }
        }
        #expect(count > 40)
        #expect(!table.contains("TODO"))
    }
}
