import FileSystem
import Foundation
import ProductCatalog
import PropertyList

/// Catalog before and after a change, with the differences between both.
struct ComparedCatalog {
    enum State: String {
        case changed, added, removed
    }

    /// Path of the catalog: of the new file, or relative to both folders.
    let path: String
    private(set) var state = State.changed
    private(set) var changes: [CatalogComparison.Change] = []
    /// Reason why the catalogs could not be compared.
    private(set) var failure: String?
    /// Sentences about what the comparison leaves out.
    private(set) var remarks: [String] = []

    var status: ExitStatus {
        if failure != nil { return .unusableData }
        return changes.contains { $0.effect == .takesAway } ? .no : .yes
    }

    /// Compares two files.
    ///
    /// - Throws: ``ToolFailure`` if one of them is missing, cannot be read, or is not a catalog.
    init(files old: String, _ new: String) throws(ToolFailure) {
        path = new
        compare(try Side(old, name: old), try Side(new, name: new))
    }

    /// Compares the files of a path in two folders.
    ///
    /// - Parameters:
    ///   - path: Path relative to both folders, for the output.
    ///   - old: Path of the older file; `nil` if there is none.
    ///   - new: Path of the newer file; `nil` if there is none.
    /// - Returns: `nil` if neither of them is a catalog, or both are equal.
    private init?(_ path: String, old: String?, new: String?) {
        self.path = path
        state = old == nil ? .added : new == nil ? .removed : .changed
        do throws(ToolFailure) {
            let (before, after) = (
                try Side(old, name: "\(path) before the change"), try Side(new, name: "\(path) after the change")
            )
            guard before.bytes != after.bytes, before.isCatalog || after.isCatalog else { return nil }
            compare(before, after)
        } catch {
            failure = error.reason
        }
    }

    /// Compares the catalogs of two folders.
    ///
    /// - Returns: The catalogs that are not equal, in the order of their paths.
    static func all(in old: String, _ new: String) throws(ToolFailure) -> [ComparedCatalog] {
        // Paths are compared by bytes: Swift strings treat canonically equivalent names as equal.
        func paths(_ folder: String) throws(ToolFailure) -> [[UInt8]: String] {
            Dictionary(try CatalogFolder.propertyLists(in: folder).map { (Array($0.utf8), $0) }) { first, _ in first }
        }
        let (before, after) = (try paths(old), try paths(new))
        return before.merging(after) { $1 }.sorted { $0.key.lexicographicallyPrecedes($1.key) }.compactMap {
            key, path in
            ComparedCatalog(path, old: before[key].map { "\(old)/\($0)" }, new: after[key].map { "\(new)/\($0)" })
        }
    }

    private mutating func compare(_ old: Side, _ new: Side) {
        let leftOut = old.leftOut.union(new.leftOut)
        changes = CatalogComparison(from: old.catalog, to: new.catalog).changes.filter { change in
            !leftOut.contains(change.product ?? "")
        }
        for side in [old, new] where side.catalog.hasErrors {
            remarks.append("\(side.name) has products with errors, which are not compared; 'vitrine lint' shows them")
        }
    }

    /// Catalog before or after a change.
    private struct Side {
        /// Name of the file, for messages.
        let name: String
        let bytes: [UInt8]?
        let catalog: Catalog
        /// `true` unless the file is a property list of another kind, or missing.
        let isCatalog: Bool
        /// Identifiers of products that the file declares and the catalog lacks because of errors.
        let leftOut: Set<String>

        /// Reads a file.
        ///
        /// - Parameter path: Path of the file; `nil` for a catalog without products.
        init(_ path: String?, name: String) throws(ToolFailure) {
            self.name = name
            guard let path else {
                (bytes, catalog, isCatalog, leftOut) = (nil, Catalog(products: []), false, [])
                return
            }
            let limit = PropertyListLimits().size
            let bytes = Array(try InputFile.read(path, limit: limit))
            guard bytes.count <= limit else {
                throw ToolFailure(status: .unusableData, reason: "\(name) is larger than \(limit) bytes")
            }
            let document: PropertyListDocument
            do {
                document = try PropertyListDocument(bytes: bytes)
            } catch {
                let place = error.position.map { ":\($0)" } ?? ""
                throw ToolFailure(status: .unusableData, reason: "\(name)\(place): \(error.reason)")
            }
            self.bytes = bytes
            catalog = Catalog(document: document)
            isCatalog = CatalogDialect.isCatalog(document)
            let products = document.root.kind == .array ? document.root : document.root["products"]
            let declared = products?.elements.compactMap { $0["productIdentifier"]?.string } ?? []
            leftOut = catalog.hasErrors ? Set(declared).subtracting(catalog.products.map(\.identifier)) : []
        }
    }

    /// Returns a line for each change.
    ///
    /// - Parameter isNamed: `true` to begin each line with the path of the catalog.
    func lines(isNamed: Bool) -> [String] {
        let name = isNamed ? "\(path): " : ""
        return (failure.map { ["\(name)not compared: \($0)"] } ?? [])
            + changes.map { "\(name)\($0.effect.words): \($0.product ?? "the catalog") \($0.message)" }
    }

    var json: JSONObject { ["changes": changes.map(\.json)] }
}

extension CatalogComparison.Change {
    var json: JSONObject { ["effect": effect.rawValue, "product": product, "message": message] }
}

extension CatalogComparison.Effect {
    /// Effect in one or two words, for the beginning of a line.
    fileprivate var words: String {
        switch self {
        case .safe: "safe"
        case .offer: "offer"
        case .olderApps: "breaks older apps"
        case .takesAway: "takes away"
        }
    }
}
