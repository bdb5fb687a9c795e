internal import Crypto
package import Foundation
internal import NIOCore
package import VitrineAppServerRecords
package import VitrineCatalogLoading
internal import VitrineSupport

/// Published catalogs of a server's apps, with their files as devices fetch them.
package final class PublishedCatalogs: Sendable {
    private struct Key: Hashable {
        let app, name: String
    }

    private struct Entry {
        /// Cached file; `nil` if the app has none.
        let file: ServedFile?
        let read: ContinuousClock.Instant
    }

    /// Time for which a cached file is used before it is read again, because another server may have published a newer
    /// one.
    private static let validity = Duration.seconds(1)

    private let records: CustomerRecords
    /// Root keys that must have signed an app's catalogs, by app name.
    private let trusts: [String: CatalogTrust]
    private let now: @Sendable () -> Date
    private let files = Locked<[Key: Entry]>([:])

    /// - Parameter trusts: Root keys that must have signed an app's catalogs, by app name. The catalogs of other apps
    ///   need no signature.
    package init(
        records: CustomerRecords, trusts: [String: CatalogTrust] = [:],
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        (self.records, self.trusts, self.now) = (records, trusts, now)
    }

    /// Checks a catalog and publishes it in place of the earlier one.
    ///
    /// - Parameter contents: File contents by the names of ``CatalogPublication/File``: the catalog, alone or with the
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

    /// Returns a file of an app's published catalog; `nil` if there is none.
    ///
    /// - Throws: `CustomerError` `unavailable`.
    func file(_ file: CatalogPublication.File, app: String) async throws(CustomerError) -> ServedFile? {
        guard records.apps[app] != nil else { return nil }
        let key = Key(app: app, name: file.rawValue)
        let entry = files.withLock { $0[key] }
        if let entry, entry.read.duration(to: .now) < Self.validity { return entry.file }
        let start = ContinuousClock.now
        let read = try await records.catalogFile(file.rawValue, app: app).map { content, published in
            Self.served(content, of: file, published, unless: entry?.file)
        }
        files.withLock { files in
            // A publication during the read has cleared the cache; the file that was read may be outdated and is not
            // cached.
            if (files[key] == nil) == (entry == nil) { files[key] = Entry(file: read, read: start) }
        }
        return read
    }

    private static func served(
        _ content: Data, of file: CatalogPublication.File, _ published: Date, unless known: ServedFile?
    ) -> ServedFile {
        let date = Date(timeIntervalSince1970: published.timeIntervalSince1970.rounded(.down))
        if let known, known.modified == date, case .bytes(let bytes) = known.source,
            bytes.readableBytesView.elementsEqual(content)
        {
            return known
        }
        return ServedFile(
            source: .bytes(ByteBuffer(bytes: content)), tag: SHA256.hash(data: content).hexadecimal, modified: date,
            mediaType: file == .catalog ? MediaType.of(catalog: content) : MediaType.of(fileName: file.rawValue),
            caching: "no-cache")
    }
}
