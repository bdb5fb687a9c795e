import Foundation
import VitrineAppServerAPI
import VitrineAppServerRecords
import VitrineDeviceExchange
import VitrineEntitlements
import VitrineReceipts
import VitrineTestSupport

extension CustomersFixture {
    /// Customer who has bought a hundred coins.
    struct Owner: Sendable {
        let phone: Device
        let device: EnrolledDevice
        let key: Data
    }

    /// Enrolls a device of a store account, and records the purchases of a hundred coins an hour before now.
    ///
    /// - Parameter first: Number of the first transaction.
    func owner(_ storeAccount: String = "A", first: Int = 1) async throws -> Owner {
        let phone = Device()
        let (device, enrollment) = try await enroll(phone, storeAccount)
        let signed = try [first, first + 1].map {
            try app.transaction("coins50", id: "\($0)", account: storeAccount, kind: .consumable)
        }
        _ = try await records.record(signed: signed, from: device)
        return Owner(phone: phone, device: device, key: enrollment.key)
    }

    /// Stores a document with facts at their dates.
    ///
    /// - Parameters:
    ///   - document: Identifier of the device in the document.
    ///   - first: Sequence number of the first fact.
    ///   - lock: Identifier of the exclusive lock under which the document is stored; `nil` without a lock.
    func publish(
        _ facts: [(Fact, Date)], of owner: Owner, as document: String = "tablet-1", first: Int64 = 1,
        lock: String? = nil
    ) async throws {
        let entries = facts.enumerated().map { index, fact in
            LedgerEntry(sequence: first + Int64(index), recordedAt: fact.1, fact: fact.0)
        }
        let document = DeviceDocument(
            device: document, name: "tablet", first: first, last: first + Int64(facts.count) - 1, entries: entries)
        let content = try document.data(sealedWith: LedgerSealKey(owner.key))
        try await records.store(
            content, named: DocumentName(of: document, content).text, from: owner.device, lock: lock)
    }

    /// Returns the balance of a customer's coins.
    func coins(of owner: Owner) async throws -> Int {
        try await possessions(of: owner.device.customer).wallets["coins"] ?? 0
    }
}
