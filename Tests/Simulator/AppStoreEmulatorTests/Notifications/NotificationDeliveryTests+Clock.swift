import Foundation
import Testing
import VitrineAppStoreEmulator
import VitrineReceipts
import VitrineStoreSimulator
import VitrineTestSupport

/// Clock of the store while notifications are delivered, and the address of the receiver.
extension NotificationDeliveryTests {
    @Test func `the virtual clock does not advance until the receiver has answered the notification`() async throws {
        let gate = Gate()
        let receiver = try await LoopbackServer { _ in
            await gate.pass()
            return .reply()
        }
        try await NotifiedStore.run(receiver: receiver) { notified in
            try await notified.buy("club.week")
            async let advance: Void = notified.advance(toDay: 21)
            await receiver.arrival()
            #expect(notified.store.clock.now == NotifiedStore.start)
            await gate.open()
            try await advance
            let made = try await notified.store.notifications()

            #expect(notified.store.clock.now == NotifiedStore.start + 21 * NotifiedStore.day)
            #expect(made.map(\.type) == ["SUBSCRIBED", "DID_RENEW", "DID_RENEW", "DID_RENEW"])
            #expect(made.map { $0.attempts.map(\.date) } == made.map { [$0.date] })
            #expect(made.map(\.date) == [0, 7, 14, 21].map { NotifiedStore.start + $0 * NotifiedStore.day })
        }
    }

    @Test func `the virtual clock advances when the receiver exceeds the time limit for deliveries`()
        async throws
    {
        let gate = Gate()
        let receiver = try await LoopbackServer { _ in
            await gate.pass()
            return .reply()
        }
        try await NotifiedStore.run(receiver: receiver) { notified in
            try await notified.buy("club.week")
            await receiver.arrival()
            let end = NotifiedStore.start + 7 * NotifiedStore.day
            try await notified.store.advance(to: end, deliveriesWithin: 0.1)
            #expect(notified.store.clock.now == end)
            #expect(try await notified.store.notifications().map(\.attempts) == [[], []])
            await gate.open()
            try await notified.store.advance(by: 1)

            #expect(try await notified.store.notifications().map { $0.attempts.map(\.date) } == [[end], [end]])
            #expect(receiver.requests.count == 2)
        }
    }

    @Test func `renewals that are due between two delivery attempts of a notification happen on their own dates`()
        async throws
    {
        try await NotifiedStore.run(in: .production, receiver: LoopbackServer(.reply(500))) { notified in
            try await notified.buy("club.week")
            try await notified.advance(toDay: 14)
            let made = try await notified.store.notifications()

            #expect(made.map(\.type) == ["SUBSCRIBED", "DID_RENEW", "DID_RENEW"])
            #expect(made.map(\.date) == [0, 7, 14].map { NotifiedStore.start + $0 * NotifiedStore.day })
            for (notification, count) in zip(made, [6, 6, 1]) {
                #expect(
                    notification.attempts.map(\.date)
                        == Self.schedule.prefix(count).map { notification.date + $0 * 3_600 })
            }
        }
    }

    @Test func `the virtual clock does not wait while no server runs, and the next server delivers all notifications`()
        async throws
    {
        let receiver = try await LoopbackServer(.reply())
        let store = try ServedStore.club()
        try await store.useVirtualClock(at: NotifiedStore.start)
        try await store.setNotificationURL(receiver.url.appending(path: "notifications"))
        _ = try await store.purchase("club.week", quantity: 1)
        try await store.advance(by: 21 * NotifiedStore.day)
        #expect(try await store.notifications().map(\.attempts) == [[], [], [], []])
        try await ServedStore.run(store) { served in
            try await served.store.advance(by: 1)
            let made = try await store.notifications()

            #expect(
                made.map { $0.attempts.map(\.date) }
                    == Array(repeating: [NotifiedStore.start + 21 * NotifiedStore.day], count: 4))
            let arrived = try await NotifiedStore(served: served, receiver: receiver).received()
            #expect(arrived.map(\.payload.signedDate) == made.map(\.date))
        }
    }

    // MARK: Address

    @Test func `a store without a notification URL creates no notifications`() async throws {
        try await ServedStore.run(at: NotifiedStore.start) { served in
            _ = try await served.store.purchase("club.week", quantity: 1)
            try await served.store.advance(by: 21 * NotifiedStore.day)

            #expect(try await served.store.notifications().isEmpty)
            #expect(try await served.store.sendTestNotification() == nil)
        }
    }

    @Test func `a later delivery attempt uses the notification URL that is set at that time`() async throws {
        let other = try await LoopbackServer(.reply())
        try await NotifiedStore.run(in: .production, receiver: LoopbackServer(.reply(500))) { notified in
            try await notified.buy("coins")
            try await notified.store.advance(by: 1_800)
            try await notified.store.setNotificationURL(other.url)
            try await notified.advance(toDay: 8)

            #expect(try await notified.store.notifications()[0].attempts.count == 2)
            #expect(notified.receiver.requests.count == 1)
            #expect(other.requests.map(\.body) == notified.receiver.requests.map(\.body))
            #expect(other.requests.map(\.path) == ["/"])
        }
    }

    @Test func `delivery attempts are postponed while no notification URL is set`() async throws {
        let receiver = try await LoopbackServer(.reply(500), .reply())
        try await NotifiedStore.run(in: .production, receiver: receiver) { notified in
            try await notified.buy("coins")
            try await notified.store.advance(by: 1_800)
            let url = try await notified.store.notificationURL
            try await notified.store.setNotificationURL(nil)
            try await notified.buy("map")
            try await notified.advance(toDay: 20)
            #expect(receiver.requests.count == 1)
            try await notified.store.setNotificationURL(url)
            try await notified.store.advance(by: 1)
            let made = try await notified.store.notifications()

            #expect(made.count == 1)
            #expect(
                made[0].attempts.map(\.date) == [0, 20].map { NotifiedStore.start + $0 * NotifiedStore.day })
            #expect(made[0].isDelivered)
        }
    }
}
