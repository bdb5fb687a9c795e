internal import Foundation
internal import VitrineCatalog
internal import VitrineNetworking

/// Loading of the catalog from the web server.
extension CatalogLoader {
    func load(
        _ remote: RemoteCatalog, _ local: URL?, asksServer: Bool
    ) async throws(CatalogError) -> LoadedCatalog {
        var request = CatalogRequest(
            download: CatalogDownload(remote: remote, fetcher: fetcher, now: now), deletions: deletions)
        var onDevice = await onDevice(remote, local)
        if !asksServer, let fresh = onDevice.fresh(at: now()) { return fresh }
        let failure: CatalogError
        do {
            let (served, cacheFailure) = try await askServer(&request, unless: onDevice.copy?.copy)
            let noteFailure = note(CatalogAttempt(url: remote.url, date: now(), error: nil))
            return onDevice.best(of: served, cacheFailure: cacheFailure ?? noteFailure)
        } catch {
            failure = error
        }
        let noteFailure = note(CatalogAttempt(url: remote.url, date: now(), error: failure))
        if let copy = onDevice.copy?.copy {
            onDevice.copy = nil
            if request.deletions == deletions {
                do {
                    let (assessed, cacheFailure) = try await assess(copy, after: request)
                    onDevice.copy = assessed
                    onDevice.cacheFailure = cacheFailure ?? onDevice.cacheFailure
                } catch {
                    onDevice.cacheFailure = error
                }
            }
        }
        onDevice.cacheFailure = onDevice.cacheFailure ?? noteFailure
        if let best = onDevice.best(because: failure) { return best }
        if case .failure(let error) = onDevice.local {
            throw failure.adding("the catalog on this device cannot be used either: \(error)")
        }
        throw failure
    }

    /// Records an attempt to fetch the remote catalog in the cache.
    ///
    /// - Returns: The error of the cache; `nil` if there was none.
    private func note(_ attempt: CatalogAttempt) -> CatalogCacheError? {
        do {
            try cache.write(attempt)
            return nil
        } catch {
            return error
        }
    }

    /// Requests the server's catalog.
    ///
    /// - Returns: The server's catalog, and the error of the cache, if any.
    private func askServer(
        _ request: inout CatalogRequest, unless present: CatalogCopy?
    ) async throws(CatalogError) -> (AssessedCopy, CatalogCacheError?) {
        if let reply = try await request.download.catalog(unless: present?.cached.about.validators) {
            return try await handle(reply, &request)
        }
        if let present, let confirmed = try await confirm(present, &request) { return confirmed }
        guard let reply = try await request.download.catalog(unless: nil) else {
            throw CatalogError(
                code: .status, url: request.remote.url,
                reason: "the server answered that its content is unchanged (304), but was not asked for changes")
        }
        return try await handle(reply, &request)
    }

    /// Applies the server's confirmation that a downloaded catalog is current.
    ///
    /// - Returns: `nil` if the server's current signature does not match the downloaded catalog: the server has sent
    ///   the same HTTP validators for two different catalogs.
    private func confirm(
        _ present: CatalogCopy, _ request: inout CatalogRequest
    ) async throws(CatalogError) -> (AssessedCopy, CatalogCacheError?)? {
        var copy = present
        copy.cached.about.checkedDate = now()
        copy.cached.about.appBuild = appBuild
        copy.cached.about.trust = request.remote.trust.map(TrustSettings.init)
        let signature = try await signatureNow(of: &copy.cached, &request)
        if case .invalid = signature, request.proof != nil { return nil }
        return try await accept(copy, signature, request)
    }

    private func handle(
        _ reply: HTTPCopy, _ request: inout CatalogRequest
    ) async throws(CatalogError) -> (AssessedCopy, CatalogCacheError?) {
        let (remote, date) = (request.remote, now())
        var cached = CachedCatalog(
            body: reply.body,
            about: CachedCatalog.About(
                url: remote.url, validators: reply.validators, fetchedDate: date, checkedDate: date,
                appBuild: appBuild, trust: remote.trust.map(TrustSettings.init)))
        let signature = try await signatureNow(of: &cached, &request)
        try check(signature, remote)
        let catalog = try RemoteCatalogReader.read(
            cached.body, mediaType: reply.mediaType, from: remote.url, sizeLimit: remote.limits.size)
        try checkVersion(of: catalog, signature, remote)
        // The same bytes are the same catalog, so that nothing has to be listed again.
        var copy =
            copy.flatMap { $0.cached.body == cached.body ? $0 : nil } ?? CatalogCopy(cached: cached, catalog: catalog)
        copy.cached = cached
        return try await accept(copy, signature, request)
    }

    /// Fetches the signature files of a catalog and checks its signature. If they could not be fetched and signatures
    /// are not enforced, the cached signature files are used, because they belong to the same bytes of the catalog.
    private func signatureNow(
        of cached: inout CachedCatalog, _ request: inout CatalogRequest
    ) async throws(CatalogError) -> CatalogSignature {
        guard let trust = request.remote.trust else { return .notChecked }
        var missing = "the server has no signature of the catalog"
        do {
            let proof = try await request.download.proof()
            cached.proof = proof
            request.proof = proof
        } catch {
            guard trust.mode == .report else { throw error }
            missing = "the signature of the catalog could not be fetched: \(error)"
        }
        return await signature(of: cached, request.remote, missing: missing)
    }

    /// Accepts a verified catalog of the server: records the epoch and version of its signature, so that older catalogs
    /// are refused, then writes the catalog to the cache.
    private func accept(
        _ copy: CatalogCopy, _ signature: CatalogSignature, _ request: CatalogRequest
    ) async throws(CatalogError) -> (AssessedCopy, CatalogCacheError?) {
        var (copy, signature) = (copy, signature.agreeing(with: copy.catalog))
        if let trust = request.remote.trust, case .valid(let statement) = signature {
            signature = await CatalogVerifier(trust: trust, numbers: numbers).record(statement)
        }
        try check(signature, request.remote)
        copy.cached.about.version = copy.catalog.version
        copy.cached.about.seen = if case .valid(let statement) = signature { SeenStatement(statement) } else { nil }
        return (AssessedCopy(copy: copy, signature: signature), store(copy, request))
    }

    /// Refuses a catalog with no version or a lower one than the copy in memory or, from another process, in the cache.
    /// A valid signature decides instead.
    private func checkVersion(
        of catalog: Catalog, _ signature: CatalogSignature, _ remote: RemoteCatalog
    ) throws(CatalogError) {
        if case .valid = signature { return }
        guard !remote.acceptsOlderVersions,
            let present = [copy, try? readCopy(of: remote)].compactMap({ $0?.catalog.version }).max(),
            catalog.version.isVersion(before: present)
        else { return }
        let version = catalog.version.map { "version \($0)" } ?? "no version"
        throw CatalogError(
            code: .olderVersion, url: remote.url,
            reason: "the server's catalog has \(version), and the copy on this device version \(present)")
    }

    private func check(_ signature: CatalogSignature, _ remote: RemoteCatalog) throws(CatalogError) {
        guard remote.trust?.mode == .enforce, let obstacle = signature.obstacle else { return }
        throw CatalogError(code: .signature, url: remote.url, reason: obstacle)
    }
}
