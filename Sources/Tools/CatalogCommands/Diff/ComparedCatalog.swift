import Foundation
import VitrineCatalog
internal import VitrineCommandSupport
import VitrinePropertyList
import VitrineSupport

/// Two versions of a catalog with the differences between them.
struct ComparedCatalog {
    enum State: String {
        case changed, added, removed
    }

    /// Path of the new catalog or, if two folders are compared, path relative to both.
    let path: String
    private(set) var state = State.changed
    private(set) var changes: [CatalogComparison.Change] = []
    /// Reason why the catalogs could not be compared; `nil` if the comparison succeeded.
    private(set) var failure: String?
    /// Sentences about parts of the catalogs that were not compared.
    private(set) var remarks: [String] = []
    /// Products with a change, in the order of their first changes; empty unless they were requested for a page.
    private(set) var products: [ComparedProduct] = []
    /// `true` to store ``products``, which keep both catalogs in memory.
    private let keepsProducts: Bool

    var status: ExitStatus {
        if failure != nil { return .unusableData }
        return changes.contains { $0.effect == .takesAway } ? .no : .yes
    }

    /// Compares two files.
    ///
    /// - Throws: ``ToolFailure`` if one of them is missing, cannot be read, or is not a catalog.
    init(files old: String, _ new: String, keepsProducts: Bool = false) throws(ToolFailure) {
        (path, self.keepsProducts) = (new, keepsProducts)
        let (before, after) = (try Self.bytes(old), try Self.bytes(new))
        compare(try Side(before, name: old), try Side(after, name: new))
    }

    /// Compares two versions of a file in two folders.
    ///
    /// - Parameters:
    ///   - path: Path relative to both folders, for the output.
    ///   - old: Path of the older file; `nil` if the older folder does not contain the file.
    ///   - new: Path of the newer file; `nil` if the newer folder does not contain the file.
    ///   - keepsProducts: `true` to store the products with a change.
    /// - Returns: `nil` if neither file is a catalog, or both are equal.
    private init?(_ path: String, old: String?, new: String?, keepsProducts: Bool) {
        (self.path, self.keepsProducts) = (path, keepsProducts)
        state = old == nil ? .added : new == nil ? .removed : .changed
        do throws(ToolFailure) {
            let (before, after) = (try Self.bytes(old), try Self.bytes(new))
            // A file that is no catalog is passed over, as by `vitrine lint`, unless its other version is one.
            guard before != after, [before, after].compactMap(\.self).contains(where: Self.isCatalog) else {
                return nil
            }
            compare(
                try Side(before, name: "\(path) before the change"), try Side(after, name: "\(path) after the change"))
        } catch {
            failure = error.reason
        }
    }

    /// Creates the result for a folder that cannot be read.
    private init(folder: String, failure: String) {
        (path, keepsProducts) = (folder, false)
        self.failure = failure
    }

    /// Compares the catalogs of two folders. Both are searched as the newer one: settings that have changed must not make
    /// a catalog look new or removed.
    ///
    /// - Parameters:
    ///   - selection: What is left out of both folders.
    ///   - keepsProducts: `true` to store the products with a change.
    /// - Returns: The catalogs with differences in the order of their paths, after the folders that cannot be read; and
    ///   sentences about files that were not compared.
    static func all(
        in old: String, _ new: String, selection: inout LintSelection, keepsProducts: Bool = false
    ) -> (catalogs: [ComparedCatalog], remarks: [String]) {
        let contents = [old, new].map { CatalogFolder($0, selection: &selection, inPlaceOf: new) }
        // Paths are compared by bytes: Swift strings treat canonically equivalent names as equal.
        let (before, after) = (paths(contents[0]), paths(contents[1]))
        let failures = contents.flatMap(\.failures).map { ComparedCatalog(folder: $0.path, failure: $0.reason) }
        let compared = before.merging(after) { $1 }.sorted { $0.key.lexicographicallyPrecedes($1.key) }
            .compactMap { key, path in
                ComparedCatalog(
                    path, old: before[key].map { "\(old)/\($0)" }, new: after[key].map { "\(new)/\($0)" },
                    keepsProducts: keepsProducts)
            }
        let reason = CatalogCandidate.Other.undecodableName.reason
        let undecodable = zip([old, new], contents).flatMap { folder, content in
            content.undecodable.map { "\(folder)/\($0) is not compared: \(reason)" }
        }
        return (failures + compared, undecodable)
    }

    private static func paths(_ folder: CatalogFolder) -> [[UInt8]: String] {
        Dictionary(folder.files.map { (Array($0.utf8), $0) }) { first, _ in first }
    }

    /// Reads a file, at most one byte more than the size limit of catalogs.
    private static func bytes(_ path: String?) throws(ToolFailure) -> [UInt8]? {
        guard let path else { return nil }
        return Array(try InputFile.read(path, limit: PropertyListLimits().size))
    }

    /// Returns `true` for a catalog, and for one that cannot be read.
    private static func isCatalog(_ bytes: [UInt8]) -> Bool {
        if case .other = CatalogCandidate(bytes) { false } else { true }
    }

    private mutating func compare(_ old: Side, _ new: Side) {
        for side in [old, new] where side.catalog.hasErrors {
            guard !side.lacksIdentifiers else {
                failure = "\(side.name) has errors, and products in it cannot be told apart; 'vitrine lint' shows them"
                return
            }
            remarks.append("\(side.name) has products with errors, which are not compared; 'vitrine lint' shows them")
        }
        let leftOut = old.catalog.identifiersLeftOut.union(new.catalog.identifiersLeftOut)
        changes = CatalogComparison(from: old.catalog, to: new.catalog).changes.filter { change in
            !leftOut.contains(change.product ?? "")
        }
        changes += old.catalog.products.map(\.identifier).filter(new.catalog.identifiersLeftOut.contains).map {
            product in
            CatalogComparison.Change(effect: .offer, product: product, message: "has errors now, and is not sold")
        }
        changes = changes.gravestFirst { $0.effect }
        if keepsProducts { products = ComparedProduct.all(changes, from: old.catalog, to: new.catalog) }
    }

    /// Older or newer version of a compared catalog.
    private struct Side {
        /// Name of the file, for messages.
        let name: String
        let catalog: Catalog

        /// Indicates that the products of the file cannot be identified, because an identifier is missing or no product
        /// can be read.
        var lacksIdentifiers: Bool {
            catalog.hasErrors && (catalog.products.isEmpty || catalog.identifiersLeftOut.contains(""))
        }

        /// Parses one version of a catalog.
        ///
        /// - Parameter bytes: Content of the file; `nil` for a missing file, which is treated as a catalog without
        ///   products.
        init(_ bytes: [UInt8]?, name: String) throws(ToolFailure) {
            self.name = name
            guard let bytes else {
                catalog = Catalog(products: [])
                return
            }
            do {
                catalog = Catalog(document: try PropertyListDocument(bytes: bytes))
            } catch {
                let location = error.position.map { ":\($0)" } ?? ""
                throw ToolFailure(status: .unusableData, reason: "\(name)\(location): \(error.reason)")
            }
        }
    }

    /// Returns one line of text for each catalog that could not be compared, and then for each change, the gravest
    /// changes of all catalogs first.
    ///
    /// - Parameter areNamed: `true` to start each line with the path of the catalog.
    static func lines(of catalogs: [ComparedCatalog], areNamed: Bool) -> [String] {
        func line(_ catalog: ComparedCatalog, _ text: String) -> String { areNamed ? "\(catalog.path): \(text)" : text }
        let changes = catalogs.flatMap { catalog in catalog.changes.map { (catalog: catalog, change: $0) } }
        return catalogs.compactMap { catalog in catalog.failure.map { line(catalog, "not compared: \($0)") } }
            + changes.gravestFirst { $0.change.effect }.map { catalog, change in
                line(
                    catalog,
                    "\(change.effect.description): \(change.product ?? "the catalog") \(change.message)")
            }
    }

    var json: JSONObject { ["changes": changes.map(\.json)] }
}

extension Array {
    /// Returns the elements in descending order of an effect; those with the same effect stay in their order.
    fileprivate func gravestFirst(_ effect: (Element) -> CatalogComparison.Effect) -> [Element] {
        CatalogComparison.Effect.allCases.reversed().flatMap { wanted in filter { effect($0) == wanted } }
    }
}

extension CatalogComparison.Change {
    var json: JSONObject { ["effect": effect.rawValue, "product": product, "message": message] }
}
