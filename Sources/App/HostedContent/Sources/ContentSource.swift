public import Foundation
public import VitrineCatalog

/// A source of products' content: the app's own server, the store, or a folder.
public protocol ContentSource: Sendable {
    /// Fetches the whole content of a product and checks it against the request.
    ///
    /// The bytes that a failed or canceled call has received stay in the folder, and the next call resumes from them.
    ///
    /// - Parameters:
    ///   - request: Requested content.
    ///   - folder: An existing folder for this product alone, on the volume of the content directory and excluded from
    ///     backups, that only this call uses. The fetched content may be in this folder; the caller removes the folder
    ///     after the installation of the content.
    ///   - progress: Called while bytes are received, from any thread.
    /// - Throws: ``ContentError``.
    func fetch(
        _ request: ContentRequest, in folder: URL, progress: @escaping @Sendable (ContentProgress) -> Void
    ) async throws(ContentError) -> FetchedContent
}

/// A request for content, as the catalog describes it.
public struct ContentRequest: Sendable, Hashable {
    public var productIdentifier: String
    /// Version that the catalog requires (`contentVersion`); `nil` for any version.
    public var version: String?
    /// Addresses of the manifest or archive in the catalog's `contentURL`, in the order in which they are tried. Empty
    /// if the catalog names none.
    public var urls: [URL]
    /// SHA-256 of the file at the addresses, in 64 lowercase hexadecimal digits: the catalog's `contentDigest` without
    /// `sha256:`.
    public var digest: String?
    /// Length in bytes of the file at the addresses: the catalog's `contentLength`.
    public var length: Int?

    public init(
        productIdentifier: String, version: String? = nil, urls: [URL] = [], digest: String? = nil, length: Int? = nil
    ) {
        self.productIdentifier = productIdentifier
        self.version = version
        self.urls = urls
        self.digest = digest
        self.length = length
    }
}

extension ContentRequest {
    /// Returns `true` if the installed content is the requested one; `nil` if the catalog names neither version nor
    /// digest.
    package func isMet(by installed: InstalledContent) -> Bool? {
        let isSameVersion = version.map { $0 == installed.version }
        let isSameDigest = digest.flatMap { digest in installed.digest.map { $0 == digest } }
        guard isSameVersion != false, isSameDigest != false else { return false }
        return isSameVersion ?? isSameDigest
    }

    /// Returns `true` if bytes received for a version and a digest can be used for this request.
    func isForSame(version: String?, digest: String?) -> Bool { version == self.version && digest == self.digest }
}

/// Progress of a download of content.
public struct ContentProgress: Sendable, Hashable {
    /// Number of received bytes of the archive, including those that earlier attempts received.
    public var received: Int
    /// Length of the archive in bytes; `nil` while unknown.
    public var total: Int?

    public init(received: Int = 0, total: Int? = nil) {
        self.received = received
        self.total = total
    }
}

/// Content that was fetched and is not installed yet.
public enum FetchedContent: Sendable {
    /// An unpacked package.
    case package(ContentPackage)
    /// An archive with its manifest; `nil` if there is no manifest.
    case archive(URL, ContentManifest?)
}

extension ContentRequest {
    /// Creates the request for the content of a product, without addresses if the catalog names no usable address.
    public init(_ product: CatalogProduct) {
        self.init(
            productIdentifier: product.identifier, version: product.content?.version, urls: product.content?.urls ?? [],
            digest: product.content?.digest, length: product.content?.length)
    }
}
