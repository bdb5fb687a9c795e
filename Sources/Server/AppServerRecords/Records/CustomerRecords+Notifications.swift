package import Foundation
package import VitrineAppServerAPI
internal import VitrineCatalog
internal import VitrinePurchasing
package import VitrineReceipts
internal import VitrineSupport

/// Stored notification of the store.
package struct NotificationRecord: Sendable, Hashable, Codable {
    package let app: String
    package let id: String
    package let type: String
    package let subtype: String?
    /// Signing date of the notification, in milliseconds since 1970.
    package let signed: Int64?
    /// Date at which the notification first arrived, in milliseconds since 1970.
    package let received: Int64
    package let state: String
    /// Reason why no fact was recorded from the notification; `nil` if a fact was recorded.
    package let reason: String?
    package let customer: String?
}

extension CustomerRecords {
    /// Maximum size of a request with a notification, in bytes.
    package static let notificationLimit = AppServerAPI.notify.bodyLimit

    /// Verifies a notification of the store, and records it together with its facts.
    ///
    /// - Parameter body: JSON object from the store.
    /// - Throws: ``CustomerError``: `invalid` or `rejected` for a notification that is not from the store or not for
    ///   this app; `unavailable` if the store must send it again.
    package func receive(
        notification body: Data, app name: String
    ) async throws(CustomerError) -> NotificationOutcome {
        guard body.count <= Self.notificationLimit,
            let body = try? NotificationBody(encoded: body)
        else { throw CustomerError(code: .invalid, reason: "the body is not a notification of the store") }
        return try await receive(signedPayload: body.signedPayload, app: name)
    }

    /// Verifies and records a notification in compact JWS form.
    ///
    /// - Throws: ``CustomerError``, as ``receive(notification:app:)``.
    package func receive(signedPayload: String, app name: String) async throws(CustomerError) -> NotificationOutcome {
        let app = try app(name)
        switch await app.verifier.verify(notification: signedPayload) {
        case .verified(let notification): return try await process(notification, app, again: false)
        case .rejected(let reasons): throw CustomerError(code: .rejected, reason: reasons.joinedReasons)
        case .undetermined(let reason): throw CustomerError(code: .unavailable, reason: reason)
        }
    }

    private func process(
        _ notification: SignedNotification, _ app: ServedApp, again: Bool
    ) async throws(CustomerError) -> NotificationOutcome {
        let id = notification.payload.notificationID
        guard (1...200).contains(id.utf8.count), !id.utf8.contains(0) else {
            throw CustomerError(code: .rejected, reason: "the notification has no usable identifier")
        }
        if !again, try await state(ofNotification: id, app: app.name) != nil { return .known }
        guard let transaction = notification.transaction else {
            _ = try await note(notification, app, .noted, nil, nil)
            return .noted
        }
        let catalog = servedCatalog(of: app.name)?.digest
        let owner = try await ownerOrNew(of: transaction.payload, app: app.name)
        let recorded = try await record(
            transaction, notification.renewal, of: owner, app: app.name
        ) { condition, customer in
            [Self.insertion(of: notification, app.name, .recorded, nil, customer.id, at: self.now, if: condition)]
        }
        switch recorded {
        case .new, .known, .recordedElsewhere: return .recorded
        case .waiting(let reason):
            let isNoted = try await note(notification, app, .waiting, reason, owner.id)
            // A catalog that was published meanwhile may have looked for waiting notifications before this one was noted.
            guard isNoted, servedCatalog(of: app.name)?.digest == catalog else {
                return try await process(notification, app, again: true)
            }
            return .waiting
        case .refused(let reason):
            guard try await note(notification, app, .noted, reason, owner.id) else {
                return try await process(notification, app, again: true)
            }
            return .noted
        }
    }

    /// Stores the outcome of a notification without facts.
    ///
    /// - Returns: `false` if its customer has been erased meanwhile, with whom it would not be erased again.

    private func note(
        _ notification: SignedNotification, _ app: ServedApp, _ outcome: NotificationOutcome, _ reason: String?,
        _ customer: String?
    ) async throws(CustomerError) -> Bool {
        try await write([
            Self.insertion(of: notification, app.name, outcome, reason, customer, at: now, if: nil)
        ]).first == 1
    }

    /// Returns a statement that stores a notification, or updates the outcome of a stored one.
    private static func insertion(
        of notification: SignedNotification, _ app: String, _ outcome: NotificationOutcome, _ reason: String?,
        _ customer: String?, at date: Date, if condition: ChangeCondition?
    ) -> SQLStatement {
        let payload = notification.payload
        let values: [SQLValue] = [
            .text(app), .text(payload.notificationID), .text(payload.type.rawValue),
            SQLValue(payload.subtype?.rawValue), SQLValue(payload.signedDate?.milliseconds),
            .integer(date.milliseconds), .text(outcome.rawValue), SQLValue(reason), SQLValue(customer),
            .text(notification.signedData),
        ]
        let exists = customer == nil ? "WHERE true" : "WHERE EXISTS (SELECT 1 FROM customer WHERE id = $9)"
        return SQLStatement(
            """
            INSERT INTO notification (app, id, type, subtype, signed, received, state, reason, customer, payload) \
            SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10 \(condition?.clause(after: 10) ?? exists) \
            ON CONFLICT (app, id) DO UPDATE SET state = excluded.state, reason = excluded.reason, \
            customer = excluded.customer
            """, values: values + (condition?.values ?? []))
    }

    private func state(ofNotification id: String, app: String) async throws(CustomerError) -> String? {
        try await rows(
            "SELECT state FROM notification WHERE app = $1 AND id = $2", .text(app), .text(id)
        ).first?.first?.text
    }

    // MARK: Again

    /// Processes a stored notification again.
    ///
    /// - Throws: ``CustomerError``: `notFound` if there is none, or its content was erased with its customer; otherwise as
    ///   ``receive(notification:app:)``.
    package func receiveAgain(
        notification id: String, app name: String
    ) async throws(CustomerError) -> NotificationOutcome {
        let app = try app(name)
        let rows = try await rows("SELECT payload FROM notification WHERE app = $1 AND id = $2", .text(name), .text(id))
        guard let payload = rows.first?.first?.text else {
            throw CustomerError(code: .notFound, reason: "there is no such notification")
        }
        guard !payload.isEmpty else {
            throw CustomerError(
                code: .notFound, reason: "the content of the notification was erased with its customer")
        }
        switch await app.verifier.verify(notification: payload) {
        case .verified(let notification): return try await process(notification, app, again: true)
        case .rejected(let reasons): throw CustomerError(code: .rejected, reason: reasons.joinedReasons)
        case .undetermined(let reason): throw CustomerError(code: .unavailable, reason: reason)
        }
    }

    /// Processes again the notifications of purchases that could not be delivered with an earlier catalog. One that cannot
    /// be processed does not keep the others from being processed: it waits on, with the reason.
    ///
    /// - Throws: ``CustomerError`` `unavailable` if one of them could not be processed now, after all others, or at once
    ///   if the database cannot be used.
    func receiveWaiting(app: String) async throws(CustomerError) {
        let rows = try await rows(
            "SELECT id FROM notification WHERE app = $1 AND state = $2 ORDER BY received", .text(app),
            .text(NotificationOutcome.waiting.rawValue))
        var unavailable: CustomerError?
        for row in rows {
            guard let id = row.first?.text else { continue }
            do throws(CustomerError) {
                _ = try await receiveAgain(notification: id, app: app)
            } catch {
                _ = try await write(
                    "UPDATE notification SET reason = $4 WHERE app = $1 AND id = $2 AND state = $3", .text(app),
                    .text(id), .text(NotificationOutcome.waiting.rawValue), .text(error.reason))
                if error.code == .unavailable { unavailable = unavailable ?? error }
            }
        }
        if let unavailable { throw unavailable }
    }

    // MARK: After an outage

    /// Requests the notifications since the last reconciliation from the store, and processes the missing ones.
    ///
    /// - Returns: The number of missing notifications.
    /// - Throws: ``CustomerError`` `unavailable` if the store or the database is not available.
    package func reconcile(app name: String, with client: AppStoreServerClient) async throws(CustomerError) -> Int {
        let app = try app(name)
        let rows = try await rows("SELECT value FROM setting WHERE name = $1", .text("reconciled \(name)"))
        let last = rows.first?.first?.bytes.flatMap { Int64(String(decoding: $0, as: UTF8.self)) }
        // The period starts a day earlier, because a notification is signed before it arrives, and notifications may
        // arrive in another order. The store has a limited history: 180 days, or 30 days in the sandbox.
        let longest: TimeInterval = (app.environment == .production ? 180 : 30) * 86_400 - 3_600
        let end = now
        let start = max(last.map { Date(milliseconds: $0) - 86_400 } ?? .distantPast, end - longest)
        var count = 0
        do {
            for try await page in client.notificationHistory(
                NotificationHistoryFilter(startDate: start, endDate: end + 86_400))
            {
                for sent in page.notifications where try await receiveMissing(sent.signedPayload, app: name) {
                    count += 1
                }
            }
        } catch let error as CustomerError {
            throw error
        } catch let error as AppStoreServerError {
            throw CustomerError(code: .unavailable, reason: "the store does not answer: \(error.description)")
        } catch {
            throw CustomerError(code: .unavailable, reason: "the store does not answer")
        }
        _ = try await write(
            """
            INSERT INTO setting (name, value) VALUES ($1, $2) \
            ON CONFLICT (name) DO UPDATE SET value = excluded.value
            """, .text("reconciled \(name)"), .bytes(Data("\(end.milliseconds)".utf8)))
        return count
    }

    /// Processes a notification from the store's history.
    ///
    /// - Returns: `false` for a known notification, and for one that cannot be processed, now or later: it does not keep
    ///   the notifications after it from being processed.
    /// - Throws: ``CustomerError`` `unavailable`.
    private func receiveMissing(_ signedPayload: String, app: String) async throws(CustomerError) -> Bool {
        do throws(CustomerError) {
            return try await receive(signedPayload: signedPayload, app: app) != .known
        } catch {
            guard error.code != .unavailable else { throw error }
            return false
        }
    }

    /// Begins a job that only one server runs at a time.
    ///
    /// - Parameters:
    ///   - seconds: Time in seconds after which another server may begin the job.
    ///   - takingOver: `true` to begin the job even if another server has it.
    /// - Returns: `false` if another server has the job.
    package func beginJob(
        _ name: String, holder: String, seconds: TimeInterval, takingOver: Bool = false
    ) async throws(CustomerError) -> Bool {
        let until = (now + seconds).milliseconds
        let changes = try await write(
            """
            INSERT INTO job (name, holder, until) VALUES ($1, $2, $3) ON CONFLICT (name) DO UPDATE \
            SET holder = excluded.holder, until = excluded.until WHERE job.until <= $4 OR job.holder = $2
            """, .text(name), .text(holder), .integer(until), .integer(takingOver ? .max : now.milliseconds))
        return changes == 1
    }

    /// Ends a job, so that each server may begin it. A job that another server has taken over is left to that server.
    package func endJob(_ name: String, holder: String) async throws(CustomerError) {
        _ = try await write("DELETE FROM job WHERE name = $1 AND holder = $2", .text(name), .text(holder))
    }
}
