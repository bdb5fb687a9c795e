public import Foundation
public import ProductCatalog

/// What is signed about a catalog beside its bytes.
public struct CatalogStatement: Sendable, Hashable {
    public var app: String
    public var channel: String
    public var version: Int
    public var issued: Date
    public var expires: Date
    /// The key that signed it, as minisign writes it.
    public var keyIdentifier: String
    /// Which count of versions the version belongs to. A root begins a new one where versions have run away.
    public var epoch: Int
    /// Until when it counts: until it, the key that signed it or `keys.plist` expires, whichever is first.
    public var goodUntil: Date

    /// - Parameters:
    ///   - app: The app that it is for.
    ///   - channel: The channel that it is for.
    ///   - version: The number that a newer one has a higher one of.
    ///   - issued: When it was signed.
    ///   - expires: When it is out of date.
    ///   - keyIdentifier: The key that signed it, as minisign writes it.
    ///   - epoch: Which count of versions the version belongs to.
    ///   - goodUntil: `nil` for as long as it does not expire itself.
    public init(
        app: String, channel: String, version: Int, issued: Date, expires: Date, keyIdentifier: String, epoch: Int = 1,
        goodUntil: Date? = nil
    ) {
        self.app = app
        self.channel = channel
        self.version = version
        self.issued = issued
        self.expires = expires
        self.keyIdentifier = keyIdentifier
        self.epoch = epoch
        self.goodUntil = goodUntil ?? expires
    }

    /// What a signed file is. A signature of one kind never counts for the other.
    package enum Kind: String, Sendable {
        case catalog, keys
    }

    /// The longest name of an app or a channel, in characters.
    static let longestName = 255

    /// A name has letters, digits, points, hyphens and underscores of ASCII alone.
    package static func isName(_ text: String) -> Bool {
        (1...longestName).contains(text.utf8.count)
            && text.utf8.allSatisfy { $0.isASCIILetterOrDigit || ".-_".utf8.contains($0) }
    }

    /// Reads a trusted comment: every field once, in this order, spelled as ``trustedComment(for:)`` does.
    ///
    /// - Throws: ``CatalogSignatureFailure`` `statement`.
    package init(_ comment: String, for kind: Kind, keyIdentifier: String) throws(CatalogSignatureFailure) {
        let words = comment.split(separator: " ", omittingEmptySubsequences: false)
        func value(_ index: Int, _ name: String) -> String? {
            words.indices.contains(index) && words[index].hasPrefix("\(name)=")
                ? String(words[index].dropFirst(name.count + 1)) : nil
        }
        guard words.count == 7, let app = value(2, "app"), let channel = value(3, "channel"),
            let version = value(4, "version").flatMap({ Int($0) }),
            let issued = value(5, "issued").flatMap(Date.init(inSeconds:)),
            let expires = value(6, "expires").flatMap(Date.init(inSeconds:))
        else {
            throw Self.failure("its trusted comment \(comment.quoted) is not of the form \(Self.form(of: kind))")
        }
        self.init(
            app: app, channel: channel, version: version, issued: issued, expires: expires,
            keyIdentifier: keyIdentifier)
        try check()
        guard trustedComment(for: kind).utf8.elementsEqual(comment.utf8) else {
            throw Self.failure("its trusted comment \(comment.quoted) is not of the form \(Self.form(of: kind))")
        }
    }

    /// What it says can be said.
    ///
    /// - Throws: ``CatalogSignatureFailure`` `statement`.
    package func check() throws(CatalogSignatureFailure) {
        for name in [app, channel] where !Self.isName(name) {
            throw Self.failure(
                "\(name.quoted) is no name: one has up to \(Self.longestName) letters, digits, points, hyphens and "
                    + "underscores")
        }
        guard version >= 0 else { throw Self.failure("a version is not negative") }
        guard issued < expires else {
            throw Self.failure("it expires on \(expires.inSeconds), and is issued on \(issued.inSeconds)")
        }
    }

    private static func failure(_ reason: String) -> CatalogSignatureFailure {
        CatalogSignatureFailure(code: .statement, reason: reason)
    }

    private static func form(of kind: Kind) -> String {
        "vitrine \(kind.rawValue) app=… channel=… version=… issued=YYYY-MM-DDThh:mm:ssZ expires=YYYY-MM-DDThh:mm:ssZ"
    }

    /// The trusted comment that says it.
    package func trustedComment(for kind: Kind) -> String {
        "vitrine \(kind.rawValue) app=\(app) channel=\(channel) version=\(version) issued=\(issued.inSeconds) "
            + "expires=\(expires.inSeconds)"
    }

    /// What the catalog itself says otherwise, once it has been read; `nil` where they agree. A catalog need not have a
    /// version or a date of expiry.
    public func disagreement(with catalog: Catalog) -> CatalogSignatureFailure? {
        if let other = catalog.version, other != version {
            return CatalogSignatureFailure(
                code: .content, reason: "the catalog is of version \(other), and signed as version \(version)")
        }
        if let other = catalog.expires, other != expires {
            return CatalogSignatureFailure(
                code: .content,
                reason: "the catalog expires on \(other.inSeconds), and is signed until \(expires.inSeconds)")
        }
        return nil
    }
}

extension Date {
    /// Reads a moment such as `2026-11-22T00:00:00Z`, from 1970 on. Read leniently, it has to be what it would be written
    /// as.
    package init?(inSeconds text: String) {
        guard text.utf8.count == 20, let date = try? Date(text, strategy: .iso8601), date.timeIntervalSince1970 >= 0,
            date.inSeconds.utf8.elementsEqual(text.utf8)
        else { return nil }
        self = date
    }

    /// The moment such as `2026-11-22T00:00:00Z`.
    package var inSeconds: String { formatted(.iso8601) }
}
