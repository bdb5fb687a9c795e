import Foundation
import GRDB
import Testing
import VitrineTestSupport

/// Purchases of a simulated store and its notifications to the app's server, read with SQL.
struct OutboxAudit {
    struct Notification {
        let identifier: String
        let signedPayload: String
        /// Results of the attempts to deliver the notification.
        let attempts: [String]
        /// `true` if another attempt is scheduled.
        let isOpen: Bool

        /// Body of the request with which the notification is delivered.
        var body: Data { Data(#"{"signedPayload":"\#(signedPayload)"}"#.utf8) }
    }

    /// Purchases and events of the store, without the earliest signature dates, which change when a device asks the
    /// store.
    let changes: [String]
    /// Contents of the notifications without their signed payloads and the machine's time, which differ in each run.
    let outbox: [String]
    let notifications: [Notification]

    init(_ store: URL) throws {
        let database = try DatabaseQueue(path: store.appending(path: "store.sqlite").path())
        (changes, outbox, notifications) = try database.read { database in
            let changes = try [
                "SELECT clock FROM settings", "SELECT * FROM event ORDER BY id", "SELECT * FROM purchase ORDER BY id",
                "SELECT * FROM subscription ORDER BY id", "SELECT * FROM refundRequest ORDER BY purchase",
            ].flatMap { try Row.fetchAll(database, sql: $0).map { Self.text($0, without: ["signedFrom"]) } }
            let rows = try Row.fetchAll(database, sql: "SELECT * FROM notification ORDER BY id")
            let outbox = rows.map { Self.text($0, without: ["signedPayload", "machineDate"]) }
            return (changes, outbox, try rows.map { try Notification($0, in: database) })
        }
    }

    private static func text(_ row: Row, without columns: Set<String>) -> String {
        row.filter { !columns.contains($0.0) }.map { "\($0.0): \($0.1)" }.joined(separator: " ")
    }

    /// Sets the address to which a store sends its notifications.
    static func setAddress(_ url: URL, of store: URL) throws {
        try DatabaseQueue(path: store.appending(path: "store.sqlite").path()).write {
            try $0.execute(sql: "UPDATE settings SET notificationURL = ?", arguments: [url.absoluteString])
        }
    }

    /// Returns `true` if the purchases and notifications are the same as those of another store.
    func isSame(as other: OutboxAudit) -> Bool { changes == other.changes && outbox == other.outbox }
}

extension OutboxAudit.Notification {
    fileprivate init(_ row: Row, in database: Database) throws {
        let number: Int64 = row["id"]
        self.init(
            identifier: row["identifier"], signedPayload: row["signedPayload"],
            attempts: try String.fetchAll(
                database, sql: "SELECT result FROM notificationAttempt WHERE notification = ? ORDER BY number",
                arguments: [number]),
            isOpen: row["nextAttempt"] != nil)
    }
}
