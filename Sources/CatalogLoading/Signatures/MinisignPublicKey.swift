public import Foundation
internal import ProductCatalog

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
        var lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        if lines.count > 1, lines.last?.isEmpty == true { lines.removeLast() }
        if lines.count == 2, lines[0].starts(with: MinisignSignature.untrustedMark.utf8) { lines.removeFirst() }
        guard lines.count == 1, lines[0].count == Self.lineLength, let bytes = CanonicalBase64.decode(lines[0]),
            bytes.starts(with: MinisignSignature.algorithm)
        else {
            throw CatalogSignatureFailure(
                code: .malformed, reason: "it is not a minisign public key, a line of 56 characters that begins with RW"
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

/// Strict Base64 (RFC 4648, section 4): exactly one text is accepted for each byte sequence.
enum CanonicalBase64 {
    /// - Returns: `nil` for a text that is not in canonical form.
    static func decode(_ text: some Collection<UInt8>) -> Data? {
        let text = Data(text)
        guard let bytes = Data(base64Encoded: text), bytes.base64EncodedData() == text else { return nil }
        return bytes
    }
}
