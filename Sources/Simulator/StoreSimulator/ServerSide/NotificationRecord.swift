internal import Foundation
internal import GRDB
internal import VitrineReceipts

/// Row of the table of notifications to the app's server. It is stored in the database transaction of the change that
/// it reports, and its signed payload never changes. Dates are in milliseconds since 1970.
struct NotificationRecord: NumberedRecord, Codable, FetchableRecord, MutablePersistableRecord {
    static let databaseTableName = "notification"

    private(set) var id: Int64?
    /// UUID by which a receiver recognizes a repeated delivery.
    let identifier: String
    let date: Int64
    /// Date of the notification by the machine's clock, which servers follow that do not know the store's clock.
    let machineDate: Int64
    let type: String
    let subtype: String?
    /// Number of the customer whom the notification concerns; `nil` if it concerns all customers.
    var customer: Int64?
    /// Number of the transaction in the notification; `nil` if it contains none.
    var purchase: Int64?
    /// Token of a test notification; `nil` for all others.
    var testToken: String?
    let signedPayload: String
    /// Date of the next attempt to deliver the notification; `nil` if none is scheduled.
    var nextAttempt: Int64?

    mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }

    /// Returns the attempts to deliver the notification, in their order.
    func attempts(in database: Database) throws -> [AttemptRecord] {
        try AttemptRecord.fetchAll(
            database.cachedStatement(
                sql: "SELECT * FROM notificationAttempt WHERE notification = ? ORDER BY number"),
            arguments: [number])
    }

    /// Returns the date of the next attempt to deliver any notification; `nil` if none is scheduled.
    ///
    /// - Parameter date: Date in milliseconds since 1970 after which the attempt is scheduled; `nil` for any date.
    static func nextAttempt(after date: Int64? = nil, in database: Database) throws -> Int64? {
        let statement = try database.cachedStatement(
            sql: "SELECT MIN(nextAttempt) FROM notification WHERE nextAttempt IS NOT NULL AND nextAttempt > ?")
        return try Int64?.fetchOne(statement, arguments: [date ?? .min]) ?? nil
    }
}

/// Row of the table of attempts to deliver notifications.
struct AttemptRecord: Codable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "notificationAttempt"

    let notification: Int64
    /// Number of the attempt, from 1.
    let number: Int
    /// Date of the attempt, in milliseconds since 1970.
    let date: Int64
    let result: DeliveryResult
}

/// Result of an attempt to deliver a notification, with Apple's
/// [names](https://developer.apple.com/documentation/appstoreserverapi/sendattemptresult).
package enum DeliveryResult: String, Sendable, Codable {
    case success = "SUCCESS"
    case timedOut = "TIMED_OUT"
    case tlsIssue = "TLS_ISSUE"
    case circularRedirect = "CIRCULAR_REDIRECT"
    case noResponse = "NO_RESPONSE"
    case socketIssue = "SOCKET_ISSUE"
    case invalidResponse = "INVALID_RESPONSE"
    case prematureClose = "PREMATURE_CLOSE"
    case unsuccessfulStatus = "UNSUCCESSFUL_HTTP_RESPONSE_CODE"
    case other = "OTHER"
}

/// Schedule of the attempts to deliver a notification, as
/// [Apple documents](https://developer.apple.com/documentation/appstoreservernotifications/responding-to-app-store-server-notifications)
/// it for each environment.
enum DeliverySchedule {
    /// Intervals between consecutive attempts, in milliseconds: 1, 12, 24, 48 and 72 hours.
    private static let intervals: [Int64] = [1, 12, 24, 48, 72].map { $0 * 3_600_000 }

    /// Returns the date of the attempt that follows a failed one; `nil` after the last attempt. The sandbox makes only
    /// one attempt.
    ///
    /// - Parameters:
    ///   - date: Date of the failed attempt, in milliseconds since 1970.
    ///   - number: Number of the failed attempt, from 1.
    static func attempt(after date: Int64, number: Int, in environment: StoreEnvironment) -> Int64? {
        guard environment == .production, number <= intervals.count else { return nil }
        return date + intervals[number - 1]
    }
}
