internal import Foundation
internal import GRDB

/// Row of the table of extended subscription periods. Dates are in milliseconds since 1970.
struct RenewalExtensionRecord: Codable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "renewalExtension"

    let subscription: Int64
    let date: Int64
    /// Identifier that the server has given to its request.
    let request: String
    /// End of the extended period.
    let expiresDate: Int64

    static func fetch(_ request: String, of subscription: Int64, in database: Database) throws -> Self? {
        try fetchOne(
            database, sql: "SELECT * FROM renewalExtension WHERE subscription = ? AND request = ?",
            arguments: [subscription, request])
    }

    /// Returns the number of extensions of a subscription since a date.
    static func count(of subscription: Int64, since date: Int64, in database: Database) throws -> Int {
        try Int.fetchOne(
            database, sql: "SELECT COUNT(*) FROM renewalExtension WHERE subscription = ? AND date > ?",
            arguments: [subscription, date]) ?? 0
    }
}

/// Row of the table of requests to extend the subscriptions of all customers. Dates are in milliseconds since 1970.
struct MassExtensionRecord: Codable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "massExtension"

    /// Identifier that the server has given to its request.
    let request: String
    let productIdentifier: String
    let days: Int
    /// Countries of the storefronts, separated by spaces; `nil` for all.
    let storefronts: String?
    /// Date at which the store extends the subscriptions.
    let dueDate: Int64
    /// Date at which the store has extended the subscriptions; `nil` before.
    var completeDate: Int64?
    var succeeded: Int64 = 0
    var failed: Int64 = 0

    /// Countries of the storefronts, as ISO 3166-1 alpha-3 codes; `nil` for all.
    var storefrontCodes: [String]? { storefronts?.split(separator: " ").map(String.init) }
}
