public import Entitlements
public import Foundation

/// Whole ledger as one JSON document.
///
/// The document is an object with `format` (`vitrine-ledger`), `version` (1) and `entries`, in order. An entry is an
/// object with `sequence`, `kind`, `key` and `recordedAt`, and the fields of its kind. Dates are milliseconds since
/// 1970.
public struct LedgerDocument: Sendable, Hashable, Encodable {
    public var entries: [LedgerEntry]

    public init(entries: [LedgerEntry]) { self.entries = entries }

    /// Maximum size of a document, in bytes.
    public static let sizeLimit = 256 * 1024 * 1024

    private static let format = "vitrine-ledger"
    private static let version = 1

    private struct Envelope: Codable {
        let format: String
        let version: Int
        var entries: [EntryFields]?
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
        let fields = entries.map { entry in
            var fields = EntryFields(fact: entry.fact, recordedAt: entry.recordedAt)
            fields.sequence = entry.sequence
            return fields
        }
        try Envelope(format: Self.format, version: Self.version, entries: fields).encode(to: encoder)
    }

    /// Reads a document.
    ///
    /// - Throws: ``LedgerImportError`` if the data is not such a document, or has an entry that this version cannot
    ///   read.
    public init(json: Data) throws(LedgerImportError) {
        guard json.count <= Self.sizeLimit else {
            throw LedgerImportError(
                code: .malformed, reason: "the data is larger than \(Self.sizeLimit / 1024 / 1024) MiB")
        }
        do {
            let envelope = try JSONDecoder().decode(Envelope.self, from: json)
            guard envelope.format == Self.format, envelope.version == Self.version, let fields = envelope.entries
            else {
                throw LedgerImportError(
                    code: .malformed,
                    reason: "the data is not a ledger of format \(Self.format), version \(Self.version)")
            }
            entries = try fields.map { try $0.entry() }
        } catch let error as LedgerImportError {
            throw error
        } catch let error as LedgerError {
            throw LedgerImportError(code: .malformed, reason: error.reason)
        } catch {
            throw LedgerImportError(
                code: .malformed,
                reason: "the data is not a ledger in JSON, or a value in it is not a string or integer as required")
        }
    }
}

/// Error that explains why nothing was imported.
public typealias LedgerImportError = CodedError<LedgerImportErrorCode>

/// Category of ``LedgerImportError``.
public enum LedgerImportErrorCode: String, ErrorCode {
    /// Data that is not a document that this version can read.
    case malformed
    /// Entry that the store has not signed, or not in this form.
    case notTrusted = "not-trusted"
    /// Entry that contradicts this ledger.
    case contradiction
    /// Ledger that cannot be written now.
    case storage

    public var advice: String? {
        switch self {
        case .malformed:
            "Choose a file that was exported from a ledger, and update the app if a later version exported it."
        case .notTrusted: "Restore the purchases from the store instead."
        case .contradiction: "Import the file into an empty ledger, or restore the purchases from the store instead."
        case .storage: "Free space on the device and check the permissions of the folder, then try again."
        }
    }
}
