internal import Crypto
package import Foundation
package import VitrineCatalog
package import VitrineEntitlements
internal import VitrineSupport

/// Published catalog of an app, as a server has loaded it.
struct ServedCatalog: Sendable {
    let catalog: Catalog
    /// SHA-256 digest of the catalog file in hexadecimal.
    let digest: String
}

extension CustomerRecords {
    /// Name of the catalog itself among the published files.
    package static let catalogFile = "catalog.plist"

    /// Stores the files of a catalog in place of the earlier ones, and uses the catalog from then on. The caller must
    /// have checked that it may be published.
    ///
    /// - Parameters:
    ///   - files: File contents by name, including ``catalogFile``.
    ///   - earlier: Contents of the published catalog with which the caller has compared the new one; `nil` if none was
    ///     published.
    /// - Throws: ``CustomerError``: `invalid` if the catalog cannot be read, `conflict` if another one was published
    ///   since `earlier`, `unavailable` if it could not be stored, or ``completePublication(app:)`` is to be repeated.
    package func publish(
        _ files: [String: Data], after earlier: Data?, app name: String
    ) async throws(CustomerError) {
        let app = try app(name)
        guard let content = files[Self.catalogFile] else {
            throw CustomerError(code: .invalid, reason: "there is no file \(Self.catalogFile)")
        }
        _ = try Self.read(content)
        // Without an earlier catalog, the insertion fails if another one was published.
        let replacing = earlier.map { earlier in
            [
                SQLStep(
                    SQLStatement(
                        """
                        UPDATE catalog SET published = published WHERE app = $1 AND file = $2 AND content = $3
                        """, .text(app.name), .text(Self.catalogFile), .bytes(earlier)), changing: 1),
                SQLStep(SQLStatement("DELETE FROM catalog WHERE app = $1", .text(app.name))),
            ]
        }
        let steps =
            (replacing ?? [])
            + files.sorted { $0.key < $1.key }.map { file, content in
                SQLStep(
                    SQLStatement(
                        "INSERT INTO catalog (app, file, published, content) VALUES ($1, $2, $3, $4)",
                        .text(app.name), .text(file), .integer(now.milliseconds), .bytes(content)), changing: 1)
            }
        guard try await transact(steps) else {
            throw CustomerError(code: .conflict, reason: "another catalog was published at the same time")
        }
        try await completePublication(app: name)
    }

    /// Uses the stored catalog, announces it to the other servers, and delivers the notifications that have waited for it.
    /// A caller repeats the function if it has failed after the catalog was stored.
    ///
    /// - Throws: ``CustomerError`` `unavailable`.
    package func completePublication(app: String) async throws(CustomerError) {
        try await useStoredCatalogs()
        database.announce([Self.catalogMessage])
        try await receiveWaiting(app: app)
    }

    /// Loads the stored catalogs, one load after the other, so that an earlier one does not replace a later catalog.
    ///
    /// - Throws: ``CustomerError`` `unavailable`.
    package func useStoredCatalogs() async throws(CustomerError) {
        try await queues.run(on: Self.catalogMessage.id) { () async throws(CustomerError) in
            do throws(DatabaseError) {
                try await reloadCatalogs()
            } catch {
                throw CustomerError(error)
            }
        }
    }

    /// Message that announces a new catalog to the other servers, in place of a customer's change.
    static let catalogMessage = ChangedCustomer("catalog", sequence: nil)

    /// Returns a published file and its date of publication; `nil` if there is none.
    package func catalogFile(
        _ file: String, app: String
    ) async throws(CustomerError) -> (content: Data, published: Date)? {
        let rows = try await rows(
            "SELECT content, published FROM catalog WHERE app = $1 AND file = $2", .text(app), .text(file))
        guard let row = rows.first, row.count == 2, let content = row[0].bytes, let published = row[1].integer else {
            return nil
        }
        return (content, Date(milliseconds: published))
    }

    /// Returns the published catalog of an app; `nil` if there is none.
    package func catalog(of app: String) -> Catalog? { servedCatalog(of: app)?.catalog }

    func servedCatalog(of app: String) -> ServedCatalog? { catalogs.withLock { $0[app] } }

    /// Returns the titles of the products that facts of a customer name, by product identifier. Products without a title
    /// in the catalog are missing.
    package func titles(
        ofProductsIn facts: [EntryFields], of id: String
    ) async throws(CustomerError) -> [String: String] {
        let customer = try await resolveMerged(of: id)
        return titles(of: facts.compactMap(\.productIdentifier), app: customer.app)
    }

    /// Returns the English titles of products in the catalog of an app, or else those in another language.
    func titles(of products: [String], app: String) -> [String: String] {
        guard let catalog = catalog(of: app) else { return [:] }
        var titles: [String: String] = [:]
        for product in products {
            titles[product] = catalog[product]?.productTitle?.text(for: ["en"])
        }
        return titles
    }

    /// Loads all published catalogs from the database.
    func reloadCatalogs() async throws(DatabaseError) {
        let rows = try await database.rows(
            SQLStatement("SELECT app, content FROM catalog WHERE file = $1", .text(Self.catalogFile)))
        var read: [String: ServedCatalog] = [:]
        for row in rows where row.count == 2 {
            guard let app = row[0].text, apps[app] != nil, let content = row[1].bytes else { continue }
            let digest = SHA256.hash(data: content).hexadecimal
            if let present = servedCatalog(of: app), present.digest == digest {
                read[app] = present
                continue
            }
            do throws(CustomerError) {
                read[app] = ServedCatalog(catalog: try Self.read(content), digest: digest)
            } catch {
                throw DatabaseError(code: .refused, reason: "the catalog of \(app) in the database: \(error.reason)")
            }
        }
        let all = read
        catalogs.withLock { $0 = all }
    }

    private static func read(_ content: Data) throws(CustomerError) -> Catalog {
        do throws(CatalogError) {
            return try Catalog(usable: content, of: URL(filePath: catalogFile))
        } catch {
            throw CustomerError(code: .invalid, reason: error.description)
        }
    }
}
