package import Foundation
package import VitrineCatalog
internal import VitrineNetworking
internal import VitrinePropertyList
internal import VitrineSupport

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

    /// Returns the folder of a path: the part up to its last slash.
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
    /// Returns the URL with its path replaced by the result of a function. The query is preserved, because it may
    /// contain an access token for all files of the catalog.
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

/// State of the requests to the server during one load of the catalog.
struct CatalogRequest: Sendable {
    let download: CatalogDownload
    /// Number of times that the cache was deleted before the load began.
    let deletions: Int
    /// Downloaded signatures and keys of the server's catalog, valid or not; `nil` if they were not received.
    var proof: CachedCatalog.Proof?

    var remote: RemoteCatalog { download.remote }
}

/// Parses the catalog in a server's response. Parsing is strict, because the response is unchecked input.
package enum RemoteCatalogReader {
    /// Parses a catalog: a property list, or JSON.
    ///
    /// - Parameters:
    ///   - mediaType: Media type of the response; used only to recognize a web page.
    ///   - sizeLimit: Maximum size of a catalog in bytes.
    /// - Throws: `CatalogError` unless the catalog has no error and at least one product.
    package static func read(
        _ body: Data, mediaType: String? = nil, from url: URL, sizeLimit: Int
    ) throws(CatalogError) -> Catalog {
        let mark = Data([0xEF, 0xBB, 0xBF])
        let text = body.starts(with: mark) ? body.dropFirst(mark.count) : body
        guard !text.allSatisfy(\.isSpace) else {
            throw CatalogError(code: .empty, url: url, reason: "the server sent an empty file")
        }
        let catalog = try catalog(in: body, mediaType: mediaType, from: url, sizeLimit: sizeLimit)
        if let error = catalog.diagnostics.first(where: { $0.severity == .error }) {
            throw CatalogError(
                code: .hasErrors, url: url, reason: error.message, position: error.position,
                diagnostics: catalog.diagnostics)
        }
        guard !catalog.products.isEmpty else {
            throw CatalogError(
                code: .empty, url: url, reason: "the catalog contains no products", diagnostics: catalog.diagnostics)
        }
        return catalog
    }

    private static func catalog(
        in body: Data, mediaType: String?, from url: URL, sizeLimit: Int
    ) throws(CatalogError) -> Catalog {
        do {
            let limits = PropertyListLimits(size: max(sizeLimit, 0))
            return Catalog(document: try PropertyListDocument(bytes: Array(body), limits: limits))
        } catch {
            guard !isWebPage(body, mediaType) else {
                throw CatalogError(code: .webPage, url: url, reason: "the server sent a web page, not a catalog")
            }
            throw CatalogError(code: .notAPropertyList, url: url, reason: error.reason, position: error.position)
        }
    }

    /// Checks if a response is a web page.
    ///
    /// - Returns: `true` if the media type is HTML, or an HTML tag is in the first 1,024 bytes, which may begin with an
    ///   XML declaration or comments.
    private static func isWebPage(_ body: Data, _ mediaType: String?) -> Bool {
        if let mediaType, ["text/html", "application/xhtml+xml"].contains(mediaType) { return true }
        let start = String(decoding: body.prefix(1_024), as: UTF8.self).lowercased()
        return start.contains("<!doctype html") || start.contains("<html")
    }
}

extension UInt8 {
    /// `true` if the byte is white space in XML and JSON.
    fileprivate var isSpace: Bool { [0x20, 0x09, 0x0A, 0x0D].contains(self) }
}
