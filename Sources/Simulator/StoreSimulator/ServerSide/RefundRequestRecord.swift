internal import GRDB
internal import VitrineReceipts

/// Row of the table of customers' refund requests that are not decided yet.
struct RefundRequestRecord: Codable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "refundRequest"

    /// Number of the transaction.
    let purchase: Int64
    /// Date of the request, in milliseconds since 1970.
    let date: Int64
    let reason: ConsumptionRequestReason

    /// Removes the request for the refund of a transaction.
    ///
    /// - Returns: `false` if there is no such request.
    @discardableResult
    static func remove(_ purchase: Int64, from database: Database) throws -> Bool {
        try database.cachedStatement(sql: "DELETE FROM refundRequest WHERE purchase = ?").execute(arguments: [purchase])
        return database.changesCount > 0
    }
}

extension ConsumptionRequestReason {
    /// Reason for a refund request, as part of a sentence.
    var description: String {
        switch self {
        case .unintendedPurchase: "the purchase was not intended"
        case .fulfillmentIssue: "the product was not delivered"
        case .unsatisfied: "the customer is not satisfied"
        case .legal: "for a legal reason"
        default: "for another reason"
        }
    }
}

/// Row of the table of consumption reports that the app's server has sent.
struct ConsumptionReportRecord: Codable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "consumptionReport"

    /// Number of the transaction.
    let purchase: Int64
    /// Date of the report, in milliseconds since 1970.
    let date: Int64
    /// JSON object of the report.
    let body: String
}
