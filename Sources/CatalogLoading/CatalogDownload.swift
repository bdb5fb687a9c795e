internal import Foundation
internal import Networking
internal import ProductCatalog

/// Asks a web server for a catalog and for what is signed about it.
struct CatalogDownload: Sendable {
    let remote: RemoteCatalog
    let fetcher: HTTPFetcher
    let now: @Sendable () -> Date

    /// - Parameter validators: What the copy that one has is named by.
    /// - Returns: `nil` where that is still the server's catalog.
    func catalog(unless validators: HTTPValidators?) async throws(CatalogError) -> HTTPCopy? {
        do {
            return try await fetch(remote.url, validators: validators, limits: remote.limits)
        } catch  where error.code == .status(304) {
            // Something between takes us for somebody who has asked before.
            do {
                return try await fetch(remote.url, validators: nil, limits: remote.limits)
            } catch {
                throw CatalogError(error, url: remote.url, now: now())
            }
        } catch {
            throw CatalogError(error, url: remote.url, now: now())
        }
    }

    /// The signature of the catalog, and `keys.plist` with its own, which lie beside it.
    func proof() async throws(CatalogError) -> CachedCatalog.Proof {
        CachedCatalog.Proof(
            signature: try await small(remote.url.withPath { $0 + ".minisig" }),
            keys: try await small(remote.url.withPath { Self.beside($0) + "keys.plist" }),
            keysSignature: try await small(remote.url.withPath { Self.beside($0) + "keys.plist.minisig" }))
    }

    /// The folder of a path, with its slash.
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
    /// The address with another path; what follows the path stays, because it may open the way to all of them.
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
