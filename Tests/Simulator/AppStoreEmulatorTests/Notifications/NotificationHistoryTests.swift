import Foundation
import Testing
import VitrineAppStoreEmulator
import VitrineNetworking
import VitrineReceipts
import VitrineStoreSimulator
import VitrineSupport
import VitrineTestSupport

/// Notification history and test notifications, requested with the library's client.
@Suite struct NotificationHistoryTests {
    private func client(_ notified: NotifiedStore) -> AppStoreServerClient {
        AppStoreServerClient(
            server: .other(notified.served.url), key: notified.served.key, bundleIdentifier: ServedStore.bundle,
            transport: DefaultTransport.patient, timeout: 600)
    }

    /// Returns a filter for the notifications of the last days.
    private func filter(
        _ selection: NotificationHistoryFilter.Selection = .all, days: TimeInterval = 29, onlyFailures: Bool = false,
        of notified: NotifiedStore
    ) -> NotificationHistoryFilter {
        let now = notified.store.clock.now
        return NotificationHistoryFilter(
            startDate: now - days * NotifiedStore.day, endDate: now + NotifiedStore.day, selection: selection,
            onlyFailures: onlyFailures)
    }

    /// Returns the error code with which the store refuses the first page of a history.
    private func refusal(
        _ filter: NotificationHistoryFilter, after token: String? = nil, of notified: NotifiedStore
    ) async throws -> Int? {
        do throws(AppStoreServerError) {
            var pages = client(notified).notificationHistory(filter, after: token).makeAsyncIterator()
            _ = try await pages.next()
            return nil
        } catch {
            return error.context?.code?.rawValue
        }
    }

    private func pages(
        _ filter: NotificationHistoryFilter, after token: String? = nil, of notified: NotifiedStore
    ) async throws -> [NotificationHistoryPage] {
        var pages: [NotificationHistoryPage] = []
        for try await page in client(notified).notificationHistory(filter, after: token) { pages.append(page) }
        return pages
    }

    @Test(arguments: [StoreEnvironment.sandbox, .production])
    func `the notification history returns 45 notifications in three pages, oldest first`(environment: StoreEnvironment)
        async throws
    {
        try await NotifiedStore.run(in: environment) { notified in
            for _ in 0..<45 { try await notified.store.purchaseElsewhere("coins") }
            try await notified.store.advance(by: 1)
            let filter = filter(of: notified)
            let pages = try await pages(filter, of: notified)
            let made = try await notified.store.notifications()

            #expect(pages.map(\.notifications.count) == [20, 20, 5])
            #expect(pages.flatMap(\.notifications).map(\.signedPayload) == made.map(\.signedPayload))
            #expect(
                pages.flatMap(\.notifications).allSatisfy { sent in
                    sent.attempts.map(\.date) == [NotifiedStore.start] && sent.attempts.map(\.result) == [.success]
                })
            #expect(pages.last?.paginationToken == nil)
            let second = try #require(pages.first?.paginationToken)
            try await notified.store.purchaseElsewhere("map")
            #expect(try await self.pages(filter, after: second, of: notified).map(\.notifications.count) == [20, 6])
        }
    }

    @Test func `a notification history whose last page is full has no further page`() async throws {
        try await NotifiedStore.run { notified in
            #expect(try await pages(filter(of: notified), of: notified).map(\.notifications.count) == [0])
            for _ in 0..<40 { try await notified.store.purchaseElsewhere("coins") }
            #expect(try await pages(filter(of: notified), of: notified).map(\.notifications.count) == [20, 20])
        }
    }

    @Test func `the notification history is filtered by type, subtype, customer and date`() async throws {
        try await NotifiedStore.run { notified in
            let coins = try await notified.buy("coins")
            try await notified.buy("club.week", as: "Ada")
            try await notified.advance(toDay: 7)
            try await notified.customer("Ada").setRenewal(false, of: "club.week")
            try await notified.advance(toDay: 14)
            let renewed = try #require(await notified.customer("Ada").transactions().last).id
            func types(
                _ selection: NotificationHistoryFilter.Selection, days: TimeInterval = 29
            ) async throws -> [String] {
                let found = try await pages(filter(selection, days: days, of: notified), of: notified)
                return try found.flatMap(\.notifications).map { sent in
                    let members = try ReceivedNotification.members(of: sent.signedPayload)
                    return NotificationRow.id(
                        members["notificationType"] as? String ?? "-", members["subtype"] as? String)
                }
            }
            let ofAda = [
                "SUBSCRIBED/INITIAL_BUY", "DID_RENEW", "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED",
                "EXPIRED/VOLUNTARY",
            ]

            #expect(try await types(.all) == ["ONE_TIME_CHARGE"] + ofAda)
            #expect(try await types(.all, days: 8) == Array(ofAda.dropFirst()))
            #expect(try await types(.all, days: 6) == ["EXPIRED/VOLUNTARY"])
            #expect(try await types(.customer(transactionID: coins)) == ["ONE_TIME_CHARGE"])
            #expect(try await types(.customer(transactionID: renewed)) == ofAda)
            #expect(try await types(.type(.subscribed)) == ["SUBSCRIBED/INITIAL_BUY"])
            #expect(try await types(.type(.expired, subtype: .voluntary)) == ["EXPIRED/VOLUNTARY"])
            #expect(try await types(.type(.expired, subtype: .billingRetry)).isEmpty)
            #expect(try await types(.type(.refund)).isEmpty)
        }
    }

    @Test func `the notification history of failures lists the notifications that have not been delivered`()
        async throws
    {
        let receiver = try await LoopbackServer(.reply(500), .reply(404), .reply())
        try await NotifiedStore.run(in: .production, receiver: receiver) { notified in
            for product in ["coins", "map", "pass"] { try await notified.buy(product) }
            try await notified.store.advance(by: 60)
            let failed = try await pages(filter(onlyFailures: true, of: notified), of: notified)
            let made = try await notified.store.notifications()

            #expect(failed.flatMap(\.notifications).map(\.signedPayload) == made.prefix(2).map(\.signedPayload))
            #expect(
                failed[0].notifications.flatMap(\.attempts).map(\.result) == [.unsuccessfulStatus, .unsuccessfulStatus])
            try await notified.store.advance(by: 3_600)
            #expect(try await pages(filter(onlyFailures: true, of: notified), of: notified)[0].notifications.isEmpty)
            let attempts = try await pages(filter(of: notified), of: notified)[0].notifications.map(\.attempts)
            #expect(
                attempts.map { $0.map(\.result) } == [
                    [.unsuccessfulStatus, .success], [.unsuccessfulStatus, .success], [.success],
                ])
            #expect(attempts[0].map(\.date) == [NotifiedStore.start, NotifiedStore.start + 3_600])
        }
    }

    @Test func `a pagination token is valid only for its own notification history, and for one day`() async throws {
        try await NotifiedStore.run { notified in
            for _ in 0..<21 { try await notified.store.purchaseElsewhere("coins") }
            try await notified.store.advance(by: 1)
            let filter = filter(of: notified)
            let token = try #require(try await pages(filter, of: notified)[0].paginationToken)
            for wrong in ["", "x", token + "0", String(token.dropLast()), "1\(token)", "😀", "1_2_3"] {
                #expect(try await refusal(filter, after: wrong, of: notified) == 4_000_014)
            }
            var other = filter
            other.onlyFailures = true
            #expect(try await refusal(other, after: token, of: notified) == 4_000_014)
            other = filter
            other.selection = .type(.oneTimeCharge)
            #expect(try await refusal(other, after: token, of: notified) == 4_000_014)
            try await notified.store.advance(by: NotifiedStore.day - 1)
            #expect(try await refusal(filter, after: token, of: notified) == nil)
            try await notified.store.advance(by: 1)
            #expect(try await refusal(filter, after: token, of: notified) == 4_000_017)
        }
    }

    @Test(arguments: [(StoreEnvironment.sandbox, 30.0), (.production, 180.0)])
    func `the notification history goes back 30 days in the sandbox and 180 days in production`(
        environment: StoreEnvironment, days: TimeInterval
    ) async throws {
        try await NotifiedStore.run(in: environment) { notified in
            try await notified.buy("coins")
            let now = NotifiedStore.start
            let earliest = now - days * NotifiedStore.day
            func refusal(_ start: Date, _ end: Date) async throws -> Int? {
                try await self.refusal(
                    NotificationHistoryFilter(startDate: start, endDate: end), of: notified)
            }
            #expect(try await refusal(earliest, now) == nil)
            #expect(try await refusal(earliest - 0.001, now) == 4_000_012)
            #expect(try await refusal(now, now) == 4_000_013)
            #expect(try await refusal(now - 1, now - 2) == 4_000_013)
            #expect(try await refusal(now + 1, now + 2) == 4_000_013)
            #expect(try await refusal(now - 1, .distantFuture) == nil)
        }
    }

    @Test(arguments: [StoreEnvironment.sandbox, .production])
    func `the notification history is requested by the store's clock or by the machine's, however far apart they are`(
        environment: StoreEnvironment
    ) async throws {
        try await NotifiedStore.run(in: environment) { notified in
            try await notified.buy("coins")
            try await notified.store.advance(by: 200 * NotifiedStore.day)
            try await notified.buy("map")
            let made = try await notified.store.notifications().map(\.signedPayload)
            #expect(made.count == 2)
            func found(since date: Date) async throws -> [String] {
                let filter = NotificationHistoryFilter(
                    startDate: date - NotifiedStore.day, endDate: date + NotifiedStore.day)
                return try await pages(filter, of: notified).flatMap(\.notifications).map(\.signedPayload)
            }

            #expect(try await found(since: NotifiedStore.machineDate) == made)
            #expect(try await found(since: notified.store.clock.now) == Array(made.suffix(1)))
            let between = NotificationHistoryFilter(
                startDate: NotifiedStore.start, endDate: notified.store.clock.now)
            #expect(try await refusal(between, of: notified) == 4_000_012)
        }
    }

    @Test func `a notification history filter that no notification can match is refused`() async throws {
        try await NotifiedStore.run { notified in
            for (type, subtype) in [
                (NotificationType.refund, NotificationSubtype.voluntary), (.subscribed, .upgrade),
                (NotificationType(rawValue: "SUNRISE"), nil), (.expired, NotificationSubtype(rawValue: "BORED")),
            ] {
                let code = try await refusal(filter(.type(type, subtype: subtype), of: notified), of: notified)
                #expect(code == 4_000_018)
            }
            for (id, code) in [("12345", 4_040_010), ("x", 4_000_006), ("99999999999999999999", 4_000_006)] {
                let found = try await refusal(filter(.customer(transactionID: id), of: notified), of: notified)
                #expect(found == code)
            }
        }
    }
}
