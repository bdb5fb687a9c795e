public import Foundation
internal import PropertyList

/// What a catalog says of the content that a product's app downloads from a web server.
public struct CatalogContent: Sendable, Hashable {
    /// `contentVersion`: shown and compared for being the same, not for being higher.
    public var version: String?
    /// `contentURL`: where the manifest is, a property list whose name ends with `.plist`, or the archive itself; then the
    /// same file on other servers, in the order in which they are asked.
    ///
    /// None where the catalog does not say, and none where any of what it says cannot be used: content that cannot be
    /// checked as its author meant is not fetched at all.
    public var urls: [URL]
    /// `contentDigest` without `sha256:`: of the file at the addresses, in 64 small hexadecimal digits. An archive is
    /// fetched only where there is one.
    public var digest: String?
    /// `contentLength`: of the file at the addresses, in bytes.
    public var length: Int?

    public init(version: String? = nil, urls: [URL] = [], digest: String? = nil, length: Int? = nil) {
        self.version = version
        self.urls = urls
        self.digest = digest
        self.length = length
    }
}

extension CatalogContent {
    /// - Returns: `nil` where the product has none of the keys.
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

    /// An address that can be asked: with a host, by `https`, or by `http`, which is asked only where that is allowed.
    static func url(_ text: String) -> URL? {
        guard let url = URL(string: text), ["https", "http"].contains(url.scheme?.lowercased()),
            url.host()?.isEmpty == false
        else { return nil }
        return url
    }

    /// A manifest is there, and not an archive.
    static func isManifest(_ url: URL) -> Bool { url.pathExtension.lowercased() == "plist" }

    static func isDigest(_ text: String) -> Bool {
        text.hasPrefix(algorithm) && text.utf8.count == algorithm.utf8.count + 64
            && text.utf8.dropFirst(algorithm.utf8.count).allSatisfy { byte in
                UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || UInt8(ascii: "a")...UInt8(ascii: "f") ~= byte
            }
    }
}
