import Foundation
import HTTPTypes
import Testing
import VitrineReceipts
import VitrineStoreSimulator
import VitrineTestSupport

/// Extensions of the subscriptions of all customers: `POST /inApps/v1/subscriptions/extend/mass`, and their statuses.
@Suite(.hangLimit) struct MassExtensionTests {
    private static let path = "/inApps/v1/subscriptions/extend/mass"
    private static let request = "00000000-0000-4000-8000-00000000000c"

    static func body(_ changes: [String: JSONValue?] = [:]) -> [String: JSONValue] {
        changes.reduce(into: [
            "extendByDays": .integer(5), "extendReasonCode": .integer(1), "requestIdentifier": .string(request),
            "productId": .string("club.silver"),
        ]) { $0[$1.key] = $1.value }
    }

    private static func status(
        of request: String = request, _ product: String = "club.silver", by caller: APICaller
    ) async throws -> APIAnswer {
        try await caller.send(.get, "\(path)/\(product)/\(request)")
    }

    /// Creates customers with subscriptions of all kinds: two that are extended, one of them in Germany, and two that
    /// are not.
    private static func live(in served: ServedStore) async throws -> [String] {
        let store = served.store
        var bought: [String] = []
        for customer in ["default", "ann", "bob", "cleo", "dora"] {
            let device = try store.device("phone", of: customer)
            if customer == "bob" { try await store.setStorefront("DEU") }
            bought += try await served.buy(customer == "dora" ? "club.bronze" : "club.silver", by: device)
            if customer == "bob" { try await store.setStorefront("USA") }
        }
        try await store.device("phone", of: "ann").failBilling("club.silver")
        try await store.device("phone", of: "cleo").expire("club.silver")
        try await store.advance(by: 40 * .days)
        return bought
    }

    @Test(arguments: [
        ("everywhere", [String]?.none, 2, 1), ("in one country", ["DEU"], 1, 0),
        ("in two countries", ["DEU", "USA"], 2, 1), ("in a country without customers", ["FRA"], 0, 0),
    ])
    func `a mass extension extends the active subscriptions after a minute, and its status counts them`(
        id: String, countries: [String]?, succeeded: Int64, failed: Int64
    ) async throws {
        try await ServedStore.run { served in
            let caller = try APICaller(served)
            let bought = try await Self.live(in: served)
            func ends() async throws -> [Int64?] {
                var ends: [Int64?] = []
                for id in bought {
                    let page = try await caller.send(.get, "/inApps/v2/history/\(id)").transactions
                    ends.append(page.compactMap(\.expiresDate).max()?.inMilliseconds)
                }
                return ends
            }
            let before = try await ends()
            let codes = countries.map { JSONValue.array($0.map { .string($0) }) }
            let answer = try await caller.send(
                .post, Self.path, body: Self.body(["storefrontCountryCodes": codes]))
            #expect((answer.status, answer[text: "requestIdentifier"]) == (200, Self.request))
            let waiting = try await Self.status(by: caller)
            #expect(waiting.json == .object(["requestIdentifier": .string(Self.request), "complete": .bool(false)]))
            #expect(try await ends() == before)

            try await served.store.advance(by: 59)
            #expect(try await Self.status(by: caller).json?["complete"] == .bool(false))
            try await served.store.advance(by: 1)
            let date = served.store.clock.now.inMilliseconds
            let done: JSONValue = .object([
                "requestIdentifier": .string(Self.request), "complete": .bool(true), "completeDate": .integer(date),
                "succeededCount": .integer(succeeded), "failedCount": .integer(failed),
            ])
            #expect(try await Self.status(by: caller).json == done)
            let after = try await ends()
            let moved = zip(before, after).map { ($1 ?? 0) - ($0 ?? 0) }
            let days: Int64 = 5 * 86_400_000
            let isInAmerica = countries?.contains("USA") ?? true
            let isInGermany = countries?.contains("DEU") ?? true
            #expect(moved == [isInAmerica ? days : 0, 0, isInGermany ? days : 0, 0, 0])

            let again = try await caller.send(
                .post, Self.path, body: Self.body(["extendByDays": .integer(90), "productId": .string("club.bronze")]))
            #expect((again.status, again.json) == (200, answer.json))
            try await served.store.advance(by: 120)
            #expect(try await Self.status(by: caller).json == done)
            #expect(try await ends() == after)
        }
    }

    @Test func `a mass extension may be requested with a slash at the end of the path`() async throws {
        try await ServedStore.run { served in
            let caller = try APICaller(served)
            let id = try await served.buy("club.silver")[0]
            let answer = try await caller.send(.post, "\(Self.path)/", body: Self.body())
            #expect((answer.status, answer[text: "requestIdentifier"]) == (200, Self.request))
            try await served.store.advance(by: 60)
            #expect(try await Self.status(by: caller).json?["succeededCount"] == .integer(1))
            // No other path is known with a slash at its end.
            #expect(try await caller.send(.put, "/inApps/v1/subscriptions/extend/\(id)/").status == 404)
        }
    }

    @Test func `a mass extension fails for a subscription that was already extended twice within a year`() async throws
    {
        try await ServedStore.run { served in
            let caller = try APICaller(served)
            let id = try await served.buy("club.silver")[0]
            for request in ["request 1", "request 2"] {
                let answer = try await caller.send(
                    .put, "/inApps/v1/subscriptions/extend/\(id)",
                    body: ExtensionTests.body(request: .string(request)))
                #expect(answer.status == 200)
            }
            let end = try await served.store.transactions().last?.expirationDate
            #expect(try await caller.send(.post, Self.path, body: Self.body()).status == 200)
            try await served.store.advance(by: 60)
            let status = try await Self.status(by: caller)
            #expect((status.json?["succeededCount"], status.json?["failedCount"]) == (.integer(0), .integer(1)))
            #expect(try await served.store.transactions().last?.expirationDate == end)
        }
    }

    @Test func `each invalid value of a mass extension request or of its status path has its error code`() async throws
    {
        try await ServedStore.run { served in
            let caller = try APICaller(served)
            try await served.buy("club.silver")
            let upper = Self.request.uppercased()
            let cases: [(id: String, body: [String: JSONValue], code: Int)] = [
                ("no days", Self.body(["extendByDays": nil as JSONValue?]), 4_000_009),
                ("91 days", Self.body(["extendByDays": .integer(91)]), 4_000_009),
                ("reason 4", Self.body(["extendReasonCode": .integer(4)]), 4_000_010),
                ("no request", Self.body(["requestIdentifier": nil as JSONValue?]), 4_000_011),
                ("a request that is no UUID", Self.body(["requestIdentifier": .string("request 1")]), 4_000_011),
                ("no product", Self.body(["productId": nil as JSONValue?]), 4_000_023),
                ("an unknown product", Self.body(["productId": .string("club.iron")]), 4_000_023),
                ("a product of another kind", Self.body(["productId": .string("map")]), 4_000_023),
                ("a product as a number", Self.body(["productId": .integer(1)]), 4_000_023),
                ("no country", Self.body(["storefrontCountryCodes": .array([])]), 4_000_027),
                ("two letters", Self.body(["storefrontCountryCodes": .array([.string("US")])]), 4_000_028),
                ("lower case", Self.body(["storefrontCountryCodes": .array([.string("usa")])]), 4_000_028),
                ("no such country", Self.body(["storefrontCountryCodes": .array([.string("QQQ")])]), 4_000_028),
                (
                    "a number among them",
                    Self.body(["storefrontCountryCodes": .array([.string("USA"), .integer(1)])]),
                    4_000_028
                ),
                ("a country alone", Self.body(["storefrontCountryCodes": .string("USA")]), 4_000_028),
            ]
            for entry in cases {
                #expect(try await caller.send(.post, Self.path, body: entry.body).code == entry.code, "\(entry.id)")
            }
            #expect(try await Self.status(by: caller).code == 4_040_009)
            #expect(
                try await caller.send(.post, Self.path, body: Self.body(["requestIdentifier": .string(upper)]))
                    .status == 200)
            #expect(try await Self.status(by: caller).status == 200)
            #expect(try await Self.status(of: upper, by: caller).status == 200)
            #expect(try await Self.status(of: Self.request, "club.bronze", by: caller).code == 4_040_009)
            #expect(try await Self.status(of: "request", by: caller).code == 4_000_011)
            #expect(try await Self.status(of: Self.request, "map", by: caller).code == 4_000_023)
        }
    }
}
