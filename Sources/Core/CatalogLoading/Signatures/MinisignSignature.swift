internal import Crypto
public import Foundation
internal import VitrineCatalog
public import VitrineSupport

/// A detached signature of a file in minisign's legacy format. It consists of an Ed25519 signature of the file, and an
/// Ed25519 signature of the first signature and the trusted comment.
///
/// The signature file has exactly four lines, each ended by a line feed, or each by a carriage return and a line feed:
/// <https://jedisct1.github.io/minisign/#signature-format>.
package struct MinisignSignature: Sendable, Hashable {
    /// Comment in the signature file that is not signed.
    package let untrustedComment: String
    /// Eight bytes that identify the signing key.
    let keyIdentifier: Data
    /// Signature of the file, 64 bytes.
    let signature: Data
    /// Comment in the signature file that is signed together with the file.
    package let trustedComment: String
    /// Signature of the file signature and the trusted comment, 64 bytes.
    let commentSignature: Data

    /// Default untrusted comment of minisign.
    static let usualComment = "signature from minisign secret key"
    static let untrustedMark = "untrusted comment: "
    private static let trustedMark = "trusted comment: "
    /// Algorithm identifier of Ed25519 at the start of a key and of a signature.
    static let algorithm = Data("Ed".utf8)
    private static let prehashedAlgorithm = Data("ED".utf8)

    init(key: MinisignPublicKey, signature: Data, trustedComment: String, commentSignature: Data) {
        untrustedComment = Self.usualComment
        keyIdentifier = key.identifier
        self.signature = signature
        self.trustedComment = trustedComment
        self.commentSignature = commentSignature
    }

    /// Parses a signature file strictly: there is exactly one valid sequence of bytes for a signature and its comments, up
    /// to the ends of lines and a byte order mark, which editors and Git change.
    ///
    /// - Throws: ``CatalogSignatureFailure`` `malformed`, or `prehashed` for minisign's prehashed format.
    package init(_ file: Data) throws(CatalogSignatureFailure) {
        func malformed(_ reason: String) -> CatalogSignatureFailure {
            CatalogSignatureFailure(code: .malformed, reason: reason)
        }
        let limit = SignedCatalogFiles.smallFileLimit
        guard file.count <= limit else {
            throw malformed("a signature may have at most \(limit) bytes, but this one has more")
        }
        let lines = file.linesOfKeyFile
        guard lines.count == 5, lines[4].isEmpty else {
            throw malformed("a signature must have four lines, each ended by a line feed")
        }
        guard let untrusted = Self.comment(lines[0], after: Self.untrustedMark) else {
            throw malformed("the first line of the signature is not an untrusted comment")
        }
        guard let bytes = CanonicalBase64.decode(lines[1]), bytes.count == 74 else {
            throw malformed("the second line of the signature is not 74 bytes in base64")
        }
        guard !bytes.starts(with: Self.prehashedAlgorithm) else {
            throw CatalogSignatureFailure(
                code: .prehashed,
                reason:
                    "the signature signs a hash of the file, minisign's prehashed form, which is not supported: sign "
                    + "it with minisign -S -l")
        }
        guard bytes.starts(with: Self.algorithm) else {
            throw malformed("the signature uses an unknown algorithm")
        }
        guard let trusted = Self.comment(lines[2], after: Self.trustedMark) else {
            throw malformed("the third line of the signature is not a trusted comment")
        }
        guard let commentSignature = CanonicalBase64.decode(lines[3]), commentSignature.count == 64 else {
            throw malformed("the fourth line of the signature is not 64 bytes in base64")
        }
        untrustedComment = untrusted
        keyIdentifier = Data(bytes[2..<10])
        signature = Data(bytes[10...])
        trustedComment = trusted
        self.commentSignature = commentSignature
    }

    /// Parses a signature file with minisign's default untrusted comment, so that no part of the file can be changed.
    ///
    /// - Throws: ``CatalogSignatureFailure``, like ``init(_:)``.
    init(unchanged file: Data) throws(CatalogSignatureFailure) {
        try self.init(file)
        guard untrustedComment.utf8.elementsEqual(Self.usualComment.utf8) else {
            throw CatalogSignatureFailure(
                code: .malformed,
                reason:
                    "the untrusted comment of the signature is not \(Self.usualComment.quoted), the default of minisign"
            )
        }
    }

    /// Returns the text that follows a mark, such as `trusted comment: `, in a comment line of a signature file.
    ///
    /// - Returns: `nil` if the line is not UTF-8, does not begin with `mark`, or contains control characters.
    private static func comment(_ line: Data, after mark: String) -> String? {
        guard line.starts(with: mark.utf8),
            let text = String(validUTF8: line.dropFirst(mark.utf8.count)),
            !text.unicodeScalars.contains(where: \.isControl)
        else { return nil }
        return text
    }

    /// Content of the signature file in minisign's format.
    package var file: Data {
        Data(
            """
            \(Self.untrustedMark)\(untrustedComment)
            \((Self.algorithm + keyIdentifier + signature).base64EncodedString())
            \(Self.trustedMark)\(trustedComment)
            \(commentSignature.base64EncodedString())

            """.utf8)
    }

    /// Identifier of the signing key in minisign's notation.
    package var keyIdentifierText: String { MinisignPublicKey.text(of: keyIdentifier) }

    /// Checks the signature of a file and the signature of the trusted comment.
    ///
    /// - Throws: ``CatalogSignatureFailure`` `unknownKey`, `signature` or `comment`.
    package func check(_ file: Data, by key: MinisignPublicKey) throws(CatalogSignatureFailure) {
        guard key.identifier == keyIdentifier else {
            throw CatalogSignatureFailure(
                code: .unknownKey,
                reason: "the signature is made with the key \(keyIdentifierText), not \(key.identifierText)")
        }
        guard let publicKey = try? Curve25519.Signing.PublicKey(rawRepresentation: key.key),
            publicKey.isValidSignature(signature, for: file)
        else {
            throw CatalogSignatureFailure(
                code: .signature, reason: "the signed file does not match its signature by the key \(keyIdentifierText)"
            )
        }
        guard publicKey.isValidSignature(commentSignature, for: signature + Data(trustedComment.utf8)) else {
            throw CatalogSignatureFailure(
                code: .comment,
                reason:
                    "the trusted comment of the signature does not match its signature by the key \(keyIdentifierText)")
        }
    }
}

/// A public key in minisign's format: an Ed25519 key with an identifier.
public struct MinisignPublicKey: Sendable, Hashable {
    /// Eight bytes that distinguish keys. They have no cryptographic meaning.
    public let identifier: Data
    /// The Ed25519 key, 32 bytes.
    public let key: Data

    init(identifier: Data, key: Data) {
        self.identifier = identifier
        self.key = key
    }

    /// Parses a key in minisign's format: the line that begins with `RW`, or the file of two lines that `minisign -G`
    /// creates.
    ///
    /// - Throws: ``CatalogSignatureFailure`` `malformed` for any other text.
    public init(_ text: String) throws(CatalogSignatureFailure) {
        var lines = Data(text.utf8).linesOfKeyFile
        if lines.count > 1, lines.last?.isEmpty == true { lines.removeLast() }
        if lines.count == 2, lines[0].starts(with: MinisignSignature.untrustedMark.utf8) { lines.removeFirst() }
        guard lines.count == 1, lines[0].count == Self.lineLength, let bytes = CanonicalBase64.decode(lines[0]),
            bytes.starts(with: MinisignSignature.algorithm)
        else {
            throw CatalogSignatureFailure(
                code: .malformed,
                reason: "the text is not a minisign public key, a line of 56 characters that begins with RW"
            )
        }
        identifier = Data(bytes[2..<10])
        key = Data(bytes[10...])
    }

    /// Number of Base64 characters for the 42 bytes of a key.
    private static let lineLength = 56

    /// The key as a line in minisign's format.
    public var line: String { (MinisignSignature.algorithm + identifier + key).base64EncodedString() }

    /// The key as a file of two lines, in the format of `minisign -G`.
    package var file: String {
        "\(MinisignSignature.untrustedMark)minisign public key \(identifierText)\n\(line)\n"
    }

    /// The identifier in minisign's notation: a hexadecimal number, with the first byte as the least significant one.
    public var identifierText: String { Self.text(of: identifier) }

    static func text(of identifier: Data) -> String {
        identifier.reversed().map { byte in
            let digits = String(byte, radix: 16, uppercase: true)
            return digits.count == 1 ? "0\(digits)" : digits
        }.joined()
    }
}

extension Data {
    /// Lines of a file with a key or a signature, without a byte order mark and, if all lines end with one, without
    /// carriage returns. The part after the last line feed is the last line.
    fileprivate var linesOfKeyFile: [Data] {
        let mark = Data([0xEF, 0xBB, 0xBF])
        let text = starts(with: mark) ? dropFirst(mark.count) : self
        let lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        let hasReturns = lines.count > 1 && lines.dropLast().allSatisfy { $0.last == UInt8(ascii: "\r") }
        return hasReturns ? lines.dropLast().map { $0.dropLast() } + lines.suffix(1) : lines
    }
}

/// Strict Base64 (RFC 4648, section 4): exactly one text is accepted for each byte sequence.
enum CanonicalBase64 {
    /// Decodes a Base64 text.
    ///
    /// - Returns: `nil` for a text that is not in canonical form.
    static func decode(_ text: some Collection<UInt8>) -> Data? {
        let text = Data(text)
        guard let bytes = Data(base64Encoded: text), bytes.base64EncodedData() == text else { return nil }
        return bytes
    }
}

/// A private Ed25519 key for signing catalogs, or for signing `keys.plist`.
package struct SigningKey: Sendable {
    private let key: Curve25519.Signing.PrivateKey

    /// Creates a random private key.
    package init() { key = Curve25519.Signing.PrivateKey() }

    /// Bytes of PKCS #8 before the 32 bytes of an Ed25519 key (RFC 5958, RFC 8410).
    private static let prefix = Data([
        0x30, 0x2E, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20,
    ])
    private static let header = "-----BEGIN PRIVATE KEY-----"
    private static let footer = "-----END PRIVATE KEY-----"

    /// Parses a key in PEM, in the format of ``pem`` and `openssl genpkey -algorithm ed25519`.
    ///
    /// - Throws: ``CatalogSignatureFailure`` `malformed`.
    package init(pem: String) throws(CatalogSignatureFailure) {
        let lines = Data(pem.utf8).linesOfKeyFile
        guard lines.count == 3 || lines.count == 4 && lines[3].isEmpty,
            lines[0].elementsEqual(Self.header.utf8), lines[2].elementsEqual(Self.footer.utf8),
            let der = CanonicalBase64.decode(lines[1]), der.starts(with: Self.prefix),
            let key = try? Curve25519.Signing.PrivateKey(rawRepresentation: der.dropFirst(Self.prefix.count))
        else {
            throw CatalogSignatureFailure(code: .malformed, reason: "the text is not an Ed25519 key in PEM (PKCS #8)")
        }
        self.key = key
    }

    /// The key in PEM, in the format of OpenSSL.
    package var pem: String {
        "\(Self.header)\n\((Self.prefix + key.rawRepresentation).base64EncodedString())\n\(Self.footer)\n"
    }

    /// The public key. Its identifier is the first 8 bytes of its SHA-256 digest.
    package var publicKey: MinisignPublicKey {
        let bytes = key.publicKey.rawRepresentation
        return MinisignPublicKey(identifier: Data(SHA256.hash(data: bytes).prefix(8)), key: bytes)
    }

    /// Signs a file and a trusted comment.
    ///
    /// - Throws: The error of swift-crypto.
    package func sign(_ file: Data, trustedComment: String) throws -> MinisignSignature {
        let signature = try key.signature(for: file)
        return MinisignSignature(
            key: publicKey, signature: signature, trustedComment: trustedComment,
            commentSignature: try key.signature(for: signature + Data(trustedComment.utf8)))
    }
}
