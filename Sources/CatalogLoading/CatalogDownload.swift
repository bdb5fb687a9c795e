internal import Foundation
internal import Networking
internal import ProductCatalog

/// Requests a catalog, its signature and its keys from a web server.
struct CatalogDownload: Sendable {
    let remote: RemoteCatalog
    let fetcher: HTTPFetcher
    let now: @Sendable () -> Date

    /// Fetches the catalog.
    ///
    /// - Parameter validators: HTTP validators of the cached copy.
    /// - Returns: `nil` if the cached copy is still current.
    func catalog(unless validators: HTTPValidators?) async throws(CatalogError) -> HTTPCopy? {
        do {
            return try await fetch(remote.url, validators: validators, limits: remote.limits)
        } catch  where error.code == .status(304) {
            // A proxy answered 304 to a request without validators: the request is repeated.
            do {
                return try await fetch(remote.url, validators: nil, limits: remote.limits)
            } catch {
                throw CatalogError(error, url: remote.url, now: now())
            }
        } catch {
            throw CatalogError(error, url: remote.url, now: now())
        }
    }

    /// Fetches the signature of the catalog, and `keys.plist` with its signature, from the folder of the catalog.
    func proof() async throws(CatalogError) -> CachedCatalog.Proof {
        CachedCatalog.Proof(
            signature: try await small(remote.url.withPath { $0 + ".minisig" }),
            keys: try await small(remote.url.withPath { Self.beside($0) + "keys.plist" }),
            keysSignature: try await small(remote.url.withPath { Self.beside($0) + "keys.plist.minisig" }))
    }

    /// Returns the folder of a path, with its trailing slash.
    private static func beside(_ path: String) -> String {
        String(path[..<(path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex)])
    }

    private func small(_ url: URL) async throws(CatalogError) -> Data {
        var limits = remote.limits
        limits.size = min(limits.size, SignedCatalogFiles.smallFileLimit)
        do {
            return try await fetch(url, validators: nil, limits: limits)?.body ?? Data()
        } catch {
            throw CatalogError(error, url: url, now: now())
        }
    }

    private func fetch(
        _ url: URL, validators: HTTPValidators?, limits: HTTPLimits
    ) async throws(HTTPFetchError) -> HTTPCopy? {
        switch try await fetcher.fetch(url, validators: validators, limits: limits, now: now()) {
        case .fetched(let copy): copy
        case .notModified: nil
        }
    }
}

extension URL {
    /// Returns the address with another path. The query is kept, because it may contain an access token for all files.
    fileprivate func withPath(_ change: (String) -> String) -> URL {
        guard var components = URLComponents(url: self, resolvingAgainstBaseURL: true) else { return self }
        components.percentEncodedPath = change(components.percentEncodedPath)
        return components.url ?? self
    }
}

extension CatalogError {
    init(_ error: HTTPFetchError, url: URL, now: Date) {
        let code: Code =
            switch error.code {
            case .addressRefused: .addressRefused
            case .unreachable: .unreachable
            case .timeout: .timeout
            case .tooLarge: .tooLarge
            case .redirect: .redirect
            case .status: .status
            case .cancelled, .refused: .cancelled
            }
        self.init(
            code: code, url: url, reason: error.reason, retryDate: error.retryAfter.map { now.addingTimeInterval($0) })
    }
}

/// State of the requests to the server in one load.
struct CatalogRequest: Sendable {
    let download: CatalogDownload
    /// Number of cache deletions before the load began.
    let deletions: Int
    /// Downloaded signatures and keys of the server's catalog, valid or not; `nil` if they were not received.
    var proof: CachedCatalog.Proof?

    var remote: RemoteCatalog { download.remote }
}
