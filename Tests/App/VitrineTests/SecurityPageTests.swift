import Foundation
import Testing
import VitrineTestSupport

/// Page with the promises about security, each of which names its tests.
struct SecurityPageTests {
    /// Returns the tests that the page names, by its promises.
    private static func promises() throws -> [(promise: String, tests: [String])] {
        let page = try String(contentsOf: Repository.file("Documentation/Security.md"), encoding: .utf8)
        return page.split(separator: "\n").compactMap { line in
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            guard line.hasPrefix("|"), cells.count == 2, cells[0] != "promise", !cells[0].hasPrefix("-") else {
                return nil
            }
            return (cells[0], cells[1].matches(of: /`([^`]+)`/).map { String($0.1) })
        }
    }

    @Test func `every promise of the security page names tests that exist`() throws {
        let promises = try Self.promises()
        #expect(promises.count > 20)
        var names: Set<String> = []
        let root = Repository.file("Tests")
        let files = FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil)
        while let file = files?.nextObject() as? URL {
            guard file.pathExtension == "swift" else { continue }
            let text = try String(contentsOf: file, encoding: .utf8)
            names.formUnion(text.matches(of: /func `([^`]+)`/).map { String($0.1) })
        }
        for (promise, tests) in promises {
            #expect(!tests.isEmpty, "\(promise)")
            for test in tests { #expect(names.contains(test), "\(test)") }
        }
    }
}
