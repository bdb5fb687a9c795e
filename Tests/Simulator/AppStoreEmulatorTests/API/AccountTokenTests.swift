import Foundation
import HTTPTypes
import Testing
import VitrinePurchasing
import VitrineReceipts
import VitrineStoreSimulator
import VitrineTestSupport

/// Account tokens of the app: `PUT /inApps/v1/transactions/{originalTransactionId}/appAccountToken`.
@Suite(.hangLimit) struct AccountTokenTests {
    private static let (first, second) = (
        "00000000-0000-4000-8000-00000000000a", "00000000-0000-4000-8000-00000000000b"
    )

    private static func set(
        _ token: JSONValue?, of id: String, by caller: APICaller
    ) async throws -> APIAnswer {
        try await caller.send(
            .put, "/inApps/v1/transactions/\(id)/appAccountToken", body: token.map { ["appAccountToken": $0] } ?? [:])
    }

    /// Returns the tokens of all transactions of the customer, as the history has them, in the order of the purchases.
    private static func tokens(of id: String, by caller: APICaller) async throws -> [String?] {
        try await caller.send(.get, "/inApps/v2/history/\(id)").transactions.sorted {
            $0.purchaseDate < $1.purchaseDate
        }
        .map { $0.appAccountToken?.uuidString.lowercased() }
    }

    @Test func `setting an account token replaces the earlier token and returns an empty response`() async throws {
        try await ServedStore.run { served in
            let caller = try APICaller(served)
            let options = PurchaseOptions(accountToken: UUID(uuidString: Self.second))
            _ = try await served.store.purchase("map", options: options)
            let id = try #require(try await served.store.transactions().first).id
            #expect(try await Self.tokens(of: id, by: caller) == [Self.second])
            for token in [Self.first, Self.first, Self.second, Self.first.uppercased()] {
                let answer = try await Self.set(.string(token), of: id, by: caller)
                #expect((answer.status, answer.body) == (200, Data()))
                #expect(try await Self.tokens(of: id, by: caller) == [token.lowercased()])
            }
            #expect(try await served.store.transactions().first?.accountToken == UUID(uuidString: Self.first))
        }
    }

    @Test func `a new account token applies to the current and later periods of a subscription, but not to past ones`()
        async throws
    {
        try await ServedStore.run { served in
            let caller = try APICaller(served)
            let id = try await served.buy("club.bronze")[0]
            try await served.store.advance(by: 40 * .days)
            #expect(try await Self.set(.string(Self.first), of: id, by: caller).status == 200)
            #expect(try await Self.tokens(of: id, by: caller) == [nil, Self.first])
            try await served.store.advance(by: 31 * .days)
            #expect(try await Self.tokens(of: id, by: caller) == [nil, Self.first, Self.first])
            #expect(try await Self.set(.string(Self.second), of: id, by: caller).status == 200)
            try await served.store.advance(by: 31 * .days)
            let renewed = [nil, Self.first, Self.second, Self.second]
            #expect(try await Self.tokens(of: id, by: caller) == renewed)
            try await served.buy("club.silver")
            #expect(try await Self.tokens(of: id, by: caller) == renewed + [Self.second])
            try await served.buy("club.bronze")
            try await served.store.advance(by: 40 * .days)
            let latest = try #require(try await served.store.transactions().last)
            #expect(latest.productIdentifier == "club.bronze")
            #expect(
                try await Self.tokens(of: id, by: caller) == renewed
                    + [Self.second, Self.second, Self.second].prefix(
                        try await served.store.transactions().count - renewed.count))

            let statuses = try await served.client.subscriptionStatuses(of: id)
            let signed = try #require(statuses.groups.first?.subscriptions.first).signedRenewal
            guard case .verified(let renewal) = try await served.verifier().verify(renewal: signed) else {
                throw ServedTestFailure("the renewal is not verified")
            }
            #expect(renewal.payload.appAccountToken == UUID(uuidString: Self.second))
        }
    }

    @Test func `a plan that is ordered for another account has its account token from the order on`() async throws {
        try await ServedStore.run { served in
            let caller = try APICaller(served)
            func order(_ product: String, _ token: String?) async throws {
                let options = PurchaseOptions(accountToken: token.flatMap(UUID.init(uuidString:)))
                _ = try await served.store.purchase(product, options: options)
            }
            try await order("club.silver", Self.first)
            let id = try #require(try await served.store.transactions().first).id
            func renewalToken() async throws -> String? {
                let statuses = try await served.client.subscriptionStatuses(of: id)
                let signed = try #require(statuses.groups.first?.subscriptions.first).signedRenewal
                guard case .verified(let renewal) = try await served.verifier().verify(renewal: signed) else {
                    throw ServedTestFailure("the renewal is not verified")
                }
                return renewal.payload.appAccountToken?.uuidString.lowercased()
            }
            #expect(try await renewalToken() == Self.first)

            // A lower plan begins with the next period, which belongs to the account that has ordered it.
            try await order("club.bronze", Self.second)
            #expect(try await Self.tokens(of: id, by: caller) == [Self.first])
            #expect(try await renewalToken() == Self.second)
            try await served.store.advance(by: 32 * .days)
            #expect(try await Self.tokens(of: id, by: caller) == [Self.first, Self.second])
            #expect(try await renewalToken() == Self.second)

            // A higher plan begins at once.
            try await order("club.gold", Self.first)
            #expect(try await Self.tokens(of: id, by: caller) == [Self.first, Self.second, Self.first])
            #expect(try await renewalToken() == Self.first)

            // An order without a token names no other account.
            try await order("club.silver", nil)
            #expect(try await renewalToken() == Self.first)
        }
    }

    @Test func `account tokens are signed in lower case`() async throws {
        try await ServedStore.run { served in
            let options = PurchaseOptions(accountToken: UUID(uuidString: Self.first))
            _ = try await served.store.purchase("club.silver", options: options)
            let id = try #require(try await served.store.transactions().first).id
            let subscription = try #require(
                try await served.client.subscriptionStatuses(of: id).groups.first?.subscriptions.first)
            for signed in [subscription.signedTransaction, subscription.signedRenewal] {
                #expect(try ReceivedNotification.members(of: signed)["appAccountToken"] as? String == Self.first)
            }
        }
    }

    @Test func `a subscription that is bought after an earlier one ended has the earlier account token`() async throws {
        try await ServedStore.run { served in
            let caller = try APICaller(served)
            let id = try await served.buy("club.silver")[0]
            #expect(try await Self.set(.string(Self.first), of: id, by: caller).status == 200)
            try await served.store.expire("club.silver")
            try await served.store.advance(by: 5 * .days)
            try await served.buy("club.gold")
            #expect(try await Self.tokens(of: id, by: caller) == [Self.first, Self.first])
        }
    }

    @Test func `an invalid account token or an unsuitable transaction is refused, and no token changes`() async throws {
        try await ServedStore.run { served in
            let (store, ann) = (served.store, try served.store.device("phone", of: "ann"))
            try await store.joinFamily("Smith")
            try await ann.joinFamily("Smith")
            let (coins, silver) = (try await served.buy("coins")[0], try await served.buy("club.silver")[0])
            try await served.buy("map", by: ann)
            try await store.advance(by: 40 * .days)
            let renewal = try #require(try await store.transactions().last).id
            let shared = try #require(try await store.transactions().first { $0.ownershipType == .familyShared }).id
            let caller = try APICaller(served)
            let good = JSONValue.string(Self.first)
            let cases: [(id: String, transaction: String, token: JSONValue?, code: Int)] = [
                ("no token", coins, nil, 4_000_183),
                ("null", coins, .null, 4_000_183),
                ("a number", coins, .integer(7), 4_000_183),
                ("a word", coins, .string("abc"), 4_000_183),
                ("nothing", coins, .string(""), 4_000_183),
                ("no hyphens", coins, .string(Self.first.replacing("-", with: "")), 4_000_183),
                ("braces", coins, .string("{\(Self.first)}"), 4_000_183),
                ("a blank behind it", coins, .string(Self.first + " "), 4_000_183),
                ("a wrong digit", coins, .string(Self.first.dropLast() + "g"), 4_000_183),
                ("a list", coins, .array([good]), 4_000_183),
                ("a transaction of the family", shared, good, 4_000_185),
                ("a renewal", renewal, good, 4_000_187),
                ("an app transaction", try await served.appTransaction(), good, 4_000_048),
                ("an unknown transaction", ServedStore.unknown, good, 4_040_005),
                ("letters", "abc", good, 4_000_006),
            ]
            for entry in cases {
                let answer = try await Self.set(entry.token, of: entry.transaction, by: caller)
                #expect(answer.code == entry.code, "\(entry.id)")
                #expect(answer.fields[.contentType] == "application/json", "\(entry.id)")
            }
            #expect(try await Self.tokens(of: silver, by: caller).allSatisfy { $0 == nil })
        }
    }
}
