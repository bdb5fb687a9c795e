import Foundation
import HTTPTypes
import Testing
import VitrineReceipts
import VitrineStoreSimulator
import VitrineTestSupport

/// Extensions of the renewal date of one subscription: `PUT /inApps/v1/subscriptions/extend/{originalTransactionId}`.
@Suite(.hangLimit) struct ExtensionTests {
    static func body(
        days: JSONValue? = .integer(5), reason: JSONValue? = .integer(1), request: JSONValue? = .string("request 1")
    ) -> [String: JSONValue] {
        var body: [String: JSONValue] = [:]
        (body["extendByDays"], body["extendReasonCode"], body["requestIdentifier"]) = (days, reason, request)
        return body
    }

    private static func extend(
        _ id: String, _ body: [String: JSONValue] = body(), by caller: APICaller
    ) async throws -> APIAnswer {
        try await caller.send(.put, "/inApps/v1/subscriptions/extend/\(id)", body: body)
    }

    @Test(arguments: [1, 5, 90])
    func `an extension by a number of days moves the renewal date and the next renewal`(days: Int) async throws {
        try await ServedStore.run { served in
            let caller = try APICaller(served)
            let id = try await served.buy("club.silver")[0]
            try await served.store.advance(by: 40 * .days)
            let before = try #require(try await served.store.transactions().last)
            let end = try #require(before.expirationDate).addingTimeInterval(TimeInterval(days) * .days)

            let answer = try await Self.extend(id, Self.body(days: .integer(Int64(days))), by: caller)
            #expect(answer.status == 200)
            #expect(answer[text: "originalTransactionId"] == id)
            #expect(answer.json?["success"] == .bool(true))
            #expect(answer.json?["effectiveDate"] == .integer(end.inMilliseconds))
            let extended = try await caller.send(.get, "/inApps/v1/transactions/\(before.id)").transaction
            #expect(extended.expiresDate == end)
            #expect(answer[text: "webOrderLineItemId"] == extended.webOrderLineItemID)
            let statuses = try await served.client.subscriptionStatuses(of: id)
            let signed = try #require(statuses.groups.first?.subscriptions.first).signedRenewal
            guard case .verified(let renewal) = try await served.verifier().verify(renewal: signed) else {
                throw ServedTestFailure("the renewal is not verified")
            }
            #expect(renewal.payload.renewalDate == end)

            try await served.store.advance(to: end.addingTimeInterval(-1))
            #expect(try await served.store.transactions().count == 2)
            try await served.store.advance(by: 2)
            #expect(try await served.store.transactions().last?.purchaseDate == end)
        }
    }

    @Test func `a repeated extension request changes nothing, and a third extension within a year is refused`()
        async throws
    {
        try await ServedStore.run { served in
            let caller = try APICaller(served)
            let id = try await served.buy("club.silver")[0]
            func extend(_ request: String, days: Int64 = 5) async throws -> APIAnswer {
                try await Self.extend(
                    id, Self.body(days: .integer(days), request: .string(request)), by: caller)
            }
            let first = try await extend("first")
            #expect(try await extend("first").json == first.json)
            #expect(try await extend("first", days: 90).json == first.json)
            let second = try await extend("second")
            #expect(
                second.json?["effectiveDate"]?.number == first.json?["effectiveDate"]?.number.map { $0 + 432_000_000 })
            #expect(try await extend("third").code == 4_030_005)
            #expect(try await extend("first").json == first.json)
            try await served.store.advance(by: 364 * .days)
            #expect(try await extend("third").code == 4_030_005)
            try await served.store.advance(by: 2 * .days)
            #expect(try await extend("third").status == 200)
            #expect(try await extend("fourth").status == 200)
            #expect(try await extend("fifth").code == 4_030_005)
            let extensions = try await served.store.timeline().filter { $0.kind == .extended }
            #expect(extensions.count == 4)
        }
    }

    @Test func `a family-shared subscription is extended together with the buyer's, and cannot be extended separately`()
        async throws
    {
        try await ServedStore.run { served in
            let (store, ann) = (served.store, try served.store.device("phone", of: "ann"))
            try await store.joinFamily("Smith")
            try await ann.joinFamily("Smith")
            let id = try await served.buy("club.silver")[0]
            let copy = try #require(try await ann.transactions().first)
            let caller = try APICaller(served)
            #expect(try await Self.extend(copy.id, by: caller).code == 4_030_007)
            #expect(try await ann.transactions().first?.expirationDate == copy.expirationDate)
            #expect(try await Self.extend(id, by: caller).status == 200)
            #expect(
                try await ann.transactions().first?.expirationDate
                    == copy.expirationDate?.addingTimeInterval(5 * .days))
            #expect(try await store.transactions().first?.expirationDate != copy.expirationDate)
        }
    }

    /// Changes of a subscription after which its renewal date cannot be extended.
    struct IneligibleCase: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var product = "club.silver"
        let live: @Sendable (SimulatedStore) async throws -> Void
    }

    static let ineligible = [
        IneligibleCase(testDescription: "free trial", product: "club.gold") { _ in },
        IneligibleCase(testDescription: "billing retry") {
            try await $0.failBilling("club.silver")
            try await $0.advance(by: 40 * .days)
        },
        IneligibleCase(testDescription: "grace period") {
            try await $0.setGracePeriod(true)
            try await $0.failBilling("club.silver")
            try await $0.advance(by: 40 * .days)
        },
        IneligibleCase(testDescription: "cancelled and over") {
            try await $0.setRenewal(false, of: "club.silver")
            try await $0.advance(by: 40 * .days)
        },
        IneligibleCase(testDescription: "expired") { try await $0.expire("club.silver") },
        IneligibleCase(testDescription: "refunded") { store in
            try await store.refund(try #require(try await store.transactions().last).id)
        },
    ]

    @Test(arguments: ineligible)
    func `a subscription that is not active and paid is not extended`(_ entry: IneligibleCase) async throws {
        try await ServedStore.run { served in
            let transaction = try await served.buy(entry.product)[0]
            try await entry.live(served.store)
            let before = try await served.store.transactions().map(\.expirationDate)
            let caller = try APICaller(served)
            #expect(try await Self.extend(transaction, by: caller).code == 4_030_004)
            #expect(try await served.store.transactions().map(\.expirationDate) == before)
        }
    }

    @Test func `a subscription in a paid introductory offer or with its renewal turned off can be extended`()
        async throws
    {
        try await ServedStore.run { served in
            let caller = try APICaller(served)
            let id = try await served.buy("club.bronze")[0]
            #expect(try await Self.extend(id, by: caller).status == 200)
            try await served.store.setRenewal(false, of: "club.bronze")
            #expect(try await Self.extend(id, Self.body(request: .string("request 2")), by: caller).status == 200)
            let end = try #require(try await served.store.transactions().last?.expirationDate)
            try await served.store.advance(to: end.addingTimeInterval(-1))
            #expect(try await served.client.subscriptionStatuses(of: id, states: [.active]).groups.count == 1)
            try await served.store.advance(by: 2)
            #expect(try await served.client.subscriptionStatuses(of: id, states: [.expired]).groups.count == 1)
        }
    }

    @Test func `each invalid value of an extension request is refused with its error code`() async throws {
        try await ServedStore.run { served in
            let caller = try APICaller(served)
            let (coins, id) = (try await served.buy("coins")[0], try await served.buy("club.silver")[0])
            try await served.store.advance(by: 40 * .days)
            let renewal = try #require(try await served.store.transactions().last).id
            let long = String(repeating: "r", count: 129)
            let cases: [(id: String, transaction: String, body: [String: JSONValue], code: Int)] = [
                ("no days", id, Self.body(days: nil), 4_000_009),
                ("0 days", id, Self.body(days: .integer(0)), 4_000_009),
                ("91 days", id, Self.body(days: .integer(91)), 4_000_009),
                ("-1 days", id, Self.body(days: .integer(-1)), 4_000_009),
                ("half a day", id, Self.body(days: .number(0.5)), 4_000_009),
                ("days as a word", id, Self.body(days: .string("5")), 4_000_009),
                ("days as a truth value", id, Self.body(days: .bool(true)), 4_000_009),
                ("no reason", id, Self.body(reason: nil), 4_000_010),
                ("reason 4", id, Self.body(reason: .integer(4)), 4_000_010),
                ("reason -1", id, Self.body(reason: .integer(-1)), 4_000_010),
                ("a reason as a word", id, Self.body(reason: .string("1")), 4_000_010),
                ("no request", id, Self.body(request: nil), 4_000_011),
                ("an empty request", id, Self.body(request: .string("")), 4_000_011),
                ("a long request", id, Self.body(request: .string(long)), 4_000_011),
                ("a request with NUL", id, Self.body(request: .string("a\0")), 4_000_011),
                ("a request as a number", id, Self.body(request: .integer(1)), 4_000_011),
                ("letters", "abc", Self.body(), 4_000_008),
                ("an unknown transaction", ServedStore.unknown, Self.body(), 4_040_005),
                ("a renewal", renewal, Self.body(), 4_040_005),
                ("an app transaction", try await served.appTransaction(), Self.body(), 4_040_005),
                ("a consumable", coins, Self.body(), 4_030_004),
            ]
            let before = try await served.store.transactions()
            for entry in cases {
                #expect(
                    try await Self.extend(entry.transaction, entry.body, by: caller).code == entry.code, "\(entry.id)")
            }
            #expect(try await served.store.transactions() == before)
            for reason in 0...3 {
                let answer = try await Self.extend(
                    id, Self.body(reason: .integer(Int64(reason)), request: .string(String(long.dropLast()))),
                    by: caller)
                #expect(answer.status == 200)
            }
        }
    }
}
