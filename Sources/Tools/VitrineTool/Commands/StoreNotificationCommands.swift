import ArgumentParser
import Foundation
import Vitrine
import VitrineCatalog
import VitrineCommandSupport
import VitrineStoreSimulator
import VitrineSupport

struct StoreNotificationsCommand: StoreReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "notifications",
        abstract: "List the notifications of the store to the app's server, and their delivery.",
        discussion: """
            With --follow, the command prints each notification when the store has made it, and again after each attempt \
            to deliver it, until it is interrupted.

            EXAMPLE:
              vitrine store notifications
              vitrine store notifications --follow
            """
    )

    @Flag(help: "Print notifications as they are made and delivered, until the command is interrupted.")
    var follow = false

    @OptionGroup var options: StoreOptions

    /// Interval in seconds at which the store is checked for new notifications and deliveries.
    private static let interval: TimeInterval = 0.2

    func validate() throws {
        guard !follow || !output.json else { throw ValidationError("--follow prints lines, not one JSON object.") }
    }

    func report(on store: SimulatedStore) async throws(SimulatedStoreError) -> Report {
        let notifications = try await store.notifications()
        var table = Table(headings: ["DATE", "TYPE", "SUBTYPE", "CUSTOMER", "TRANSACTION", "DELIVERY"])
        table.rows = notifications.map(\.columns)
        return Report(
            lines: notifications.isEmpty ? ["no notifications"] : table.lines,
            json: ["notifications": notifications.map(\.document)])
    }

    func report() async throws -> Report {
        let store = try home.folder.openStore()
        guard follow else { return try await report(on: store) }
        let interruption = Interruption.listen()
        try await withThrowingTaskGroup { group in
            group.addTask { for await _ in interruption {} }
            group.addTask { try await Self.follow(store) }
            // The first task to end, by an interruption or a failed write, ends the other one too.
            defer { group.cancelAll() }
            try await group.next()
        }
        return Report(lines: [], json: [:])
    }

    private static func follow(_ store: SimulatedStore) async throws {
        var printed: [Int64: Int] = [:]
        // Notifications up to this number are printed, and no attempt to deliver them remains.
        var settled: Int64 = 0
        while !Task.isCancelled {
            let notifications = try await store.notifications(after: settled)
            for notification in notifications where printed[notification.number] != notification.attempts.count {
                printed[notification.number] = notification.attempts.count
                try Console.write([notification.columns.joined(separator: "  ").withoutControlCharacters])
            }
            let open = notifications.first { $0.nextAttempt != nil }
            settled = open.map { $0.number - 1 } ?? notifications.last?.number ?? settled
            do {
                try await Task.sleep(for: .seconds(interval))
            } catch {
                return
            }
        }
    }
}

struct StoreNotifyCommand: StoreReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "notify",
        abstract: "Send a test notification to the app's server.",
        discussion: """
            'vitrine store serve' delivers the notification. The exit status is 1 if no address for notifications is \
            set: 'vitrine store webhook' sets one.

            EXAMPLE:
              vitrine store notify test
            """
    )

    enum Kind: String, ExpressibleByArgument, CaseIterable {
        case test
    }

    @Argument(help: "The type of the notification: test.")
    var kind: Kind

    @OptionGroup var options: StoreOptions

    func report(on store: SimulatedStore) async throws(SimulatedStoreError) -> Report {
        guard let token = try await store.sendTestNotification() else {
            return Report(
                lines: ["no address for notifications is set; set one with 'vitrine store webhook'"],
                json: ["token": nil], status: .no)
        }
        return Report(lines: ["requested the test notification \(token)"], json: ["token": token])
    }
}

extension SimulatedNotification {
    fileprivate var columns: [String] {
        [date.second, type, subtype ?? "-", customer ?? "-", transaction ?? "-", deliveryText]
    }

    private var deliveryText: String {
        guard let last = attempts.last else { return "not attempted yet" }
        let count = attempts.count == 1 ? "" : " at attempt \(attempts.count)"
        if isDelivered { return "delivered\(count)" }
        return last.result + count + (nextAttempt.map { ", again at \($0.second)" } ?? ", given up")
    }

    fileprivate var document: JSONObject {
        [
            "id": identifier, "date": date, "type": type, "subtype": subtype, "customer": customer,
            "transaction": transaction, "signedPayload": signedPayload, "delivered": isDelivered,
            "nextAttempt": nextAttempt,
            "attempts": attempts.map { ["date": $0.date, "result": $0.result] as JSONObject },
        ]
    }
}
