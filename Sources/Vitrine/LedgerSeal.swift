internal import Crypto
internal import Entitlements
public import Foundation

/// Key with which an app seals the ledgers that it exports, so that it can later recognize its own documents.
///
/// A document that is sealed with the key can contain anything: entries without a proof are imported because of its
/// seal. The key therefore belongs to the app's own server or to its support, not to a device of a customer.
public struct LedgerSealKey: Sendable {
    /// Minimum length of the key material, in bytes.
    public static let minimumLength = 32

    private let key: SymmetricKey

    /// Creates a key from random bytes.
    ///
    /// - Throws: ``LedgerSealKeyError`` if there are fewer than ``minimumLength`` bytes.
    public init(_ material: Data) throws(LedgerSealKeyError) {
        guard material.count >= Self.minimumLength else {
            throw LedgerSealKeyError(
                code: .tooShort, reason: "the key has \(material.count) bytes, fewer than \(Self.minimumLength)")
        }
        key = SymmetricKey(data: material)
    }

    func seal(of entries: [LedgerEntry]) -> Data {
        Data(HMAC<SHA256>.authenticationCode(for: Self.canonicalForm(of: entries), using: key))
    }

    /// Compares a seal with that of entries, in a time that does not depend on where they differ.
    func isSeal(_ seal: Data, of entries: [LedgerEntry]) -> Bool {
        HMAC<SHA256>.isValidAuthenticationCode(seal, authenticating: Self.canonicalForm(of: entries), using: key)
    }

    /// Returns the bytes that the seal covers, as ``LedgerDocument`` describes them.
    static func canonicalForm(of entries: [LedgerEntry]) -> Data {
        var form = Data()
        form.append(netstring: "vitrine-ledger-seal 1")
        form.append(netstring: "\(entries.count)")
        for entry in entries {
            let fields = EntryFields(entry).named.compactMap { name, value in value.map { (name, "\($0)") } }
            form.append(netstring: "\(fields.count)")
            for (name, value) in fields {
                form.append(netstring: name)
                form.append(netstring: value)
            }
        }
        return form
    }
}

extension Data {
    fileprivate mutating func append(netstring text: String) {
        append(contentsOf: "\(text.utf8.count):".utf8)
        append(contentsOf: text.utf8)
    }
}

extension EntryFields {
    init(_ entry: LedgerEntry) {
        self.init(fact: entry.fact, recordedAt: entry.recordedAt)
        sequence = entry.sequence
    }

    /// Fields by their names in JSON, in alphabetical order. A field that is missing here would not be sealed.
    var named: [(name: String, value: (any LosslessStringConvertible)?)] {
        [
            ("accountToken", accountToken), ("amount", amount), ("author", author), ("contentDigest", contentDigest),
            ("contentPath", contentPath), ("contentVersion", contentVersion), ("contents", contents),
            ("environment", environment), ("expirationDate", expirationDate),
            ("gracePeriodExpirationDate", gracePeriodExpirationDate), ("isFamilyShared", isFamilyShared),
            ("isUpgraded", isUpgraded), ("key", key), ("kind", kind),
            ("originalTransactionID", originalTransactionID), ("originalVersion", originalVersion),
            ("platform", platform), ("productIdentifier", productIdentifier), ("productKind", productKind),
            ("purchaseDate", purchaseDate), ("purchaseID", purchaseID), ("quantity", quantity), ("reason", reason),
            ("receiptDigest", receiptDigest), ("recordedAt", recordedAt), ("refundPolicy", refundPolicy),
            ("revocationDate", revocationDate), ("sequence", sequence), ("signedData", signedData),
            ("signedDate", signedDate), ("transactionID", transactionID), ("wallet", wallet),
        ]
    }
}

/// Error that explains why a key cannot seal a ledger.
public typealias LedgerSealKeyError = CodedError<LedgerSealKeyErrorCode>

/// Category of ``LedgerSealKeyError``.
public enum LedgerSealKeyErrorCode: String, ErrorCode {
    /// Key material with fewer than ``LedgerSealKey/minimumLength`` bytes.
    case tooShort = "too-short"

    public var advice: String? {
        switch self {
        case .tooShort: "Use at least 32 random bytes as the key, and keep them secret."
        }
    }
}
