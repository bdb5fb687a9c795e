internal import Crypto
package import Foundation
public import VitrineEntitlements
internal import VitrineSupport

/// Document with the facts that a device has recorded in a range of its ledger's sequence numbers. The other devices of
/// the customer read it.
///
/// A document has two lines of JSON: a header and a body. The header has `format` (`vitrine-device`), `version` (1)
/// and, in a sealed document, `customer` (a digest of the key) and `seal`: the HMAC-SHA256 of the body in Base64. The
/// body has `device`, `name`, `first`, `last` and `entries` with the same meaning as in a `LedgerDocument`, and
/// `removed`, `hasLeft`, `overdrafts` and `replaced`.
///
/// The name of a document is `device.first-last.digest.facts`, where the digest is the first 16 hexadecimal digits of
/// the document's SHA-256. Text after the digest is ignored, because a file service may append a remark to the name of
/// a second copy.
public struct DeviceDocument: Sendable, Hashable {
    /// Identifier of the device.
    public var device: String
    /// Name of the device, for display.
    public var name: String
    /// First sequence number that the document covers.
    public var first: Int64
    /// Last sequence number that the document covers; less than the first one for a document without entries.
    public var last: Int64
    /// Entries of facts that the device itself has recorded. The recording date of an entry is also its moment, the
    /// position in the common order of the devices.
    public var entries: [LedgerEntry]
    /// Identifiers of devices that this device has removed.
    public var removed: [String] = []
    /// `true` if the customer has signed out on the device.
    public var hasLeft = false
    /// Policy of the device for units that several devices together have spent beyond the balance.
    public var overdrafts = OverdraftPolicy.forgiven
    /// Digests of earlier documents of the device, as their names have them, whose entries this document contains, also
    /// of those that one of these documents has replaced.
    public var replaced: [String] = []

    package init(
        device: String, name: String, first: Int64, last: Int64, entries: [LedgerEntry], removed: [String] = [],
        hasLeft: Bool = false, overdrafts: OverdraftPolicy = .forgiven, replaced: [String] = []
    ) {
        self.device = device
        self.name = name
        self.first = first
        self.last = last
        self.entries = entries
        self.removed = removed
        self.hasLeft = hasLeft
        self.overdrafts = overdrafts
        self.replaced = replaced
    }

    /// Maximum size of a document, in bytes.
    public static let sizeLimit = 32 * 1024 * 1024
    /// Maximum number of entries of a document. A device with more entries writes several documents.
    static let mostEntries = 20_000
    /// Maximum number of documents that a document replaces.
    static let mostReplaced = 1_000
    /// Maximum number of values and containers in the JSON of a document. An entry has fewer than 40 of them.
    private static let mostValues = 40 * mostEntries
    /// Size in bytes up to which a device puts several entries into one document.
    static let publishedSize = 2 * 1024 * 1024

    /// Maximum length of a device name, and of the version of installed content, in bytes of UTF-8.
    static let longestName = 400

    private static let format = "vitrine-device"

    private struct Body: Codable {
        let device: String
        let name: String
        let first: Int64
        let last: Int64
        var entries: [EntryFields]
        var removed: [String]?
        var hasLeft: Bool?
        var overdrafts: String?
        var replaced: [String]?
    }

    /// Encodes the document, sealed with a key if there is one.
    package func data(sealedWith key: LedgerSealKey?) throws -> Data {
        try SealedBody.data(
            Body(
                device: device, name: name, first: first, last: last,
                entries: entries.map { entry in
                    var fields = EntryFields(fact: entry.fact, recordedAt: entry.moment)
                    fields.sequence = entry.sequence
                    return fields
                }, removed: removed.isEmpty ? nil : removed, hasLeft: hasLeft ? true : nil,
                overdrafts: overdrafts.rawValue, replaced: replaced.isEmpty ? nil : replaced),
            format: Self.format, key: key)
    }

    /// Parses a document.
    ///
    /// - Parameters:
    ///   - data: Bytes of the document.
    ///   - name: Name of the document, which must agree with its content.
    ///   - key: Key of the customer, with which the document must be sealed; `nil` if the devices have none.
    /// - Throws: ``DocumentError``.
    package static func read(
        _ data: Data, named name: DocumentName, key: LedgerSealKey?
    ) throws(DocumentError) -> DeviceDocument {
        guard data.count <= sizeLimit else { throw .refused("it is larger than \(sizeLimit / 1024 / 1024) MiB") }
        guard DocumentName.digest(of: data) == name.digest else {
            throw .incomplete("it is not complete, or was changed: its digest is not that of its name")
        }
        return try document(SealedBody.open(data, format: format, key: key), named: name)
    }

    private static func document(_ data: Data, named name: DocumentName) throws(DocumentError) -> DeviceDocument {
        // Values take most of the memory of parsing, also those of unknown keys. The number of brackets, braces and
        // commas, including those in texts, bounds it.
        let values = data.count { [UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: ",")].contains($0) }
        guard values <= mostValues else { throw .refused("it has more than \(mostEntries) entries") }
        guard let body = try? JSONDecoder().decodeForeign(Body.self, from: data) else {
            throw .refused("its body is not JSON, or a value in it is not a string or integer as required")
        }
        guard body.device == name.device, body.first == name.first, body.last == name.last else {
            throw .refused("its name is not that of its content")
        }
        guard body.entries.count <= mostEntries, body.removed?.count ?? 0 <= mostEntries,
            body.name.utf8.count <= longestName
        else { throw .refused("it has more than \(mostEntries) entries, or a name that is too long") }
        guard body.replaced?.count ?? 0 <= mostReplaced, body.replaced?.allSatisfy(DocumentName.isDigest) != false
        else {
            throw .refused("it replaces more than \(mostReplaced) documents, or one whose digest is none")
        }
        guard body.entries.allSatisfy(\.hasPossibleDates) else {
            throw .refused("a date in it is before 1970 or after the year 9999")
        }
        var document = DeviceDocument(
            device: body.device, name: body.name, first: body.first, last: body.last, entries: [],
            removed: body.removed ?? [], hasLeft: body.hasLeft ?? false,
            overdrafts: body.overdrafts.flatMap(OverdraftPolicy.init) ?? .forgiven, replaced: body.replaced ?? [])
        var next = body.first
        for var fields in body.entries {
            fields.device = document.device
            guard let sequence = fields.sequence, (next...max(next, body.last)).contains(sequence) else {
                throw .refused("the numbers of its entries do not increase from \(body.first) to \(body.last)")
            }
            next = sequence + 1
            do throws(LedgerError) {
                document.entries.append(try fields.entry())
            } catch {
                throw .incomplete("a later version of Vitrine has recorded entry \(sequence)")
            }
        }
        return document
    }
}

/// Parsed name of a document.
package struct DocumentName: Sendable, Hashable {
    package let device: String
    package let first: Int64
    package let last: Int64
    package let digest: String

    package init(of document: DeviceDocument, _ data: Data) {
        (device, first, last) = (document.device, document.first, document.last)
        digest = Self.digest(of: data)
    }

    /// Parses the name of a document. The result is `nil` for the name of another file.
    package init?(_ text: String) {
        let parts = text.split(separator: ".", maxSplits: 2, omittingEmptySubsequences: false)
        guard text.utf8.count <= 255, parts.count == 3, Self.isIdentifier(parts[0]) else { return nil }
        let numbers = parts[1].split(separator: "-", omittingEmptySubsequences: false)
        let digest = parts[2].utf8.prefix(16)
        let digestText = String(decoding: digest, as: UTF8.self)
        guard numbers.count == 2, let first = Self.number(numbers[0]), let last = Self.number(numbers[1]), first > 0,
            last >= first - 1, Self.isDigest(digestText)
        else { return nil }
        (device, self.first, self.last) = (String(parts[0]), first, last)
        self.digest = digestText
    }

    static func isDigest(_ text: String) -> Bool {
        text.utf8.count == 16 && text.utf8.allSatisfy(hexadecimalDigits.contains)
    }

    package var text: String { "\(device).\(first)-\(last).\(digest).facts" }

    /// `true` for a document of the app's server. The server publishes under device identifiers of its own: one for its
    /// own facts, and one for each enrolled device, with the facts that the server has recorded for that device.
    var isOfServer: Bool { ServerDeviceIdentifier.contains(device) }

    /// Returns `true` if a text is a valid device identifier.
    static func isIdentifier(_ text: some StringProtocol) -> Bool {
        (8...64).contains(text.utf8.count) && text.utf8.allSatisfy(identifierCharacters.contains)
    }

    /// Parses a number without a sign.
    private static func number(_ text: Substring) -> Int64? {
        text.utf8.count <= 18 && text.utf8.allSatisfy(digits.contains) ? Int64(text) : nil
    }

    private static let digits = Set("0123456789".utf8)
    private static let hexadecimalDigits = digits.union("abcdef".utf8)
    private static let identifierCharacters = digits.union("abcdefghijklmnopqrstuvwxyz-".utf8)

    package static func digest(of data: Data) -> String {
        SHA256.hash(data: data).prefix(8).hexadecimal
    }
}
