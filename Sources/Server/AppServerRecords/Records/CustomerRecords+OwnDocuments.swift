internal import Foundation
internal import VitrineDeviceExchange
internal import VitrineEntitlements
internal import VitrineSupport

/// Documents with the facts that the server itself has recorded for a customer. They are made when they are requested, each
/// from the facts of one range of numbers.
extension CustomerRecords {
    /// Number of entries in the range of a document.
    private static let entriesOfDocument: Int64 = 500

    /// Returns the names of all documents with facts of the server.
    func ownDocumentNames(of customer: KnownCustomer) async throws(CustomerError) -> [DocumentName] {
        let published = customer.facts.entries.filter(\.isPublishedByServer)
        var names: [DocumentName] = []
        for number in Set(published.map { ($0.sequence - 1) / Self.entriesOfDocument }) {
            if let known = knownDocuments.names(of: customer.id, number) {
                names += known
                continue
            }
            let found = try await ownDocuments(of: customer, number).map(\.name)
            // A further fact of the customer does not change a complete range.
            if (number + 1) * Self.entriesOfDocument <= customer.sequence {
                knownDocuments.remember(found, of: customer.id, number)
            }
            names += found
        }
        return names.sorted { ($0.device, $0.first) < ($1.device, $1.first) }
    }

    /// Returns the document with facts of the server that has a name; `nil` if there is none.
    func ownDocument(named text: String, of customer: KnownCustomer) async throws(CustomerError) -> Data? {
        guard let name = DocumentName(text), ServerDeviceIdentifier.contains(name.device),
            (name.first...name.first + Self.entriesOfDocument).contains(name.last), name.first <= customer.sequence
        else { return nil }
        return try await ownDocuments(of: customer, (name.first - 1) / Self.entriesOfDocument)
            .first { $0.name.text == text }?.content
    }

    /// Returns the documents with facts of the server in a range.
    private func ownDocuments(
        of customer: KnownCustomer, _ number: Int64
    ) async throws(CustomerError) -> [(name: DocumentName, content: Data)] {
        let first = number * Self.entriesOfDocument + 1
        let last = min(first + Self.entriesOfDocument - 1, customer.sequence)
        let entries = try await serverEntries(of: customer, from: first, to: last).filter(\.isPublishedByServer)
        do {
            let key = try LedgerSealKey(secrets.key(of: customer.id))
            return try Dictionary(grouping: entries) { $0.documentDevice(customer.id) }.sorted { $0.key < $1.key }
                .map { device, entries in
                    let document = DeviceDocument(
                        device: device, name: "server", first: first, last: last, entries: entries,
                        overdrafts: options.overdrafts)
                    let content = try document.data(sealedWith: key)
                    return (DocumentName(of: document, content), content)
                }
        } catch {
            throw CustomerError(code: .unavailable, reason: "a document of the server cannot be written")
        }
    }

    /// Returns the entries of a customer that are of the server, with their signed data. Those that devices have reported
    /// are not read, because a customer may have very many of them.
    private func serverEntries(
        of customer: KnownCustomer, from first: Int64, to last: Int64
    ) async throws(CustomerError) -> [LedgerEntry] {
        let rows = try await rows(
            """
            SELECT sequence, entry, signed FROM fact WHERE customer = $1 AND sequence BETWEEN $2 AND $3 \
            AND (\(ServerDeviceIdentifier.condition)) ORDER BY sequence
            """, .text(customer.id), .integer(first), .integer(last))
        var entries: [LedgerEntry] = []
        for row in rows { entries.append(try Self.entry(row)) }
        let expected = customer.facts.entries[Int(first - 1)..<Int(last)].filter(\.isOfServer)
        guard entries.map(\.sequence) == expected.map(\.sequence) else {
            throw CustomerError(code: .unavailable, reason: "the database lacks facts of a customer")
        }
        return entries
    }
}

/// Cache of the names of documents with facts of the server that do not change any more. Making a name takes as much as
/// making its document.
final class KnownDocuments: Sendable {
    private struct Key: Hashable {
        let customer: String
        let number: Int64
    }

    private let mostRanges: Int
    private let names = Locked<[Key: [DocumentName]]>([:])

    /// - Parameter mostRanges: Maximum number of ranges whose names are cached. A full cache is emptied.
    init(mostRanges: Int = 20_000) { self.mostRanges = mostRanges }

    func names(of customer: String, _ number: Int64) -> [DocumentName]? {
        names.withLock { $0[Key(customer: customer, number: number)] }
    }

    func remember(_ documents: [DocumentName], of customer: String, _ number: Int64) {
        names.withLock { names in
            if names.count >= mostRanges { names = [:] }
            names[Key(customer: customer, number: number)] = documents
        }
    }
}

extension ServerDeviceIdentifier {
    /// SQL condition that the column `device` is ``contains(_:)`` or empty, as ``LedgerEntry/isOfServer`` says it of an entry.
    fileprivate static var condition: String {
        let conditions =
            ["device IS NULL"] + names.map { "device = '\($0)'" }
            + prefixes.map { "substr(device, 1, \($0.utf8.count)) = '\($0)'" }
        return conditions.joined(separator: " OR ")
    }
}

extension LedgerEntry {
    /// `true` if the fact is of the server, and of a kind that devices exchange.
    fileprivate var isPublishedByServer: Bool { isOfServer && fact.isExchanged }

    /// Device identifier under which the server publishes the fact. A fact for an enrolled device has the identifier of
    /// that device, so that a lease and its debits belong together.
    fileprivate func documentDevice(_ customer: String) -> String {
        if let device, device.hasPrefix(ServerDeviceIdentifier.enrolled) {
            device
        } else {
            ServerDeviceIdentifier.publishing + customer
        }
    }
}
