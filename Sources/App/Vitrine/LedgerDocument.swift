public import Foundation
public import VitrineDeviceExchange
public import VitrineEntitlements
internal import VitrineSupport

/// Whole ledger as one JSON document.
///
/// The document is an object with `format` (`vitrine-ledger`), `version` (1) and `entries`, in order. An entry is an
/// object with `sequence`, `kind`, `key` and `recordedAt`, and the fields of its kind. Dates are milliseconds since
/// 1970.
///
/// A sealed document also has `seal`: the HMAC-SHA256 of the entries in base64. It is computed over a sequence of
/// texts, each written as the length of its UTF-8 in decimal, a colon, and its UTF-8. The texts are
/// `vitrine-ledger-seal 1`, the number of entries, and for each entry the number of its fields and the name and value
/// of each field, by name in alphabetical order. Integers are written in decimal, Booleans as `true` or `false`. The
/// seal therefore depends on every value and on the order of the entries, and not on the layout of the JSON.
public struct LedgerDocument: Sendable, Hashable, Encodable {
    public var entries: [LedgerEntry]
    /// Seal of the entries in base64, as it was read or made; `nil` for a document without one. It is not verified
    /// before an import.
    public private(set) var seal: String?

    public init(entries: [LedgerEntry]) { self.entries = entries }

    /// Returns the document with a seal over all entries.
    public func sealed(with key: LedgerSealKey) -> LedgerDocument {
        var sealed = self
        sealed.seal = key.seal(of: entries).base64EncodedString()
        return sealed
    }

    /// Returns `true` if the document is sealed with a key.
    ///
    /// - Parameter key: Key of the app; `nil` to treat the document as one without a seal.
    /// - Throws: ``LedgerImportError`` if the seal does not match the key and the entries.
    func isSealed(with key: LedgerSealKey?) throws(LedgerImportError) -> Bool {
        guard let key, let seal else { return false }
        guard let data = Data(base64Encoded: seal), key.isSeal(data, of: entries) else {
            throw LedgerImportError(
                code: .notTrusted,
                reason: "the document's seal does not match: it was made with another key, or an entry was "
                    + "changed since")
        }
        return true
    }

    /// Maximum size of a document, in bytes.
    public static let sizeLimit = 256 * 1024 * 1024

    private static let format = "vitrine-ledger"
    private static let version = 1

    private struct Envelope: Codable {
        let format: String
        let version: Int
        var entries: [EntryFields]?
        var seal: String?
    }

    /// Returns the document as JSON.
    ///
    /// - Throws: `LedgerError` `tooLarge` if the document would exceed ``sizeLimit`` and could therefore not be read.
    public func json() throws -> Data { try json(limit: Self.sizeLimit) }

    func json(limit: Int) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let data = try encoder.encode(self)
        guard data.count <= limit else {
            throw LedgerError(
                code: .tooLarge,
                reason: "the document would have \(data.count) bytes, more than the limit of \(limit)")
        }
        return data
    }

    public func encode(to encoder: any Encoder) throws {
        try Envelope(
            format: Self.format, version: Self.version, entries: entries.map { EntryFields($0) }, seal: seal
        ).encode(to: encoder)
    }

    /// Reads a document.
    ///
    /// - Throws: ``LedgerImportError`` if the data is not an exported ledger, or has an entry that this version of
    ///   Vitrine cannot read.
    public init(json: Data) throws(LedgerImportError) {
        guard json.count <= Self.sizeLimit else {
            throw LedgerImportError(
                code: .malformed, reason: "the document is larger than \(Self.sizeLimit / 1024 / 1024) MiB")
        }
        do {
            let envelope = try JSONDecoder().decodeForeign(Envelope.self, from: json)
            guard envelope.format == Self.format, envelope.version == Self.version, let fields = envelope.entries
            else {
                throw LedgerImportError(
                    code: .malformed,
                    reason: "the document is not a ledger of format \(Self.format), version \(Self.version)")
            }
            guard fields.allSatisfy(\.hasPossibleDates) else {
                throw LedgerImportError(
                    code: .malformed, reason: "a date in the ledger is before 1970 or after the year 9999")
            }
            entries = try fields.map { try $0.entry() }
            seal = envelope.seal
        } catch let error as LedgerImportError {
            throw error
        } catch let error as LedgerError {
            throw LedgerImportError(code: .malformed, reason: error.reason)
        } catch {
            throw LedgerImportError(
                code: .malformed,
                reason: "the document is not a ledger in JSON, or a value in it is not a string or integer as required")
        }
    }
}

/// Error that explains why a document was not imported.
public typealias LedgerImportError = CodedError<LedgerImportErrorCode>

/// Category of ``LedgerImportError``.
public enum LedgerImportErrorCode: String, ErrorCode {
    /// The data is not an exported ledger, or this version of Vitrine cannot read it.
    case malformed
    /// An entry has no proof and neither the app nor a seal allows it, an entry differs from its signed data, or the
    /// seal does not match.
    case notTrusted = "not-trusted"
    /// An entry contradicts this ledger.
    case contradiction
    /// The ledger cannot be read or written now.
    case storage

    public var advice: String? {
        switch self {
        case .malformed:
            "Choose a file that was exported from a ledger, and update the app if a later version exported it."
        case .notTrusted:
            "Import the document as it was exported, sealed with the app's key, or restore the purchases from the store."
        case .contradiction: "Import the file into an empty ledger, or restore the purchases from the store instead."
        case .storage: "Free space on the device and check the permissions of the storage directory, then try again."
        }
    }
}
