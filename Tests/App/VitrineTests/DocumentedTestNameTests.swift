import Foundation
import Testing
import VitrineTestSupport

/// Pages whose tables name tests, which must exist.
@Suite(.hangLimit) struct DocumentedTestNameTests {
    @Test(arguments: ["StoreKit.md", "Situations.md"])
    func `every test that a page of the documentation names exists`(page: String) throws {
        let table = try String(contentsOf: Repository.file("Documentation/\(page)"), encoding: .utf8)
        var sources: [String: String] = [:]
        let tests = Repository.file("Tests")
        for path in try FileManager.default.subpathsOfDirectory(atPath: tests.path()) where path.hasSuffix(".swift") {
            let file = tests.appending(path: path)
            // Two targets may have files of the same name.
            sources[file.lastPathComponent, default: ""] += try String(contentsOf: file, encoding: .utf8)
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
