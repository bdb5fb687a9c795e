internal import Crypto
package import Foundation
internal import ProductCatalog

/// A detached signature of a file in minisign's legacy form: Ed25519 over the bytes of the file themselves, and over the
/// signature with the trusted comment.
///
/// The file has four lines, each ended by a line feed, and nothing else:
/// <https://jedisct1.github.io/minisign/#signature-format>.
package struct MinisignSignature: Sendable, Hashable {
    /// What anyone can change.
    package let untrustedComment: String
    /// The eight bytes that name the key.
    let keyIdentifier: Data
    /// Of the file, 64 bytes.
    let signature: Data
    /// What is signed beside the file.
    package let trustedComment: String
    /// Of the signature and the trusted comment, 64 bytes.
    let commentSignature: Data

    /// The untrusted comment that minisign writes unless it is told another.
    static let usualComment = "signature from minisign secret key"
    static let untrustedMark = "untrusted comment: "
    private static let trustedMark = "trusted comment: "
    /// What a key and a signature begin with.
    static let algorithm = Data("Ed".utf8)
    private static let prehashedAlgorithm = Data("ED".utf8)

    init(key: MinisignPublicKey, signature: Data, trustedComment: String, commentSignature: Data) {
        untrustedComment = Self.usualComment
        keyIdentifier = key.identifier
        self.signature = signature
        self.trustedComment = trustedComment
        self.commentSignature = commentSignature
    }

    /// Reads a signature strictly: no two files with the same comments mean the same signature.
    ///
    /// - Throws: ``CatalogSignatureFailure`` `malformed`, or `prehashed` for minisign's other form.
    package init(_ file: Data) throws(CatalogSignatureFailure) {
        func malformed(_ reason: String) -> CatalogSignatureFailure {
            CatalogSignatureFailure(code: .malformed, reason: reason)
        }
        let limit = SignedCatalogFiles.smallFileLimit
        guard file.count <= limit else {
            throw malformed("a signature has no more than \(limit) bytes, and this has more")
        }
        let lines = file.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        guard lines.count == 5, lines[4].isEmpty else {
            throw malformed("a signature has four lines, and this has not")
        }
        guard let untrusted = Self.comment(lines[0], after: Self.untrustedMark) else {
            throw malformed("its first line is no untrusted comment")
        }
        guard let bytes = CanonicalBase64.decode(lines[1]), bytes.count == 74 else {
            throw malformed("its second line is not 74 bytes in base64")
        }
        guard !bytes.starts(with: Self.prehashedAlgorithm) else {
            throw CatalogSignatureFailure(
                code: .prehashed,
                reason: "it signs a hash of the file, minisign's prehashed form, which is not read: sign it with "
                    + "minisign -S -l")
        }
        guard bytes.starts(with: Self.algorithm) else {
            throw malformed("it is signed by an algorithm that is not known")
        }
        guard let trusted = Self.comment(lines[2], after: Self.trustedMark) else {
            throw malformed("its third line is no trusted comment")
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

    /// Reads a signature in which nothing can be changed: its untrusted comment is the one that minisign writes by itself.
    ///
    /// - Throws: ``CatalogSignatureFailure``, as ``init(_:)`` does.
    init(unchanged file: Data) throws(CatalogSignatureFailure) {
        try self.init(file)
        guard untrustedComment.utf8.elementsEqual(Self.usualComment.utf8) else {
            throw CatalogSignatureFailure(
                code: .malformed,
                reason: "its untrusted comment is not \(Self.usualComment.quoted), which minisign writes unless it is "
                    + "told another")
        }
    }

    /// - Returns: `nil` for what is no text, or has characters that control a terminal.
    private static func comment(_ line: Data, after mark: String) -> String? {
        guard line.starts(with: mark.utf8),
            let text = String(validating: line.dropFirst(mark.utf8.count), as: UTF8.self),
            !text.unicodeScalars.contains(where: \.isControl)
        else { return nil }
        return text
    }

    /// The file as minisign writes it.
    package var file: Data {
        Data(
            """
            \(Self.untrustedMark)\(untrustedComment)
            \((Self.algorithm + keyIdentifier + signature).base64EncodedString())
            \(Self.trustedMark)\(trustedComment)
            \(commentSignature.base64EncodedString())

            """.utf8)
    }

    /// The key's identifier, as minisign writes it.
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
                code: .signature, reason: "it is not what the key \(keyIdentifierText) has signed")
        }
        guard publicKey.isValidSignature(commentSignature, for: signature + Data(trustedComment.utf8)) else {
            throw CatalogSignatureFailure(
                code: .comment, reason: "its trusted comment is not what the key \(keyIdentifierText) has signed")
        }
    }
}
