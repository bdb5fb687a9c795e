public import Foundation
internal import GRDB
internal import ProductCatalog

/// Event in the life of a store: something that a customer, the store or the app has done, or that a date brought
/// about.
public struct StoreEvent: Sendable, Hashable {
    public enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
        case purchased, renewed, upgraded, recovered, redeemed
        case planChangeRequested = "plan-change-requested"
        case planChangeCanceled = "plan-change-canceled"
        case renewalTurnedOff = "renewal-off"
        case renewalTurnedOn = "renewal-on"
        case enteredGracePeriod = "grace-period"
        case enteredBillingRetry = "billing-retry"
        case expired
        case approvalRequested = "approval-requested"
        case approved, declined
        case approvalExpired = "approval-expired"
        case interrupted, resolved
        case refunded
        case refundReversed = "refund-reversed"
        case shared
        case sharingEnded = "sharing-ended"
        case priceChanged = "price-changed"
        case consentRequested = "consent-requested"
        case consented
        case consentDeclined = "consent-declined"
        case withdrawn
    }

    /// Date at which the event happened, or is going to happen.
    public let date: Date
    /// Name of the customer; `nil` for an event that concerns all customers.
    public let customer: String?
    public let kind: Kind
    public let productIdentifier: String?
    /// Number of the transaction; `nil` for an event without one.
    public let transaction: String?
    /// Detail such as the reason for an end or the new price, as part of a sentence.
    public let detail: String?
}

/// Row of the table of events. Dates are in milliseconds since 1970.
struct EventRecord: Codable, FetchableRecord, MutablePersistableRecord {
    static let databaseTableName = "event"

    private(set) var id: Int64?
    let date: Int64
    let customer: Int64?
    let kind: StoreEvent.Kind
    let productIdentifier: String?
    let purchase: Int64?
    let detail: String?

    enum Columns {
        static let id = Column(CodingKeys.id)
        static let productIdentifier = Column(CodingKeys.productIdentifier)
    }

    mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }

    /// Returns the events after a number, in the order in which they happened.
    static func events(after number: Int64, in database: Database) throws -> [StoreEvent] {
        let names = try Dictionary(
            uniqueKeysWithValues: CustomerRecord.fetchAll(database).compactMap { record in
                record.id.map { ($0, record.name) }
            })
        return try filter { $0.id > number }.order { $0.id }.fetchAll(database).map { record in
            StoreEvent(
                date: Date(milliseconds: record.date), customer: record.customer.flatMap { names[$0] },
                kind: record.kind, productIdentifier: record.productIdentifier,
                transaction: record.purchase.map(String.init), detail: record.detail)
        }
    }

    static func latest(in database: Database) throws -> Int64 {
        try Int64.fetchOne(database, sql: "SELECT MAX(id) FROM event") ?? 0
    }
}
