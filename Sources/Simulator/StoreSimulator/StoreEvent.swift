public import Foundation
internal import GRDB
internal import VitrineCatalog
internal import VitrineSupport

/// Event in the history or forecast of a simulated store, such as a purchase, a renewal or a change of a setting.
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
        case refundRequested = "refund-requested"
        case refundDeclined = "refund-declined"
        case refunded
        case refundReversed = "refund-reversed"
        case shared
        case sharingEnded = "sharing-ended"
        case priceChanged = "price-changed"
        case consentRequested = "consent-requested"
        case consented
        case consentDeclined = "consent-declined"
        case withdrawn
        case extended
        case massExtensionCompleted = "mass-extension-completed"
    }

    /// Date at which the event happened or, in a forecast, will happen.
    public let date: Date
    /// Name of the customer; `nil` for an event that concerns all customers.
    public let customer: String?
    public let kind: Kind
    public let productIdentifier: String?
    /// Number of the transaction that the event concerns; `nil` for an event without a transaction.
    public let transaction: String?
    /// Detail such as the reason why a subscription ended, or the new price of a product, as part of a sentence.
    public let detail: String?
}

/// Row of the table of the store's events. Dates are in milliseconds since 1970.
struct EventRecord {
    let date: Int64
    let customer: Int64?
    let kind: StoreEvent.Kind
    let productIdentifier: String?
    let purchase: Int64?
    let detail: String?

    func insert(into database: Database) throws {
        try database.cachedStatement(
            sql: """
                INSERT INTO event (date, customer, kind, productIdentifier, purchase, detail)
                VALUES (?, ?, ?, ?, ?, ?)
                """
        ).execute(arguments: [date, customer, kind.rawValue, productIdentifier, purchase, detail])
    }

    /// Returns the events after the one with a given number, in the order in which they happened.
    static func events(after number: Int64, in database: Database) throws -> [StoreEvent] {
        let statement = try database.cachedStatement(
            sql: """
                SELECT event.date, customer.name, event.kind, event.productIdentifier, event.purchase, event.detail
                FROM event LEFT JOIN customer ON customer.id = event.customer WHERE event.id > ? ORDER BY event.id
                """)
        return try Array(Row.fetchCursor(statement, arguments: [number]).map(StoreEvent.init))
    }

    static func latest(in database: Database) throws -> Int64 {
        try Int64.fetchOne(database, sql: "SELECT MAX(id) FROM event") ?? 0
    }
}

extension StoreEvent {
    fileprivate init(_ row: Row) throws {
        guard let kind = Kind(rawValue: row[2]) else {
            throw SimulatedStoreError(code: .damaged, reason: "the store has an event of an unknown kind")
        }
        self.init(
            date: Date(milliseconds: row[0]), customer: row[1], kind: kind, productIdentifier: row[3],
            transaction: (row[4] as Int64?).map(String.init), detail: row[5])
    }
}
