public import Foundation
public import VitrineCatalog
public import VitrineSupport

/// Signed metadata of a catalog, contained in its signature file.
public struct CatalogStatement: Sendable, Hashable {
    public var app: String
    public var channel: String
    public var version: Int
    public var issued: Date
    public var expires: Date
    /// Identifier of the signing key, in minisign's notation.
    public var keyIdentifier: String
    /// Epoch, a series of versions, to which the version belongs. A root key starts a new epoch if versions have become
    /// too high.
    public var epoch: Int
    /// End of a catalog's validity: the earliest expiration date of its signed metadata, its signing key and
    /// `keys.plist`.
    public var goodUntil: Date

    /// Creates the signed metadata of a catalog.
    ///
    /// - Parameters:
    ///   - app: Bundle identifier of the app for which the catalog is signed.
    ///   - channel: Release channel, such as `production`, for which the catalog is signed.
    ///   - version: Version of the catalog. A newer catalog has a higher version.
    ///   - issued: Date of signing.
    ///   - expires: Expiration date.
    ///   - keyIdentifier: Identifier of the signing key, in minisign's notation.
    ///   - epoch: Epoch, a series of versions, to which the version belongs.
    ///   - goodUntil: End of validity; `nil` for the date `expires`.
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

    /// Type of a signed file: a catalog or `keys.plist`. A signature for one type is never valid for the other.
    package enum Kind: String, Sendable {
        case catalog, keys
    }

    /// Maximum length of the name of an app or a channel, in characters.
    static let longestName = 255

    /// Returns `true` for a valid name of an app or a channel: 1 to 255 ASCII letters, digits, periods, hyphens and
    /// underscores.
    package static func isName(_ text: String) -> Bool {
        (1...longestName).contains(text.utf8.count)
            && text.utf8.allSatisfy { $0.isASCIILetterOrDigit || ".-_".utf8.contains($0) }
    }

    /// Parses the trusted comment of a signature. Fields, their order and their notation must match
    /// ``trustedComment(for:)``.
    ///
    /// - Throws: ``CatalogSignatureFailure`` `statement`.
    package init(_ comment: String, for kind: Kind, keyIdentifier: String) throws(CatalogSignatureFailure) {
        let fields = comment.split(separator: " ", omittingEmptySubsequences: false)
        func value(_ index: Int, _ name: String) -> String? {
            fields.indices.contains(index) && fields[index].hasPrefix("\(name)=")
                ? String(fields[index].dropFirst(name.count + 1)) : nil
        }
        guard fields.count == 7, let app = value(2, "app"), let channel = value(3, "channel"),
            let version = value(4, "version").flatMap({ Int($0) }),
            let issued = value(5, "issued").flatMap(Date.init(inSeconds:)),
            let expires = value(6, "expires").flatMap(Date.init(inSeconds:))
        else {
            throw Self.failure("the trusted comment \(comment.quoted) does not have the form \(Self.form(of: kind))")
        }
        self.init(
            app: app, channel: channel, version: version, issued: issued, expires: expires,
            keyIdentifier: keyIdentifier)
        try check()
        guard trustedComment(for: kind).utf8.elementsEqual(comment.utf8) else {
            throw Self.failure("the trusted comment \(comment.quoted) does not have the form \(Self.form(of: kind))")
        }
    }

    /// Checks that the signed metadata of a catalog or of `keys.plist` is valid: the names of app and channel, the
    /// version, and the dates.
    ///
    /// - Throws: ``CatalogSignatureFailure`` `statement`.
    package func check() throws(CatalogSignatureFailure) {
        for name in [app, channel] where !Self.isName(name) {
            throw Self.failure(
                "\(name.quoted) is not a valid name of an app or a channel: it must have 1 to \(Self.longestName) "
                    + "letters, digits, periods, hyphens and underscores")
        }
        guard version >= 0 else { throw Self.failure("the version of a signed file must not be negative") }
        guard issued < expires else {
            throw Self.failure(
                "the signed file would expire on \(expires.inSeconds), but is issued on \(issued.inSeconds)")
        }
    }

    private static func failure(_ reason: String) -> CatalogSignatureFailure {
        CatalogSignatureFailure(code: .statement, reason: reason)
    }

    private static func form(of kind: Kind) -> String {
        "vitrine \(kind.rawValue) app=… channel=… version=… issued=YYYY-MM-DDThh:mm:ssZ expires=YYYY-MM-DDThh:mm:ssZ"
    }

    /// Returns the trusted comment of a signature, which contains the signed metadata of a catalog or of `keys.plist`.
    package func trustedComment(for kind: Kind) -> String {
        "vitrine \(kind.rawValue) app=\(app) channel=\(channel) version=\(version) issued=\(issued.inSeconds) "
            + "expires=\(expires.inSeconds)"
    }

    /// Returns the failure if a catalog contains another version or expiration date than this signed statement; `nil`
    /// if they agree. A catalog without a version or an expiration date is accepted.
    public func disagreement(with catalog: Catalog) -> CatalogSignatureFailure? {
        if let other = catalog.version, other != version {
            return CatalogSignatureFailure(
                code: .content, reason: "the catalog has version \(other), but is signed as version \(version)")
        }
        if let other = catalog.expires, other != expires {
            return CatalogSignatureFailure(
                code: .content,
                reason: "the catalog expires on \(other.inSeconds), but is signed until \(expires.inSeconds)")
        }
        return nil
    }
}
