public import Foundation
internal import GRDB
internal import VitrineCatalog
public import VitrineReceipts

/// Customer's request for a refund of a transaction, which is not decided yet.
public struct SimulatedRefundRequest: Sendable, Hashable {
    /// Identifier of the transaction.
    public let transaction: String
    public let productIdentifier: String
    /// Date of the request.
    public let date: Date
    public let reason: ConsumptionRequestReason
    /// Latest report of the app's server about the consumption of the purchase since the request, as a JSON object;
    /// `nil` if the server has sent none.
    public let consumption: JSONValue?

    /// Returns the undecided requests of a customer, earliest first.
    static func all(of customer: Int64, in database: Database) throws -> [SimulatedRefundRequest] {
        let statement = try database.cachedStatement(
            sql: """
                SELECT refundRequest.purchase, productIdentifier, refundRequest.date, refundRequest.reason, (
                    SELECT body FROM consumptionReport AS report
                    WHERE report.purchase = refundRequest.purchase AND report.date >= refundRequest.date
                    ORDER BY report.id DESC LIMIT 1
                ) FROM refundRequest JOIN purchase ON purchase.id = refundRequest.purchase
                WHERE customer = ? ORDER BY refundRequest.date, refundRequest.purchase
                """)
        return try Row.fetchAll(statement, arguments: [customer]).map(SimulatedRefundRequest.init)
    }

    private init(_ row: Row) throws {
        let (number, date, reason): (Int64, Int64, String) = (row[0], row[2], row[3])
        (transaction, productIdentifier, self.date) = (String(number), row[1], Date(milliseconds: date))
        self.reason = ConsumptionRequestReason(rawValue: reason)
        consumption = try (row[4] as String?).map { try JSONValue(json: Data($0.utf8)) }
    }
}
