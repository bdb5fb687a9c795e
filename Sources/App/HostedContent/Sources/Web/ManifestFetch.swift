internal import Crypto
internal import Foundation
internal import VitrineCatalog
internal import VitrineCatalogLoading
internal import VitrineNetworking
internal import VitrineSupport

/// Fetch of the manifest of a product's content from a web server.
struct ManifestFetch {
    let fetcher: HTTPFetcher
    let limits: HTTPLimits
    let retries: FetchRetries
    /// Accepted signers of manifests whose digest the catalog does not contain; `nil` if they need no signature.
    let signers: ContentSigners?
    let now: @Sendable () -> Date

    /// Maximum time for fetching a manifest or its signature, in seconds.
    private static let longest: TimeInterval = 300

    /// Fetches the manifest of requested content.
    ///
    /// - Returns: The manifest and its final address.
    /// - Throws: ``ContentError``: `wrongContent` if the manifest does not match the request or its signature is not
    ///   valid.
    func manifest(for request: ContentRequest, at url: URL) async throws(ContentError) -> (ContentManifest, URL) {
        let copy = try await copy(at: url, limit: ContentManifest.sizeLimit)
        try Self.check(copy, from: url, request)
        let manifest: ContentManifest
        do throws(ContentError) {
            manifest = try ContentManifest(bytes: Array(copy.body))
        } catch {
            throw .wrongContent(error.reason)
        }
        guard manifest.productIdentifier == request.productIdentifier else {
            throw .wrongContent(
                "the manifest is for \(manifest.productIdentifier), not for \(request.productIdentifier)")
        }
        if let version = request.version, manifest.version != version {
            throw .wrongContent("the manifest is for the version \(manifest.version), not for \(version)")
        }
        if let signers, request.digest == nil { try await checkSignature(of: manifest, copy, by: signers) }
        return (manifest, copy.url)
    }

    /// Checks the signature of a manifest whose digest the catalog does not contain.
    private func checkSignature(
        of manifest: ContentManifest, _ manifestCopy: HTTPCopy, by signers: ContentSigners
    ) async throws(ContentError) {
        let url = manifestCopy.url.sibling(manifestCopy.url.lastPathComponent + ContentManifest.signatureSuffix)
        let signature: HTTPCopy
        do throws(ContentError) {
            signature = try await copy(at: url, limit: SignedCatalogFiles.smallFileLimit)
        } catch {
            guard error.code == .server else { throw error }
            throw .wrongContent(
                "the catalog has no digest of the manifest, and its signature could not be fetched: \(error.reason)")
        }
        do throws(CatalogSignatureFailure) {
            try manifest.check(signature.body, of: manifestCopy.body, by: signers, at: now())
        } catch {
            throw .wrongContent("the manifest's signature is not accepted: \(error.reason)")
        }
    }

    private func copy(at url: URL, limit: Int) async throws(ContentError) -> HTTPCopy {
        var limits = limits
        limits.size = limit
        limits.whole = min(limits.whole, Self.longest)
        var attempts = FetchAttempts(retries)
        while true {
            do throws(HTTPFetchError) {
                switch try await fetcher.fetch(url, limits: limits, now: now()) {
                case .fetched(let copy): return copy
                case .notModified:
                    throw HTTPFetchError(
                        code: .status(304),
                        reason:
                            "the server answered that the manifest is unchanged (304), but was not asked for changes")
                }
            } catch {
                try await attempts.wait(after: ContentError(error))
            }
        }
    }

    private static func isLoopback(_ url: URL) -> Bool { url.host().map(PlainHTTP.loopback.allows) ?? false }

    /// Checks that the manifest has the length and digest that the catalog names. Without a digest in the catalog, the
    /// manifest must have been fetched by `https`, or from this device.
    private static func check(_ copy: HTTPCopy, from url: URL, _ request: ContentRequest) throws(ContentError) {
        if let length = request.length, length != copy.body.count {
            throw .wrongContent("the manifest has \(copy.body.count) bytes instead of \(length) as in the catalog")
        }
        guard let digest = request.digest else {
            guard [url, copy.url].allSatisfy({ $0.scheme?.lowercased() == "https" || Self.isLoopback($0) }) else {
                throw .wrongContent(
                    "the manifest is downloaded over HTTP without TLS, and the catalog has no digest of it")
            }
            return
        }
        guard SHA256.hash(data: copy.body).hexadecimal == digest else {
            throw .wrongContent("the manifest does not have the digest that the catalog contains for it")
        }
    }
}
