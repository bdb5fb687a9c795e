public import Foundation
internal import GRDB
internal import VitrineCatalog
internal import VitrineFileSystem
internal import VitrineReceipts
public import VitrineSupport

/// Notification whose delivery is due.
package struct DueNotification: Sendable {
    package let number: Int64
    /// Address to which the notification is sent.
    package let url: String
    package let signedPayload: String
}

/// Notifications to the app's server. A process that observes the store delivers them.
extension SimulatedStore {
    /// Sets the address to which the store sends notifications. The store creates notifications only while it has an
    /// address.
    ///
    /// - Parameter url: The address, with the scheme `https` or `http`; `nil` for no address.
    /// - Throws: ``SimulatedStoreError`` if the store's state cannot be written.
    public func setNotificationURL(_ url: URL?) async throws(SimulatedStoreError) {
        try await changeSettings(.notifications(isOn: url != nil)) { $0.notificationURL = url?.absoluteString }
    }

    /// Address to which the store sends notifications; `nil` without an address.
    ///
    /// - Throws: ``SimulatedStoreError`` if the store's state cannot be read.
    public var notificationURL: URL? {
        get async throws(SimulatedStoreError) {
            try await core.database.settings().notificationURL.flatMap(URL.init(string:))
        }
    }

    /// Sends a test notification.
    ///
    /// - Returns: The token that identifies the notification in the App Store Server API; `nil` if the store has no
    ///   address for notifications.
    /// - Throws: ``SimulatedStoreError`` if the store's state cannot be written.
    public func sendTestNotification() async throws(SimulatedStoreError) -> String? {
        try await core.perform { scope in
            guard scope.settings.notificationURL != nil else { return nil }
            try scope.record { _ in .testNotification }
            return try scope.notifyOfTest()
        }
    }

    /// Returns the notifications that the store has created, in the order of the changes that they report.
    ///
    /// - Parameter number: Number of the notification before the first returned one; 0 for all.
    /// - Throws: ``SimulatedStoreError`` if the store's state cannot be read.
    public func notifications(after number: Int64 = 0) async throws(SimulatedStoreError) -> [SimulatedNotification] {
        try await core.read { scope in
            let names = try Dictionary(
                CustomerRecord.fetchAll(scope.database).map { ($0.id, $0.name) }, uniquingKeysWith: { $1 })
            let records = try NotificationRecord.fetchAll(
                scope.database, sql: "SELECT * FROM notification WHERE id > ? ORDER BY id", arguments: [number])
            return try records.map {
                SimulatedNotification(
                    $0, of: $0.customer.flatMap { names[$0] }, attempts: try $0.attempts(in: scope.database))
            }
        }
    }

    // MARK: Delivery

    /// Returns the notification that has been due for the longest time; `nil` if none is due.
    package func dueNotification() async throws(SimulatedStoreError) -> DueNotification? {
        try await core.read { scope in
            guard let url = scope.settings.notificationURL else { return nil }
            let statement = try scope.database.cachedStatement(
                sql: """
                    SELECT id, signedPayload FROM notification WHERE nextAttempt <= ? ORDER BY nextAttempt, id LIMIT 1
                    """)
            guard let row = try Row.fetchOne(statement, arguments: [scope.date.milliseconds]) else { return nil }
            return DueNotification(number: row[0], url: url, signedPayload: row[1])
        }
    }

    /// Stores the result of an attempt to deliver a notification, and schedules the next attempt after a failed one.
    package func record(_ result: DeliveryResult, of number: Int64) async throws(SimulatedStoreError) {
        try await core.perform { [core] scope in
            guard var record = try NotificationRecord.fetchOne(scope.database, key: number),
                case let count = try record.attempts(in: scope.database).count, record.nextAttempt != nil
            else { return }
            let date = scope.date.milliseconds
            try AttemptRecord(notification: number, number: count + 1, date: date, result: result).insert(
                scope.database)
            let (isDelivered, environment) = (result == .success, core.environment)
            let next = isDelivered ? nil : DeliverySchedule.attempt(after: date, number: count + 1, in: environment)
            try record.updateChanges(scope.database) { $0.nextAttempt = next }
        }
    }

    /// Acquires the right to deliver the notifications of this store, which only one process at a time can have.
    ///
    /// - Returns: `nil` if another process delivers them.
    /// - Throws: ``SimulatedStoreError`` if the store's folder or its state cannot be written.
    package func beginDelivery() throws(SimulatedStoreError) -> DeliveryRight? {
        try core.database.requireWriting()
        return try core.delivery.begin()
    }
}

/// Notification that the store has created for the app's server.
public struct SimulatedNotification: Sendable, Hashable {
    /// Attempt to deliver a notification.
    public struct Attempt: Sendable, Hashable {
        public let date: Date
        /// Result with Apple's name, such as `SUCCESS` or `TIMED_OUT`.
        public let result: String
    }

    /// Number that orders the notifications of a store.
    public let number: Int64
    /// UUID by which a receiver recognizes a repeated delivery.
    public let identifier: String
    public let date: Date
    /// Type with Apple's name, such as `DID_RENEW`.
    public let type: String
    public let subtype: String?
    /// Name of the customer whom the notification concerns; `nil` if it concerns all customers.
    public let customer: String?
    /// Number of the transaction in the notification; `nil` if it contains none.
    public let transaction: String?
    /// Signed notification in the form that the receiver gets.
    public let signedPayload: String
    public let attempts: [Attempt]
    /// Date of the next attempt; `nil` if the notification was delivered, or no further attempt is made.
    public let nextAttempt: Date?

    /// `true` if a receiver has accepted the notification.
    public var isDelivered: Bool { attempts.last?.result == DeliveryResult.success.rawValue }

    fileprivate init(_ record: NotificationRecord, of customer: String?, attempts: [AttemptRecord]) {
        (number, identifier) = (record.number, record.identifier)
        date = Date(milliseconds: record.date)
        (type, subtype, self.customer) = (record.type, record.subtype, customer)
        transaction = record.purchase.map(String.init)
        signedPayload = record.signedPayload
        self.attempts = attempts.map { Attempt(date: Date(milliseconds: $0.date), result: $0.result.rawValue) }
        nextAttempt = record.nextAttempt.map(Date.init(milliseconds:))
    }
}

/// Right to deliver the notifications of a store, until it is released.
package final class DeliveryRight: Sendable {
    private let lock: FolderLock?
    private let onEnd: @Sendable () -> Void

    fileprivate init(_ lock: FolderLock?, onEnd: @escaping @Sendable () -> Void) {
        (self.lock, self.onEnd) = (lock, onEnd)
    }

    deinit { onEnd() }
}

/// Access to the right to deliver the notifications of a store, which only one process at a time can have.
final class DeliveryLock: Sendable {
    /// Folder whose lock is the right to deliver; `nil` for a store in memory.
    private let folder: URL?
    private let isTaken = Locked(false)

    init(folder: URL?) { self.folder = folder }

    fileprivate func begin() throws(SimulatedStoreError) -> DeliveryRight? {
        guard
            isTaken.withLock({ isTaken in
                defer { isTaken = true }
                return !isTaken
            })
        else { return nil }
        do throws(SimulatedStoreError) {
            let lock = try lock()
            if folder != nil, lock == nil {
                isTaken.withLock { $0 = false }
                return nil
            }
            return DeliveryRight(lock) { [self] in isTaken.withLock { $0 = false } }
        } catch {
            isTaken.withLock { $0 = false }
            throw error
        }
    }

    /// `true` if this or another process is delivering notifications.
    func isActive() throws(SimulatedStoreError) -> Bool {
        if isTaken.withLock({ $0 }) { return true }
        let lock = try lock()
        return folder != nil && lock == nil
    }

    private func lock() throws(SimulatedStoreError) -> FolderLock? {
        guard let folder else { return nil }
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            return try FolderLock.ifFree(folder)
        } catch {
            throw SimulatedStoreError(
                code: .storage,
                reason: "the folder for deliveries cannot be used: \(BoundedFile.reason(for: error))")
        }
    }
}
