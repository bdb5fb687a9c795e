import Foundation
import VitrineTestSupport

/// DocC catalog of the module `Vitrine`.
enum DocumentationCatalog {
    private static let folder = Repository.file("Sources/App/Vitrine/Vitrine.docc")

    static func text(_ name: String) throws -> String {
        try String(contentsOf: folder.appending(path: name), encoding: .utf8)
    }

    static func article(_ name: String) throws -> String { try text("\(name).md") }

    /// Names of the articles without extension, in alphabetical order.
    static var articleNames: [String] {
        get throws {
            try FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false))
                .filter { $0.hasSuffix(".md") }.map { String($0.dropLast(3)) }.sorted()
        }
    }
}
