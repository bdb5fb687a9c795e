internal import Foundation
internal import VitrineCatalog
internal import VitrineNetworking
internal import VitrineSupport

/// Loading of the catalogs on the device.
extension CatalogLoader {
    /// Reads the catalogs on the device. The signature of the cached catalog is checked again, because a newer catalog
    /// or the current time may have invalidated it.
    func onDevice(_ remote: RemoteCatalog, _ local: URL?) async -> CatalogsOnDevice {
        var onDevice = CatalogsOnDevice(
            remote: remote, appBuild: appBuild, local: local.map { self.local(at: $0) })
        do throws(CatalogCacheError) {
            onDevice.copy = try await assessedCopy(of: remote)
        } catch {
            onDevice.cacheFailure = error
        }
        return onDevice
    }

    // MARK: Local property list

    /// Returns the catalog of the local property list. The previous result is reused while the file is unchanged.
    func local(at url: URL) -> Result<LoadedCatalog, CatalogError> {
        do throws(CatalogError) {
            let bytes = try CatalogFile.bytes(of: url)
            if let localReading, localReading.bytes == bytes { return .success(localReading.loaded) }
            let loaded = LoadedCatalog(catalog: try Catalog(usable: bytes, of: url), origin: .file(url))
            localReading = (bytes, loaded)
            return .success(loaded)
        } catch {
            return .failure(error)
        }
    }

    // MARK: Cached catalog

    /// Returns the cached catalog with the current result of its signature check, from memory or from the cache.
    ///
    /// - Returns: `nil` if no catalog is cached.
    /// - Throws: ``CatalogCacheError`` if the cached catalog cannot be used.
    private func assessedCopy(of remote: RemoteCatalog) async throws(CatalogCacheError) -> AssessedCopy? {
        let deletions = deletions
        if copy == nil { copy = try readCopy(of: remote) }
        guard let copy else { return nil }
        let assessed = try await assess(copy, remote)
        // Another process may have written a newer catalog. Without such a catalog, or if it cannot be used, the
        // catalog in memory is used.
        guard case .outOfDate = assessed.signature, deletions == self.deletions,
            let other = try? readCopy(of: remote),
            (other.cached.body, other.cached.proof) != (copy.cached.body, copy.cached.proof),
            let newer = try? await assess(other, remote), case .valid = newer.signature, deletions == self.deletions
        else { return assessed }
        self.copy = newer.copy
        return newer
    }

    /// Reads and parses the cached catalog.
    ///
    /// - Returns: `nil` if no catalog from this address is cached.
    func readCopy(of remote: RemoteCatalog) throws(CatalogCacheError) -> CatalogCopy? {
        guard !isFileForgotten, let cached = try cache.catalog(limit: Self.cacheLimit(of: remote)),
            cached.about.url == remote.url
        else { return nil }
        do {
            let catalog = try RemoteCatalogReader.read(cached.body, from: remote.url, sizeLimit: remote.limits.size)
            return CatalogCopy(cached: cached, catalog: catalog)
        } catch {
            throw CatalogCacheError(reason: "the cached catalog is not used: \(error.reason)")
        }
    }

    /// Returns the maximum size of the cache file in bytes: the catalog, and up to four small files for its metadata,
    /// signature and keys.
    private static func cacheLimit(of remote: RemoteCatalog) -> Int {
        let (limit, overflow) = max(remote.limits.size, 0).addingReportingOverflow(
            4 * SignedCatalogFiles.smallFileLimit)
        return overflow ? .max : limit
    }

    /// Checks the signature of a downloaded catalog.
    ///
    /// - Throws: ``CatalogCacheError`` if signatures are enforced and the signature of the downloaded catalog is
    ///   neither valid nor out of date.
    private func assess(
        _ copy: CatalogCopy, _ remote: RemoteCatalog
    ) async throws(CatalogCacheError) -> AssessedCopy {
        let signature = await signature(
            of: copy.cached, remote, missing: "the catalog was downloaded without a signature")
        let assessed = AssessedCopy(copy: copy, signature: signature.agreeing(with: copy.catalog))
        guard remote.trust?.mode != .enforce || assessed.signature.permitsListing(in: .enforce) else {
            throw CatalogCacheError(
                reason: "the cached catalog is not used: \(assessed.signature.obstacle ?? "the catalog is not signed")")
        }
        return assessed
    }

    /// Checks the signature of the cached catalog again after a newer download was rejected, which may have proved that
    /// the cached catalog is out of date. If the rejected download has a newer valid `keys.plist` with the key that
    /// signed the cached catalog, that `keys.plist` replaces the cached one; the dates of the cached catalog are
    /// unchanged.
    ///
    /// - Throws: ``CatalogCacheError`` if signatures are enforced and the signature of the cached catalog is neither
    ///   valid nor out of date.
    func assess(
        _ copy: CatalogCopy, after request: CatalogRequest
    ) async throws(CatalogCacheError) -> (AssessedCopy, CatalogCacheError?) {
        let assessed = try await assess(copy, request.remote)
        guard case .outOfDate = assessed.signature, let downloaded = request.proof, let proof = copy.cached.proof else {
            return (assessed, nil)
        }
        var renewed = copy
        renewed.cached.proof = CachedCatalog.Proof(
            signature: proof.signature, keys: downloaded.keys, keysSignature: downloaded.keysSignature)
        // Keys that are invalid, not the newest, or without the copy's signing key are not stored with the copy.
        guard renewed.cached.proof != proof, let other = try? await assess(renewed, request.remote),
            other.signature.isOfNewestKeys
        else { return (assessed, nil) }
        return (other, store(renewed, request))
    }

    func signature(
        of cached: CachedCatalog, _ remote: RemoteCatalog, missing: String
    ) async -> CatalogSignature {
        guard let trust = remote.trust else { return .notChecked }
        guard let files = cached.signedFiles else {
            return .invalid(CatalogSignatureFailure(code: .missing, reason: missing))
        }
        return await CatalogVerifier(trust: trust, numbers: numbers).verify(files, at: now())
    }

    /// Stores a downloaded catalog in memory and in the cache, unless the cache has been deleted since the request
    /// began.
    ///
    /// - Returns: The error of the cache; `nil` if there was none.
    func store(_ copy: CatalogCopy, _ request: CatalogRequest) -> CatalogCacheError? {
        guard request.deletions == deletions else { return nil }
        self.copy = copy
        do {
            try cache.write(
                copy.cached, limit: Self.cacheLimit(of: request.remote),
                acceptingOlderVersions: request.remote.acceptsOlderVersions)
            isFileForgotten = false
            return nil
        } catch {
            return error
        }
    }
}
