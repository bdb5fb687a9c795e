internal import Crypto
package import Foundation
internal import NIOCore
package import VitrineAppServerRecords
package import VitrineCatalogLoading
internal import VitrineSupport

/// Catalogs that a server has published, and their files as devices fetch them.
package final class PublishedCatalogs: Sendable {
    private struct Key: Hashable {
        let app, name: String
    }

    private struct Entry {
        /// File; `nil` if there is none.
        let file: ServedFile?
        let read: ContinuousClock.Instant
    }

    /// Time for which a file is not read again. Another server may have published another one.
    private static let validity = Duration.seconds(1)

    private let records: CustomerRecords
    /// Roots that must have signed the catalogs of an app, by the names of the apps.
    private let trusts: [String: CatalogTrust]
    private let now: @Sendable () -> Date
    private let files = Locked<[Key: Entry]>([:])

    /// - Parameter trusts: Roots that must have signed the catalogs of an app, by the names of the apps. The catalogs
    ///   of other apps need no signature.
    package init(
        records: CustomerRecords, trusts: [String: CatalogTrust] = [:],
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        (self.records, self.trusts, self.now) = (records, trusts, now)
    }

    /// Checks a catalog and publishes it in place of the earlier one.
    ///
    /// - Parameter contents: Contents of ``CatalogPublication/File`` by their names: the catalog, alone or with the
    ///   three files of its signature.
    /// - Throws: ``CatalogRefusal``.
    @discardableResult
    package func publish(
        _ contents: [String: Data], app: String
    ) async throws(CatalogRefusal) -> CatalogPublication.Result {
        let publication = try CatalogPublication(records: records, app: app, trust: trusts[app], now: now)
        let result = try await publication.publish(contents)
        files.withLock { $0 = [:] }
        return result
    }

    /// Returns a file of the published catalog of an app; `nil` if there is none.
    ///
    /// - Throws: `CustomerError` `unavailable`.
    func file(_ file: CatalogPublication.File, app: String) async throws(CustomerError) -> ServedFile? {
        guard records.apps[app] != nil else { return nil }
        let key = Key(app: app, name: file.rawValue)
        let entry = files.withLock { $0[key] }
        if let entry, entry.read.duration(to: .now) < Self.validity { return entry.file }
        let start = ContinuousClock.now
        let read = try await records.catalogFile(file.rawValue, app: app).map { content, published in
            Self.served(content, published, unless: entry?.file)
        }
        files.withLock { files in
            // A publication in the meantime has removed what this was read for.
            if (files[key] == nil) == (entry == nil) { files[key] = Entry(file: read, read: start) }
        }
        return read
    }

    private static func served(_ content: Data, _ published: Date, unless known: ServedFile?) -> ServedFile {
        let date = Date(timeIntervalSince1970: published.timeIntervalSince1970.rounded(.down))
        if let known, known.modified == date, case .bytes(let bytes) = known.source,
            bytes.readableBytesView.elementsEqual(content)
        {
            return known
        }
        return ServedFile(
            source: .bytes(ByteBuffer(bytes: content)), tag: SHA256.hash(data: content).hexadecimal, modified: date,
            mediaType: "application/x-plist", caching: "no-cache")
    }
}
