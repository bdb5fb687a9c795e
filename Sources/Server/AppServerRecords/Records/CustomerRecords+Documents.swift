package import Foundation
internal import VitrineAppServerAPI
internal import VitrineCatalog
internal import VitrineDeviceExchange
internal import VitrineEntitlements
internal import VitrineReceipts
internal import VitrineSupport

/// Documents that the devices of a customer exchange through the server. The server acts as one more device: it
/// publishes its own facts, and records those facts from other devices' documents that it can verify.
extension CustomerRecords {
    /// Maximum size of a document from a device in bytes.
    package static let documentLimit = AppServerAPI.storeDocument.bodyLimit
    /// Maximum number of stored documents per customer.
    private static let mostDocuments = 10_000
    /// Maximum size of all stored documents of a customer together, in bytes.
    private static let mostDocumentBytes = 64 * 1024 * 1024
    /// Maximum number of names under which a device has published documents that the server remembers.
    private static let mostNames = 100
    /// Maximum duration of a device's exclusive lock, in seconds.
    private static let exchangeLockTime: TimeInterval = 60

    /// Returns the names of the documents of a device's customer, including the server's own documents.
    package func documentNames(of device: EnrolledDevice) async throws(CustomerError) -> [String] {
        let customer = try await resolveMerged(of: device.customer)
        let rows = try await rows("SELECT name FROM document WHERE customer = $1 ORDER BY name", .text(customer.id))
        return rows.compactMap { $0.first?.text }
            + (try await ownDocumentNames(of: customer).map(\.text))
    }

    /// Returns a document of a device's customer.
    ///
    /// - Throws: ``CustomerError`` `notFound` if there is none.
    package func document(
        named name: String, of device: EnrolledDevice
    ) async throws(CustomerError) -> Data {
        let customer = try await resolveMerged(of: device.customer)
        let rows = try await rows(
            "SELECT content FROM document WHERE customer = $1 AND name = $2", .text(customer.id), .text(name))
        if let content = rows.first?.first?.bytes { return content }
        guard let content = try await ownDocument(named: name, of: customer) else {
            throw CustomerError(code: .notFound, reason: "there is no such document")
        }
        return content
    }

    /// Stores a document of a device, and records its verified transactions, debits and leases. Other facts add
    /// something without proof, and are only passed on to the customer's other devices. Documents of the device that this one
    /// replaces are removed.
    ///
    /// - Parameter decision: Identifier of the exclusive lock under which the document is stored; `nil` without a lock.
    /// - Throws: ``CustomerError``: `rejected` for a document that is incomplete or not sealed with the customer's key,
    ///   or states what ``DocumentBounds`` does not permit, `tooLarge` if the customer's documents take too much space or
    ///   have added too many facts, `conflict` if the lock has ended. After an error, the document is not stored and none
    ///   of its debits and leases is recorded.
    package func store(
        _ document: Data, named name: String, from device: EnrolledDevice, lock: String?
    ) async throws(CustomerError) {
        let customer = try await resolveMerged(of: device.customer)
        let read = try Self.read(document, named: name, key: secrets.key(of: customer.id))
        guard !ServerDeviceIdentifier.contains(read.device) else {
            throw CustomerError(code: .rejected, reason: "the document is named like one of the server")
        }
        await removeUnneededDocuments()
        let (stored, digests) = (try await storedDocuments(of: customer.id), Set(read.replaced))
        let replaced = stored.filter { document in
            document.name.device == read.device && digests.contains(document.name.digest) && document.name.text != name
        }
        let bytes = stored.reduce(0) { $0 + $1.size } - replaced.reduce(0) { $0 + $1.size }
        guard stored.count - replaced.count < Self.mostDocuments, bytes <= Self.mostDocumentBytes - document.count
        else {
            throw CustomerError(code: .tooLarge, reason: "the customer's documents take as much as the server keeps")
        }
        if let lock { try await check(lock, of: customer.id) }
        let app = try app(device.app)
        for entry in read.entries { try await accept(entry, from: device, app) }
        let (policy, date, catalog, most) = (
            options.overdrafts, now, catalog(of: app.name), options.mostDocumentFacts
        )
        _ = try await change(customer.id, isForced: true, holding: lock) { condition, _ in
            [
                SQLStatement(
                    """
                    INSERT INTO document (customer, name, received, content) SELECT id, $1, $2, $3 \
                    \(condition.clause(after: 3)) ON CONFLICT (customer, name) DO NOTHING
                    """,
                    values: [.text(name), .integer(date.milliseconds), .bytes(document)] + condition.values),
                SQLStatement(
                    """
                    INSERT INTO published_name (device, name) SELECT $1, $2 \(condition.clause(after: 2)) \
                    AND (SELECT count(*) FROM published_name WHERE device = $1) < \(Self.mostNames) \
                    ON CONFLICT (device, name) DO NOTHING
                    """, values: [.text(device.id), .text(read.device)] + condition.values),
            ]
                + replaced.map { document in
                    SQLStatement(
                        """
                        DELETE FROM document WHERE name = $1 AND customer IN (SELECT id \(condition.clause(after: 1)))
                        """, values: [.text(document.name.text)] + condition.values)
                }
        } _: { rules in
            let facts = try DocumentBounds(rules.recorded, catalog, at: date).facts(of: read)
            _ = try rules.merge(facts, adjusting: [], overdrafts: policy, at: date)
            try DocumentBounds.check(rules, most: most)
        }
    }

    private struct StoredDocument {
        let name: DocumentName
        /// Size in bytes.
        let size: Int
    }

    private func storedDocuments(of customer: String) async throws(CustomerError) -> [StoredDocument] {
        try await rows("SELECT name, length(content) FROM document WHERE customer = $1", .text(customer))
            .compactMap { row in
                guard row.count == 2, let name = row[0].text.flatMap(DocumentName.init), let size = row[1].integer
                else {
                    return nil
                }
                return StoredDocument(name: name, size: Int(size))
            }
    }

    private static func read(
        _ data: Data, named name: String, key: Data
    ) throws(CustomerError) -> DeviceDocument {
        guard data.count <= documentLimit else {
            throw CustomerError(code: .tooLarge, reason: "the document is too large")
        }
        guard let documentName = DocumentName(name), documentName.text == name else {
            throw CustomerError(code: .invalid, reason: "the name is not that of a document")
        }
        do {
            return try DeviceDocument.read(data, named: documentName, key: try LedgerSealKey(key))
        } catch let error as DocumentError {
            throw CustomerError(code: .rejected, reason: error.reason)
        } catch {
            throw CustomerError(code: .rejected, reason: "the document cannot be read")
        }
    }

    /// Returns the names under which devices of a customer have published documents. A name that several devices have used,
    /// such as a device and a copy of it, belongs to none of them.
    func publishedNames(of devices: Set<String>, customer: String) async throws(CustomerError) -> Set<String> {
        let rows = try await rows(
            """
            SELECT published_name.device, published_name.name FROM published_name \
            JOIN device ON device.id = published_name.device WHERE device.customer = $1
            """, .text(customer))
        var (own, others): (Set<String>, Set<String>) = ([], [])
        for row in rows where row.count == 2 {
            guard let device = row[0].text, let name = row[1].text else { continue }
            if devices.contains(device) { own.insert(name) } else { others.insert(name) }
        }
        return own.subtracting(others)
    }

    /// Verifies the signed transaction of a device's entry, and records it.
    private func accept(_ entry: LedgerEntry, from device: EnrolledDevice, _ app: ServedApp) async throws(CustomerError)
    {
        guard [.purchase, .revocation, .reinstatement, .term].contains(entry.fact.kind),
            let text = entry.fact.origin?.signedData, !text.isEmpty,
            case .verified(let signed) = await app.verifier.verify(transaction: text)
        else { return }
        let owner = try await owner(of: signed.payload, sentBy: device, boundTo: nil)
        _ = try await record(signed, nil, of: owner.owner, app: app.name)
    }

    // MARK: Decisions

    /// Acquires an exclusive lock for a device, for example to record a lease. No other device of the customer can have
    /// the lock at the same time.
    ///
    /// - Returns: The identifier of the lock.
    /// - Throws: ``CustomerError`` `conflict` while another device has the lock.
    package func acquireExchangeLock(of device: EnrolledDevice) async throws(CustomerError) -> String {
        let customer = try await resolveMerged(of: device.customer).id
        let id = makeIdentifier()
        let changes = try await write(
            """
            INSERT INTO exchange_lock (customer, holder, until) VALUES ($1, $2, $3) ON CONFLICT (customer) DO UPDATE \
            SET holder = excluded.holder, until = excluded.until WHERE exchange_lock.until <= $4
            """, .text(customer), .text(id), .integer((now + Self.exchangeLockTime).milliseconds),
            .integer(now.milliseconds))
        guard changes == 1 else {
            throw CustomerError(code: .conflict, reason: "another device of the customer holds the exchange lock")
        }
        return id
    }

    /// Releases the exclusive lock of a device.
    package func releaseExchangeLock(_ id: String, of device: EnrolledDevice) async throws(CustomerError) {
        _ = try await write("DELETE FROM exchange_lock WHERE holder = $1", .text(id))
    }

    /// Returns an SQL condition that an exclusive lock has not ended. Its values are the identifiers of the customer and of
    /// the lock, and the present date.
    ///
    /// - Parameter count: Number of values before these three.
    static func holdsLock(after count: Int) -> String {
        """
        EXISTS (SELECT 1 FROM exchange_lock WHERE customer = $\(count + 1) AND holder = $\(count + 2) \
        AND until > $\(count + 3))
        """
    }

    /// - Throws: ``CustomerError`` `conflict` if a customer's exclusive lock has ended.
    func check(_ lock: String, of customer: String) async throws(CustomerError) {
        let rows = try await rows(
            "SELECT 1 WHERE \(Self.holdsLock(after: 0))", .text(customer), .text(lock), .integer(now.milliseconds))
        guard !rows.isEmpty else {
            throw CustomerError(
                code: .conflict, reason: "the exchange lock has expired; another device may have acquired it")
        }
    }
}

extension LedgerEntry {
    /// `true` if the server has decided the fact, or has it from the store; `false` for what a document of a device says.
    var isOfServer: Bool { device.map(ServerDeviceIdentifier.contains) ?? true }
}
