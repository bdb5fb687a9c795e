import Foundation
import Synchronization
import Testing
import VitrineReceipts
import VitrineStoreSimulator
import VitrineTestSupport

/// Attempts after the first one.
extension NotificationDeliveryTests {
    /// Hours after the first attempt at which the production environment makes its attempts.
    static let schedule: [TimeInterval] = [0, 1, 13, 37, 85, 157]

    private static func dates(_ count: Int, from start: Date = NotifiedStore.start) -> [Date] {
        schedule.prefix(count).map { start + $0 * 3_600 }
    }

    @Test(arguments: [400, 404, 500, 503])
    func `the production environment sends a failing notification six times with the same bytes`(status: Int)
        async throws
    {
        try await NotifiedStore.run(in: .production, receiver: LoopbackServer(.reply(status))) { notified in
            try await notified.buy("coins")
            try await notified.advance(toDay: 8)
            let made = try await notified.store.notifications()

            #expect(made.map { $0.attempts.map(\.date) } == [Self.dates(6)])
            #expect(made[0].attempts.allSatisfy { $0.result == "UNSUCCESSFUL_HTTP_RESPONSE_CODE" })
            #expect(made[0].nextAttempt == nil)
            #expect(!made[0].isDelivered)
            let requests = notified.receiver.requests
            #expect(requests.count == 6)
            #expect(Set(requests.map(\.body)).count == 1)
            let verifier = try notified.served.verifier()
            for request in requests {
                let received = try await ReceivedNotification(request, verifier, in: .production)
                #expect(received.payload.notificationID == made[0].identifier)
                #expect(received.payload.signedDate == NotifiedStore.start)
            }
            try await notified.advance(toDay: 30)
            #expect(notified.receiver.requests.count == 6)
        }
    }

    @Test func `the sandbox makes only one attempt to deliver a notification`() async throws {
        try await NotifiedStore.run(receiver: LoopbackServer(.reply(503), .reply())) { notified in
            try await notified.buy("coins")
            try await notified.advance(toDay: 8)

            #expect(try await notified.store.notifications().map { $0.attempts.count } == [1])
            #expect(notified.receiver.requests.count == 1)
        }
    }

    @Test(arguments: 0...5)
    func `a notification that the receiver refused is delivered at the next scheduled attempt`(failures: Int)
        async throws
    {
        let asked = Recorder<Void>()
        let receiver = try await LoopbackServer { _ in
            asked.record(())
            return .reply(asked.values.count > failures ? 200 : 500)
        }
        try await NotifiedStore.run(in: .production, receiver: receiver) { notified in
            try await notified.buy("coins")
            try await notified.advance(toDay: 8)
            let made = try await notified.store.notifications()[0]

            #expect(made.attempts.map(\.date) == Self.dates(failures + 1))
            #expect(
                made.attempts.map(\.result)
                    == Array(repeating: "UNSUCCESSFUL_HTTP_RESPONSE_CODE", count: failures) + ["SUCCESS"])
            #expect(made.isDelivered)
            #expect(receiver.requests.count == failures + 1)
        }
    }

    @Test func `a receiver that was unreachable for a day receives all notifications afterwards`() async throws {
        let isAway = Mutex(true)
        let receiver = try await LoopbackServer { _ in
            isAway.withLock { $0 } ? .bytes(Data(), then: .close) : .reply()
        }
        try await NotifiedStore.run(in: .production, receiver: receiver) { notified in
            try await notified.buy("coins")
            try await notified.store.advance(by: 12 * 3_600)
            try await notified.buy("map")
            try await notified.advance(toDay: 1)
            isAway.withLock { $0 = false }
            let before = receiver.requests.count
            try await notified.buy("pass")
            try await notified.advance(toDay: 3)
            let made = try await notified.store.notifications()

            #expect(made.map { $0.attempts.map(\.result) }.map(\.last) == Array(repeating: "SUCCESS", count: 3))
            #expect(made[0].attempts.map(\.date) == Self.dates(4))
            #expect(
                made[1].attempts.map(\.date) == Self.dates(3, from: made[1].date).dropLast() + [
                    made[1].date + 13 * 3_600
                ])
            #expect(made[2].attempts.map(\.date) == [made[2].date])
            let verifier = try notified.served.verifier()
            var arrived: [String?] = []
            for request in receiver.requests.dropFirst(before) {
                arrived.append(
                    try await ReceivedNotification(request, verifier, in: .production).transaction?.productIdentifier)
            }
            #expect(arrived == ["pass", "map", "coins"])
        }
    }

    @Test func `notifications arrive in the order of their events, and a failed one arrives at its next attempt`()
        async throws
    {
        try await NotifiedStore.run(in: .production, receiver: LoopbackServer(.reply(500), .reply())) { notified in
            for product in ["coins", "map", "pass", "news"] { try await notified.buy(product) }
            try await notified.store.advance(by: 3_600)
            let verifier = try notified.served.verifier()
            var products: [String?] = []
            for request in notified.receiver.requests {
                let received = try await ReceivedNotification(request, verifier, in: .production)
                products.append(received.transaction?.productIdentifier)
            }

            #expect(products == ["coins", "map", "pass", "news", "coins"])
        }
    }

    @Test func `a receiver that closes the connection after each response receives all notifications`() async throws {
        let answer = LoopbackServer.Answer.bytes(
            Data("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".utf8), then: .close)
        try await NotifiedStore.run(receiver: LoopbackServer(answer)) { notified in
            for _ in 0..<40 { try await notified.store.purchaseElsewhere("coins") }
            try await notified.store.advance(by: 1)

            #expect(try await notified.store.notifications().filter(\.isDelivered).count == 40)
            #expect(notified.receiver.requests.count == 40)
        }
    }
}
