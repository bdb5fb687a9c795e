internal import Foundation
internal import Networking
internal import ProductCatalog

/// What is on the device.
extension CatalogLoader {
    /// Reads what is on the device, and judges its signature anew: what was seen since, or the clock, may speak against
    /// it.
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

    // MARK: The property list of the app

    /// The same reading, as long as the file has the same bytes.
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

    // MARK: What was downloaded

    /// - Returns: `nil` where nothing was.
    /// - Throws: Where it cannot be used at all.
    private func assessedCopy(of remote: RemoteCatalog) async throws(CatalogCacheError) -> AssessedCopy? {
        let deletions = deletions
        if copy == nil { copy = try readCopy(of: remote) }
        guard let copy else { return nil }
        let assessed = try await assess(copy, remote)
        // Another process may have written a newer one; where it has not, or that cannot be used, this one stays.
        guard case .outOfDate = assessed.signature, deletions == self.deletions,
            let other = try? readCopy(of: remote),
            (other.cached.body, other.cached.proof) != (copy.cached.body, copy.cached.proof),
            let newer = try? await assess(other, remote), case .valid = newer.signature, deletions == self.deletions
        else { return assessed }
        self.copy = newer.copy
        return newer
    }

    /// - Returns: `nil` where nothing was downloaded from this address.
    private func readCopy(of remote: RemoteCatalog) throws(CatalogCacheError) -> CatalogCopy? {
        guard !isFileForgotten, let cached = try cache.catalog(limit: Self.cacheLimit(of: remote)),
            cached.about.url == remote.url
        else { return nil }
        do {
            let catalog = try RemoteCatalogReader.read(
                cached.body, from: remote.url, sizeLimit: remote.limits.size)
            return CatalogCopy(cached, catalog: catalog)
        } catch {
            throw CatalogCacheError(reason: "the cached catalog is not used: \(error.reason)")
        }
    }

    /// Bytes that the file may have with what was downloaded: what it says about itself takes little.
    private static func cacheLimit(of remote: RemoteCatalog) -> Int {
        let (limit, overflow) = max(remote.limits.size, 0).addingReportingOverflow(
            4 * SignedCatalogFiles.smallFileLimit)
        return overflow ? .max : limit
    }

    /// - Throws: Where the copy cannot be used at all.
    private func assess(
        _ copy: CatalogCopy, _ remote: RemoteCatalog
    ) async throws(CatalogCacheError) -> AssessedCopy {
        let signature = await signature(of: copy.cached, remote, missing: "it was downloaded without a signature")
        let assessed = AssessedCopy(copy: copy, signature: signature.agreeing(with: copy.catalog))
        guard remote.trust?.mode != .enforce || assessed.signature.permitsListing(in: .enforce) else {
            throw CatalogCacheError(
                reason: "the cached catalog is not used: \(assessed.signature.obstacle ?? "it is not signed")")
        }
        return assessed
    }

    /// Judges a copy after the server's catalog was refused: what came with that may have said that the copy is out of
    /// date, or it is as good as before with the newer keys that came. Those are kept with it then, and its dates stay.
    ///
    /// - Throws: Where the copy cannot be used at all.
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
        // Keys that are no good, not the newest or do not name the copy's key leave it as it is.
        guard renewed.cached.proof != proof, let other = try? await assess(renewed, request.remote),
            other.signature.isOfNewestKeys
        else { return (assessed, nil) }
        return (other, keep(renewed, request))
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

    /// Keeps a copy, unless what was downloaded has been forgotten meanwhile.
    ///
    /// - Returns: What is wrong with the cache.
    func keep(_ copy: CatalogCopy, _ request: CatalogRequest) -> CatalogCacheError? {
        guard request.deletions == deletions else { return nil }
        self.copy = copy
        do {
            try cache.write(copy.cached, limit: Self.cacheLimit(of: request.remote))
            isFileForgotten = false
            return nil
        } catch {
            return error
        }
    }
}
