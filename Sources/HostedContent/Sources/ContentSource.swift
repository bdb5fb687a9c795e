public import Foundation
public import ProductCatalog

/// Where the content of products comes from: the app's own server, the store, or a folder.
public protocol ContentSource: Sendable {
    /// Gets the content of a product whole, and checked as far as the request says what it has to be.
    ///
    /// What a call has got that failed or was cancelled lies in the folder, and the next call goes on from there.
    ///
    /// - Parameters:
    ///   - request: What is wanted.
    ///   - folder: A folder of this product's alone, on the volume of the content directory and left out of backups. It
    ///     is there, and nobody else uses it meanwhile. What is answered may lie in it; the caller removes it afterwards.
    ///   - progress: Is told while bytes come, from any thread.
    /// - Throws: ``ContentError``.
    func fetch(
        _ request: ContentRequest, in folder: URL, progress: @escaping @Sendable (ContentProgress) -> Void
    ) async throws(ContentError) -> FetchedContent
}

/// What content is wanted, as the catalog describes it.
public struct ContentRequest: Sendable, Hashable {
    public var productIdentifier: String
    /// `contentVersion`; `nil` for whatever there is.
    public var version: String?
    /// `contentURL`, and after it the same file on other servers. None where the catalog does not say.
    public var urls: [URL]
    /// `contentDigest` without `sha256:`: of the file at the addresses, in 64 small hexadecimal digits.
    public var digest: String?
    /// `contentLength`: of the file at the addresses, in bytes.
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
    /// Whether what is installed is what the catalog asks for; `nil` where the catalog does not say.
    package func isMet(by installed: InstalledContent) -> Bool? {
        let isSameVersion = version.map { $0 == installed.version }
        let isSameDigest = digest.flatMap { digest in installed.digest.map { $0 == digest } }
        guard isSameVersion != false, isSameDigest != false else { return false }
        return isSameVersion ?? isSameDigest
    }

    /// Whether bytes that have come for content of a version and a digest count for this.
    func isForSame(version: String?, digest: String?) -> Bool { version == self.version && digest == self.digest }
}

/// How much of a product's content is here.
public struct ContentProgress: Sendable, Hashable {
    /// Bytes of the archive that are here, those of earlier calls among them.
    public var received: Int
    /// Bytes that the archive has; `nil` while nobody has said so.
    public var total: Int?

    public init(received: Int = 0, total: Int? = nil) {
        self.received = received
        self.total = total
    }
}

/// Content that is here whole, and is not installed yet.
public enum FetchedContent: Sendable {
    /// A package that lies there unpacked.
    case package(ContentPackage)
    /// An archive with what it has to hold; `nil` where nobody has listed that.
    case archive(URL, ContentManifest?)
}

extension ContentRequest {
    /// What a catalog asks for. Without addresses where it names none that can be used.
    public init(_ product: CatalogProduct) {
        self.init(
            productIdentifier: product.identifier, version: product.content?.version, urls: product.content?.urls ?? [],
            digest: product.content?.digest, length: product.content?.length)
    }
}
