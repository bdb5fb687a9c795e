public import Entitlements
public import Foundation

/// A whole ledger as one JSON document.
///
/// An object with `format` (`vitrine-ledger`), `version` (1) and `entries`, in order: objects with `sequence`, `kind`,
/// `key` and `recordedAt`, and what the kind has. Dates are milliseconds since 1970.
public struct LedgerDocument: Sendable, Hashable, Encodable {
    public var entries: [LedgerEntry]

    public init(entries: [LedgerEntry]) { self.entries = entries }

    /// The size that a document may have, in bytes.
    public static let sizeLimit = 256 * 1024 * 1024

    private static let format = "vitrine-ledger"
    private static let version = 1

    private struct Envelope: Codable {
        let format: String
        let version: Int
        var entries: [EntryFields]?
    }

    /// The document's bytes.
    ///
    /// - Throws: `LedgerError` `tooLarge` where it would be larger than ``sizeLimit``: nobody could read it.
    public func json() throws -> Data { try json(limit: Self.sizeLimit) }

    func json(limit: Int) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let data = try encoder.encode(self)
        guard data.count <= limit else {
            throw LedgerError(
                code: .tooLarge,
                reason: "the document would have \(data.count) bytes, and none may have more than \(limit)")
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
    /// - Throws: ``LedgerImportError`` for what is no such document, or has an entry that this version cannot read.
    public init(json: Data) throws(LedgerImportError) {
        guard json.count <= Self.sizeLimit else {
            throw LedgerImportError(
                code: .malformed, reason: "it is larger than \(Self.sizeLimit / 1024 / 1024) MiB")
        }
        do {
            let envelope = try JSONDecoder().decode(Envelope.self, from: json)
            guard envelope.format == Self.format, envelope.version == Self.version, let fields = envelope.entries
            else {
                throw LedgerImportError(
                    code: .malformed, reason: "it is no ledger of format \(Self.format), version \(Self.version)")
            }
            entries = try fields.map { try $0.entry() }
        } catch let error as LedgerImportError {
            throw error
        } catch let error as LedgerError {
            throw LedgerImportError(code: .malformed, reason: error.reason)
        } catch {
            throw LedgerImportError(
                code: .malformed,
                reason: "it is no ledger in JSON, or something in it is no text or whole number where one must be")
        }
    }
}

/// Why nothing was imported.
public struct LedgerImportError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What kind of failure it is. More may be added.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        public let description: String

        private init(_ description: String) { self.description = description }

        /// It is no document that this version can read.
        public static let malformed = Code("malformed")
        /// Something in it was not signed by the store, or not like that.
        public static let notTrusted = Code("not-trusted")
        /// It cannot be true together with what this ledger has.
        public static let contradiction = Code("contradiction")
        /// The ledger cannot be written now.
        public static let storage = Code("storage")
    }

    public let code: Code
    /// What happened, as the rest of a sentence.
    public let reason: String

    public var description: String { reason }
}
