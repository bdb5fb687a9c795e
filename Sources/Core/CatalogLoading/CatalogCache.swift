internal import Foundation
internal import VitrineCatalog
internal import VitrineFileSystem
public import VitrineSupport

/// Cache folder for downloaded catalogs. The system may delete the folder at any time.
///
/// Each process that writes to the folder locks it. A temporary file that exists while the folder is not locked by
/// another process was therefore left by a terminated process.
struct CatalogCache: Sendable {
    let folder: URL

    private static let catalogName = "Catalog.cache"
    private static let attemptName = "Attempt.json"
    private static let attemptLimit = 256 * 1024

    private func file(_ name: String) -> URL { folder.appending(path: name, directoryHint: .notDirectory) }

    // MARK: The catalog

    /// Reads the cached catalog.
    ///
    /// - Parameter limit: Maximum size of the cache file in bytes.
    /// - Returns: `nil` if no catalog is cached.
    func catalog(limit: Int) throws(CatalogCacheError) -> CachedCatalog? {
        guard let content = try read(Self.catalogName, limit: limit) else { return nil }
        do {
            return try CachedCatalog(fileContent: content)
        } catch {
            throw CatalogCacheError(reason: "the cached catalog is damaged: \(error.reason)")
        }
    }

    /// Writes a catalog, unless another process has written a newer one in the meantime.
    ///
    /// - Parameters:
    ///   - limit: Maximum size of the existing cache file in bytes; a larger file is replaced.
    ///   - acceptsOlderVersions: `true` to replace a catalog with a higher version, if neither of them is signed.
    func write(
        _ catalog: CachedCatalog, limit: Int, acceptingOlderVersions acceptsOlderVersions: Bool
    ) throws(CatalogCacheError) {
        try write(Self.catalogName) {
            // An existing file that cannot be read is replaced.
            if let present = try? self.catalog(limit: limit),
                present.isNewer(than: catalog, acceptingOlderVersions: acceptsOlderVersions)
            {
                return nil
            }
            return try catalog.fileContent
        }
    }

    /// Deletes the cached catalog.
    ///
    /// - Returns: `false` if no catalog is cached.
    func deleteCatalog() throws(CatalogCacheError) -> Bool {
        let url = file(Self.catalogName)
        guard FileStatus(url) != nil else { return false }
        try locked(Self.catalogName) {
            guard unlink(url.systemPath) == 0 || errno == ENOENT else { throw FileSystemError(lastAt: url) }
            try DurableFile.syncFolder(folder)
        }
        return true
    }

    // MARK: The last attempt

    /// Reads the last recorded attempt to fetch the remote catalog.
    ///
    /// - Returns: `nil` if no attempt is recorded.
    func attempt() throws(CatalogCacheError) -> CatalogAttempt? {
        guard let content = try read(Self.attemptName, limit: Self.attemptLimit) else { return nil }
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        do {
            return try decoder.decodeForeign(CatalogAttempt.self, from: content)
        } catch {
            throw CatalogCacheError(reason: "\(Self.attemptName) in the catalog cache is damaged")
        }
    }

    func write(_ attempt: CatalogAttempt) throws(CatalogCacheError) {
        try write(Self.attemptName) {
            let encoder = JSONEncoder()
            encoder.dateEncodingStrategy = .iso8601
            encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
            return try encoder.encode(attempt)
        }
    }

    // MARK: Files

    private func read(_ name: String, limit: Int) throws(CatalogCacheError) -> Data? {
        let content: Data
        do {
            content = try BoundedFile.read(file(name), limit: limit)
        } catch  where error.isMissing {
            return nil
        } catch {
            throw CatalogCacheError(reason: "\(name) in the catalog cache cannot be read: \(error.reason)")
        }
        guard content.count <= limit else {
            throw CatalogCacheError(reason: "\(name) in the catalog cache has more than \(limit) bytes")
        }
        return content
    }

    /// Replaces a file in the cache folder while the folder is locked.
    ///
    /// - Parameter content: Function that returns the new content of the file, or `nil` to leave the file unchanged.
    private func write(_ name: String, _ content: () throws -> Data?) throws(CatalogCacheError) {
        try locked(name) {
            removeLeftovers()
            if let content = try content() { try DurableFile.write(content, to: file(name)) }
        }
    }

    private func locked(_ name: String, _ body: () throws -> Void) throws(CatalogCacheError) {
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let lock = try FolderLock.acquire(folder)
            defer { withExtendedLifetime(lock) {} }
            try body()
            try BackupExclusion.mark(folder)
        } catch {
            throw CatalogCacheError(
                reason: "\(name) in the catalog cache cannot be written: \(BoundedFile.reason(for: error))")
        }
    }

    /// Removes temporary files of terminated processes. A failed removal is repeated at the next write.
    private func removeLeftovers() {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.systemPath)) ?? []
        for name in names where [Self.catalogName, Self.attemptName].contains(where: { name.hasPrefix(".\($0).") }) {
            unlink(file(name).systemPath)
        }
    }
}

/// Error thrown when the cache of downloaded catalogs cannot be read or written. The catalog that is included in the
/// app is not affected.
public struct CatalogCacheError: DescribedError {
    /// Description of the error, as a sentence without a period.
    public let reason: String

    public var description: String { reason }

    public var recoverySuggestion: String? {
        "Make sure that the device has free space and that the app may write to the folder of the catalog cache."
    }
}
