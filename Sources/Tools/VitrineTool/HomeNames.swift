import ArgumentParser
import Foundation
import Vitrine
import VitrineCatalog
import VitrineCommandSupport
import VitrineFileSystem

/// Corrections of misspelled names.
extension Catalog {
    /// Returns the identifier that is similar to one that the catalog does not contain; `nil` if there is none.
    func nearestProduct(to identifier: String) -> String? {
        self[identifier] == nil ? EditDistance.nearest(to: identifier, among: products.map(\.identifier)) : nil
    }

    /// Returns the end of a message about an identifier that the catalog may not contain, such as `; did you mean …?`.
    func question(for identifier: String) -> String {
        self[identifier] == nil ? EditDistance.question(for: identifier, among: products.map(\.identifier)) : ""
    }
}

/// Completions of names in the catalog of the command line's home.
extension CompletionKind {
    static let product = names { $0.products.map(\.identifier) }
    static let wallet = names { Set($0.products.compactMap(\.wallet)).sorted() }

    private static func names(_ names: @escaping @Sendable (Catalog) -> [String]) -> CompletionKind {
        custom { words, _, _ in
            guard let catalog = catalog(in: HomeOptions(home: home(in: words)).folder) else { return [] }
            // bash expands the words that it is offered, and a catalog may contain anything.
            return names(catalog).filter { $0.inShell == $0 }
        }
    }

    /// Returns the catalog file of a home; `nil` without one that can be read. A completion cannot report why.
    private static func catalog(in home: Home) -> Catalog? {
        guard let path = (try? HomeSettings.read(from: home))?.catalog else { return nil }
        return try? CatalogFile(url: URL(filePath: path, directoryHint: .notDirectory)).catalog
    }

    /// Returns the value of the option `--home` among the words of a command line. bash passes an equals sign as a word.
    private static func home(in words: [String]) -> String? {
        guard let index = words.firstIndex(where: { $0 == "--home" || $0.hasPrefix("--home=") }) else { return nil }
        if words[index] != "--home" { return String(words[index].dropFirst("--home=".count)) }
        return words[(index + 1)...].first { $0 != "=" }
    }
}
