public import Foundation
internal import VitrinePropertyList
internal import VitrineSupport

/// Content of a product that the app downloads from a web server, as declared in the catalog.
public struct CatalogContent: Sendable, Hashable {
    /// Value of `contentVersion`, for display. Versions are compared for equality only, not for order.
    public var version: String?
    /// Values of `contentURL`: the address of the content, followed by addresses of the same file on other servers, in
    /// the order in which they are tried. An address that ends with `.plist` refers to a manifest, any other address to
    /// an archive.
    ///
    /// Empty if the catalog declares no address, or if any of the declared content values is invalid: content that
    /// cannot be verified as declared is not downloaded.
    public var urls: [URL]
    /// Value of `contentDigest` without `sha256:`: digest of the file at the addresses, in 64 lowercase hexadecimal
    /// digits. Required for an archive.
    public var digest: String?
    /// Value of `contentLength`: length of the file at the addresses in bytes.
    public var length: Int?

    public init(version: String? = nil, urls: [URL] = [], digest: String? = nil, length: Int? = nil) {
        self.version = version
        self.urls = urls
        self.digest = digest
        self.length = length
    }
}

extension CatalogContent {
    /// Reads the description of a product's content from the product's keys.
    ///
    /// - Returns: `nil` if the product has none of the keys for content on a web server.
    init?(keys: ProductKeys) {
        let named: [CatalogKey] = [.contentVersion, .contentURL, .contentDigest, .contentLength]
        guard named.contains(where: { keys[$0] != nil }) else { return nil }
        self.init(version: keys.string(.contentVersion))
        let addresses = keys.texts(.contentURL).map { Self.url($0.value) }
        let digest = keys.string(.contentDigest)
        let length = keys[.contentLength]?.integer
        let isUnderstood = named.allSatisfy { key in
            keys[key] == nil || keys[key]?.string?.isEmpty == true || keys.isOfItsKind(key)
        }
        guard isUnderstood, addresses.allSatisfy({ $0 != nil }), digest.map(Self.isDigest) ?? true, length ?? 1 > 0,
            digest != nil || addresses.allSatisfy({ $0.map(Self.isManifest) ?? false })
        else { return }
        self.urls = addresses.compactMap(\.self)
        self.digest = digest.map { String($0.dropFirst(Self.algorithm.count)) }
        self.length = length
    }

    private static let algorithm = "sha256:"

    /// Parses an address that may be requested.
    ///
    /// - Returns: `nil` for any other text. An `http` address is returned too, although it is requested only
    ///   from a host for which plain `http` is allowed.
    static func url(_ text: String) -> URL? {
        URL(string: text).flatMap { WebAddress.objection(to: $0) == nil ? $0 : nil }
    }

    /// Returns `true` if the address refers to a manifest, not to an archive.
    static func isManifest(_ url: URL) -> Bool { url.pathExtension.lowercased() == "plist" }

    static func isDigest(_ text: String) -> Bool {
        text.hasPrefix(algorithm) && text.utf8.count == algorithm.utf8.count + 64
            && text.utf8.dropFirst(algorithm.utf8.count).allSatisfy { byte in
                UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || UInt8(ascii: "a")...UInt8(ascii: "f") ~= byte
            }
    }
}
