internal import Foundation
internal import GRDB
internal import VitrineCatalog
internal import VitrineReceipts

/// Response with a page of the notifications that were sent to the app's server.
package struct NotificationHistoryAnswer: Encodable, Sendable {
    let notificationHistory: [NotificationAnswer]
    let hasMore: Bool
    let paginationToken: String?
}

/// Notification with the attempts to deliver it.
package struct NotificationAnswer: Encodable, Sendable {
    struct Attempt: Encodable {
        let attemptDate: Int64
        let sendAttemptResult: String
    }

    let signedPayload: String
    let sendAttempts: [Attempt]
    /// Result of the first attempt, which is only set in the status of a test notification.
    var firstSendAttemptResult: String?

    fileprivate init(_ record: NotificationRecord, _ attempts: [AttemptRecord]) {
        signedPayload = record.signedPayload
        sendAttempts = attempts.map { Attempt(attemptDate: $0.date, sendAttemptResult: $0.result.rawValue) }
    }
}

/// Response to a request for a test notification.
package struct TestNotificationAnswer: Encodable, Sendable {
    let testNotificationToken: String
}

extension SimulatedServerAPI {
    /// Validity of a pagination token for notifications, in milliseconds: one day.
    private static let tokenLifetime: Int64 = 86_400_000
    /// Period after a test notification during which its status can be requested, in milliseconds: 180 days.
    private static let testLifetime: Int64 = 180 * 86_400_000

    /// Returns a page of the notifications that the store has sent, oldest first. The dates of the request may be those of
    /// the store's clock, or of the machine's: a server does not know how far the store's clock was advanced.
    package func notificationHistory(_ query: ServerQuery, _ body: ServerBody) async throws -> NotificationHistoryAnswer
    {
        let filter = try NotificationFilter(body)
        let token = try query.single("paginationToken", .invalidPaginationToken)
        let (core, size) = (core, Self.pageSize)
        return try await read { scope in
            let now = scope.date.milliseconds
            let days: Int64 = core.environment == .production ? 180 : 30
            do throws(ServerError) {
                try filter.checkDates(at: core.machineNow().milliseconds, retaining: days)
            } catch {
                try filter.checkDates(at: now, retaining: days)
            }
            let customer = try filter.transaction.map { try scope.subject($0).customer }
            let start = try token.map { token in
                guard let read = ContinuationToken(token, for: filter.listing, of: core.seed),
                    read.position.count == 2
                else { throw ServerError(.invalidPaginationToken, ServerQuery.reason("paginationToken")) }
                guard now < read.position[1] + Self.tokenLifetime else {
                    throw ServerError(.paginationTokenExpired, "The paginationToken has expired.")
                }
                return read.position[0]
            }
            let found = try filter.fetch(size + 1, of: customer, after: start ?? 0, from: scope.database)
            let page = found.prefix(size)
            let hasMore = found.count > size
            let last = page.last.map { ContinuationToken($0.number, now) }
            return NotificationHistoryAnswer(
                notificationHistory: try page.map { NotificationAnswer($0, try $0.attempts(in: scope.database)) },
                hasMore: hasMore,
                paginationToken: hasMore ? last?.text(for: filter.listing, of: core.seed) : nil)
        }
    }

    /// Requests a test notification.
    package func requestTestNotification() async throws -> TestNotificationAnswer {
        try await change { scope in
            guard scope.settings.notificationURL != nil else {
                throw ServerError(.notificationURLNotFound, "The store has no address for notifications.")
            }
            try scope.record { _ in .testNotification }
            return TestNotificationAnswer(testNotificationToken: try scope.notifyOfTest())
        }
    }

    /// Returns a test notification with the attempts to deliver it.
    package func testNotificationStatus(_ token: String) async throws -> NotificationAnswer {
        guard token.utf8.count == 36, UUID(uuidString: token) != nil else {
            throw ServerError(.invalidTestNotificationToken, ServerQuery.reason("testNotificationToken"))
        }
        return try await read { scope in
            let record = try NotificationRecord.fetchOne(
                scope.database, sql: "SELECT * FROM notification WHERE testToken = ?", arguments: [token.lowercased()])
            guard let record, scope.date.milliseconds < record.date + Self.testLifetime,
                case let attempts = try record.attempts(in: scope.database), let first = attempts.first
            else {
                throw ServerError(
                    .testNotificationNotFound, "No test notification with this token was sent, or not yet.")
            }
            var answer = NotificationAnswer(record, attempts)
            answer.firstSendAttemptResult = first.result.rawValue
            return answer
        }
    }
}

/// Filter of a request for the history of notifications.
private struct NotificationFilter: Sendable {
    private let startDate: Int64
    private let endDate: Int64
    private let type: String?
    private let subtype: String?
    /// Identifier of any transaction of the customer whom the notifications concern.
    let transaction: String?
    private let onlyFailures: Bool

    init(_ body: ServerBody) throws(ServerError) {
        startDate = try body.integer("startDate", .invalidStartDate, in: 0...Int64(1) << 53)
        endDate = try body.integer("endDate", .invalidEndDate, in: 0...Int64(1) << 53)
        type = try body.value("notificationType", .invalidNotificationType) { value in
            value.string.flatMap { Self.subtypes[$0] != nil ? $0 : nil }
        }
        let subtype = try body.value("notificationSubtype", .invalidNotificationType) { $0.string }
        if let subtype, type.flatMap({ Self.subtypes[$0] })?.contains(subtype) != true {
            throw ServerError(.invalidNotificationType, "The notificationSubtype does not fit the notificationType.")
        }
        self.subtype = subtype
        transaction = try body.value("transactionId", .invalidTransactionID) { $0.string }
        guard transaction == nil || type == nil else {
            throw ServerError(.multipleFiltersSupplied, "transactionId and notificationType exclude each other.")
        }
        onlyFailures =
            try body.value("onlyFailures", .badRequest) { if case .bool(let flag) = $0 { flag } else { nil } } ?? false
    }

    private static let subtypes: [String: [String]] = [
        "SUBSCRIBED": ["INITIAL_BUY", "RESUBSCRIBE"],
        "DID_CHANGE_RENEWAL_PREF": ["UPGRADE", "DOWNGRADE"],
        "DID_CHANGE_RENEWAL_STATUS": ["AUTO_RENEW_ENABLED", "AUTO_RENEW_DISABLED"],
        "OFFER_REDEEMED": ["UPGRADE", "DOWNGRADE", "INITIAL_BUY", "RESUBSCRIBE"],
        "DID_RENEW": ["BILLING_RECOVERY"],
        "EXPIRED": ["VOLUNTARY", "BILLING_RETRY", "PRICE_INCREASE", "PRODUCT_NOT_FOR_SALE"],
        "DID_FAIL_TO_RENEW": ["GRACE_PERIOD"],
        "GRACE_PERIOD_EXPIRED": [],
        "PRICE_INCREASE": ["PENDING", "ACCEPTED"],
        "REFUND": [], "REFUND_DECLINED": [], "REFUND_REVERSED": [], "CONSUMPTION_REQUEST": [], "REVOKE": [],
        "RENEWAL_EXTENDED": [],
        "RENEWAL_EXTENSION": ["SUMMARY", "FAILURE"],
        "EXTERNAL_PURCHASE_TOKEN": ["UNREPORTED", "CREATED", "ACTIVE_TOKEN_REMINDER"],
        "ONE_TIME_CHARGE": [], "TEST": [], "RESCIND_CONSENT": [], "METADATA_UPDATE": [], "MIGRATION": [],
        "PRICE_CHANGE": [],
    ]

    /// Text that differs between requests with different filters.
    var listing: String {
        let texts = [type, subtype, transaction].map { $0 ?? "-" }
        return (["notifications", "\(startDate)", "\(endDate)", "\(onlyFailures)"] + texts).joined(separator: "\n")
    }

    /// Checks the date range of the request.
    ///
    /// - Parameters:
    ///   - now: Date of the clock that the request may follow.
    ///   - days: Number of days for which past notifications can be requested.
    func checkDates(at now: Int64, retaining days: Int64) throws(ServerError) {
        guard startDate >= now - days * 86_400_000 else {
            throw ServerError(.startDateTooFarInPast, "The startDate is more than \(days) days ago.")
        }
        guard endDate > startDate, now >= startDate else {
            throw ServerError(.startDateAfterEndDate, "The startDate is not before the endDate.")
        }
    }

    func fetch(
        _ count: Int, of customer: Int64?, after number: Int64, from database: Database
    ) throws -> [NotificationRecord] {
        var conditions = ["id > ?", "(date BETWEEN ? AND ? OR machineDate BETWEEN ? AND ?)"]
        var arguments: [(any DatabaseValueConvertible)?] = [number, startDate, endDate, startDate, endDate]
        for (column, value) in [("type", type), ("subtype", subtype)] {
            guard let value else { continue }
            conditions.append("\(column) = ?")
            arguments.append(value)
        }
        if let customer {
            conditions.append("customer = ?")
            arguments.append(customer)
        }
        if onlyFailures {
            conditions.append(
                """
                NOT EXISTS (SELECT 1 FROM notificationAttempt WHERE notification = notification.id \
                AND result = 'SUCCESS') AND EXISTS (SELECT 1 FROM notificationAttempt WHERE notification = \
                notification.id)
                """)
        }
        return try NotificationRecord.fetchAll(
            database.cachedStatement(
                sql: """
                    SELECT * FROM notification WHERE \(conditions.joined(separator: " AND ")) ORDER BY id LIMIT \(count)
                    """), arguments: StatementArguments(arguments))
    }
}
