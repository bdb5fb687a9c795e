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
        changes = CatalogComparison(from: try read(old), to: try read(new)).changes
    }

    /// Compares the files of a path in two folders.
    ///
    /// - Returns: `nil` if neither of them is a catalog.
    private init?(_ path: String, old: String?, new: String?) {
        self.path = path
        state = old == nil ? .added : new == nil ? .removed : .changed
        do throws(ToolFailure) {
            let (before, after) = (try bytes(old), try bytes(new))
            guard before != after else { return nil }
            let catalogs = [before, after].map { $0.flatMap { try? PropertyListDocument(bytes: $0) } }
            let areOthers = zip([before, after], catalogs).allSatisfy { bytes, document in
                bytes == nil || document.map { !CatalogDialect.isCatalog($0) } == true
            }
            guard !areOthers else { return nil }
            changes = CatalogComparison(from: try read(old), to: try read(new)).changes
        } catch {
            failure = error.reason
        }
    }

    /// Compares the catalogs of two folders.
    ///
    /// - Returns: The catalogs that are not equal, in the order of their paths.
    static func all(in old: String, _ new: String) throws(ToolFailure) -> [ComparedCatalog] {
        let (before, after) = (
            Set(try CatalogFolder.propertyLists(in: old)), Set(try CatalogFolder.propertyLists(in: new))
        )
        return before.union(after).sorted().compactMap { path in
            ComparedCatalog(
                path, old: before.contains(path) ? "\(old)/\(path)" : nil,
                new: after.contains(path) ? "\(new)/\(path)" : nil)
        }
    }

    private func bytes(_ path: String?) throws(ToolFailure) -> [UInt8]? {
        guard let path else { return nil }
        return Array(try InputFile.read(path, limit: PropertyListLimits().size))
    }

    /// Reads a catalog.
    ///
    /// - Returns: A catalog without products if there is no file.
    private mutating func read(_ path: String?) throws(ToolFailure) -> Catalog {
        guard let path else { return Catalog(products: []) }
        let catalog: Catalog
        do {
            catalog = try CatalogFile(url: URL(filePath: path, directoryHint: .notDirectory)).catalog
        } catch {
            throw ToolFailure(status: error.exitStatus, reason: error.description)
        }
        if catalog.hasErrors {
            remarks.append("\(path) has products with errors, which are not compared; 'vitrine lint' shows them")
        }
        return catalog
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
