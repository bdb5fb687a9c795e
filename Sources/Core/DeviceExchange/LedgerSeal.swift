internal import Crypto
public import Foundation
package import VitrineEntitlements
public import VitrineSupport

/// Key with which an app seals exported ledgers, so that it can later recognize its own documents.
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
                code: .tooShort,
                reason: "the key of the seal has \(material.count) bytes, but must have at least \(Self.minimumLength)")
        }
        key = SymmetricKey(data: material)
    }

    package func seal(of entries: [LedgerEntry]) -> Data { seal(of: Self.canonicalForm(of: entries)) }

    package func seal(of data: Data) -> Data { Data(HMAC<SHA256>.authenticationCode(for: data, using: key)) }

    /// Returns `true` if a seal is valid for entries. The comparison takes constant time.
    package func isSeal(_ seal: Data, of entries: [LedgerEntry]) -> Bool {
        isSeal(seal, of: Self.canonicalForm(of: entries))
    }

    /// Returns `true` if a seal is valid for data. The comparison takes constant time.
    package func isSeal(_ seal: Data, of data: Data) -> Bool {
        HMAC<SHA256>.isValidAuthenticationCode(seal, authenticating: data, using: key)
    }

    /// Digest of the key. It distinguishes the documents of different customers.
    package var customer: String { seal(of: Data("vitrine customer".utf8)).prefix(8).hexadecimal }

    /// Returns the bytes that the seal covers, as `LedgerDocument` describes them.
    package static func canonicalForm(of entries: [LedgerEntry]) -> Data {
        var form = Data()
        form.append(netstring: "vitrine-ledger-seal 1")
        form.append(netstring: "\(entries.count)")
        for entry in entries {
            let fields = EntryFields(entry).named
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
    /// Values of an entry by the names of their JSON fields, in alphabetical order.
    var named: [(name: String, value: String)] {
        var (fields, values) = (self, NamedValues())
        fields.visitColumns(&values)
        return (values.all + [("sequence", "\(sequence ?? 0)")]).sorted { $0.name < $1.name }
    }
}

/// Visitor that collects an entry's values, which are the columns of the ledger.
private struct NamedValues: EntryColumnVisitor {
    private(set) var all: [(name: String, value: String)] = []

    mutating func visit(_ column: EntryColumn, _ text: inout String?) { add(column, text) }

    mutating func visit(_ column: EntryColumn, _ integer: inout Int64?) { add(column, integer) }

    mutating func visit(_ column: EntryColumn, _ flag: inout Bool?) { add(column, flag) }

    private mutating func add(_ column: EntryColumn, _ value: (some LosslessStringConvertible)?) {
        if let value { all.append((column.name, "\(value)")) }
    }
}

/// Error thrown when a key cannot be used to seal a ledger.
public typealias LedgerSealKeyError = CodedError<LedgerSealKeyErrorCode>

/// Category of ``LedgerSealKeyError``.
public enum LedgerSealKeyErrorCode: String, ErrorCode {
    /// The key material has fewer than ``LedgerSealKey/minimumLength`` bytes.
    case tooShort = "too-short"

    public var advice: String? {
        switch self {
        case .tooShort: "Use at least 32 random bytes as the key, and keep them secret."
        }
    }
}
