internal import Crypto
package import Foundation
internal import ProductCatalog

/// A detached signature of a file in minisign's legacy format: an Ed25519 signature of the bytes of the file, and
/// another one of that signature and the trusted comment.
///
/// The signature file has exactly four lines, each ended by a line feed:
/// <https://jedisct1.github.io/minisign/#signature-format>.
package struct MinisignSignature: Sendable, Hashable {
    /// Comment that is not signed.
    package let untrustedComment: String
    /// Eight bytes that identify the key.
    let keyIdentifier: Data
    /// Signature of the file, 64 bytes.
    let signature: Data
    /// Comment that is signed together with the file.
    package let trustedComment: String
    /// Signature of the file signature and the trusted comment, 64 bytes.
    let commentSignature: Data

    /// Default untrusted comment of minisign.
    static let usualComment = "signature from minisign secret key"
    static let untrustedMark = "untrusted comment: "
    private static let trustedMark = "trusted comment: "
    /// Algorithm identifier at the start of a key and of a signature.
    static let algorithm = Data("Ed".utf8)
    private static let prehashedAlgorithm = Data("ED".utf8)

    init(key: MinisignPublicKey, signature: Data, trustedComment: String, commentSignature: Data) {
        untrustedComment = Self.usualComment
        keyIdentifier = key.identifier
        self.signature = signature
        self.trustedComment = trustedComment
        self.commentSignature = commentSignature
    }

    /// Parses a signature file strictly: a signature with its comments has exactly one valid file.
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
        let lines = file.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        guard lines.count == 5, lines[4].isEmpty else {
            throw malformed("a signature must have four lines, each ended by a line feed")
        }
        guard let untrusted = Self.comment(lines[0], after: Self.untrustedMark) else {
            throw malformed("its first line is not an untrusted comment")
        }
        guard let bytes = CanonicalBase64.decode(lines[1]), bytes.count == 74 else {
            throw malformed("its second line is not 74 bytes in base64")
        }
        guard !bytes.starts(with: Self.prehashedAlgorithm) else {
            throw CatalogSignatureFailure(
                code: .prehashed,
                reason: "it signs a hash of the file, minisign's prehashed form, which is not supported: sign it "
                    + "with minisign -S -l")
        }
        guard bytes.starts(with: Self.algorithm) else {
            throw malformed("it uses an unknown signature algorithm")
        }
        guard let trusted = Self.comment(lines[2], after: Self.trustedMark) else {
            throw malformed("its third line is not a trusted comment")
        }
        guard let commentSignature = CanonicalBase64.decode(lines[3]), commentSignature.count == 64 else {
            throw malformed("its fourth line is not 64 bytes in base64")
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
                reason: "its untrusted comment is not \(Self.usualComment.quoted), the default of minisign")
        }
    }

    /// - Returns: `nil` if the line is not UTF-8, does not begin with `mark`, or contains control characters.
    private static func comment(_ line: Data, after mark: String) -> String? {
        guard line.starts(with: mark.utf8),
            let text = String(validating: line.dropFirst(mark.utf8.count), as: UTF8.self),
            !text.unicodeScalars.contains(where: \.isControl)
        else { return nil }
        return text
    }

    /// The signature file in minisign's format.
    package var file: Data {
        Data(
            """
            \(Self.untrustedMark)\(untrustedComment)
            \((Self.algorithm + keyIdentifier + signature).base64EncodedString())
            \(Self.trustedMark)\(trustedComment)
            \(commentSignature.base64EncodedString())

            """.utf8)
    }

    /// Identifier of the key in minisign's notation.
    package var keyIdentifierText: String { MinisignPublicKey.text(of: keyIdentifier) }

    /// Checks both signatures.
    ///
    /// - Throws: ``CatalogSignatureFailure`` `unknownKey`, `signature` or `comment`.
    package func check(_ file: Data, by key: MinisignPublicKey) throws(CatalogSignatureFailure) {
        guard key.identifier == keyIdentifier else {
            throw CatalogSignatureFailure(
                code: .unknownKey, reason: "it is made with the key \(keyIdentifierText), not \(key.identifierText)")
        }
        guard let publicKey = try? Curve25519.Signing.PublicKey(rawRepresentation: key.key),
            publicKey.isValidSignature(signature, for: file)
        else {
            throw CatalogSignatureFailure(
                code: .signature, reason: "it does not match its signature by the key \(keyIdentifierText)")
        }
        guard publicKey.isValidSignature(commentSignature, for: signature + Data(trustedComment.utf8)) else {
            throw CatalogSignatureFailure(
                code: .comment,
                reason: "its trusted comment does not match its signature by the key \(keyIdentifierText)")
        }
    }
}
