import Foundation
import HTTPTypes
import Testing
import VitrineReceipts
import VitrineStoreSimulator
import VitrineTestSupport

/// Statuses of subscriptions: `GET /inApps/v1/subscriptions/{anyTransactionId}`.
@Suite(.hangLimit) struct StatusTests {
    /// Changes of a subscription to `club.bronze` or `club.silver`, with the resulting status.
    struct StatusCase: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let status: SubscriptionState
        /// Expected reason for the end in the renewal information.
        var expirationIntent: ExpirationIntent?
        var isRetrying: Bool?
        var hasGracePeriod = false
        var isRenewing = false
        let live: @Sendable (SimulatedStore) async throws -> Void
    }

    static let cases = [
        StatusCase(testDescription: "new", status: .active, isRenewing: true) { _ in },
        StatusCase(testDescription: "renewed", status: .active, isRenewing: true) {
            try await $0.advance(by: 40 * .days)
        },
        StatusCase(testDescription: "turned off", status: .active) {
            try await $0.setRenewal(false, of: "club.silver")
        },
        StatusCase(testDescription: "cancelled", status: .expired, expirationIntent: .cancelled) {
            try await $0.setRenewal(false, of: "club.silver")
            try await $0.advance(by: 40 * .days)
        },
        StatusCase(testDescription: "expired by the store", status: .expired, expirationIntent: .cancelled) {
            try await $0.expire("club.silver")
        },
        StatusCase(
            testDescription: "billing retry", status: .billingRetry, expirationIntent: .billingError, isRetrying: true,
            isRenewing: true
        ) {
            try await $0.failBilling("club.silver")
            try await $0.advance(by: 40 * .days)
        },
        StatusCase(
            testDescription: "grace period", status: .billingGracePeriod, expirationIntent: .billingError,
            isRetrying: true, hasGracePeriod: true, isRenewing: true
        ) {
            try await $0.setGracePeriod(true)
            try await $0.failBilling("club.silver")
            try await $0.advance(by: 40 * .days)
        },
        StatusCase(
            testDescription: "billing retry after grace", status: .billingRetry, expirationIntent: .billingError,
            isRetrying: true, isRenewing: true
        ) {
            try await $0.setGracePeriod(true)
            try await $0.failBilling("club.silver")
            try await $0.advance(by: 60 * .days)
        },
        StatusCase(
            testDescription: "retry without success", status: .expired, expirationIntent: .billingError,
            isRetrying: false
        ) {
            try await $0.failBilling("club.silver")
            try await $0.advance(by: 120 * .days)
        },
        StatusCase(testDescription: "turned off in grace period", status: .expired, expirationIntent: .cancelled) {
            try await $0.setGracePeriod(true)
            try await $0.failBilling("club.silver")
            try await $0.advance(by: 40 * .days)
            try await $0.setRenewal(false, of: "club.silver")
        },
        StatusCase(testDescription: "turned off in billing retry", status: .expired, expirationIntent: .cancelled) {
            try await $0.failBilling("club.silver")
            try await $0.advance(by: 40 * .days)
            try await $0.setRenewal(false, of: "club.silver")
        },
        StatusCase(testDescription: "recovered", status: .active, isRenewing: true) {
            try await $0.failBilling("club.silver")
            try await $0.advance(by: 40 * .days)
            try await $0.recoverBilling("club.silver")
        },
        StatusCase(testDescription: "price not accepted", status: .expired, expirationIntent: .priceIncrease) {
            try await $0.setPrice(8, of: "club.silver", consentRequired: true)
            try await $0.advance(by: 40 * .days)
        },
        StatusCase(testDescription: "withdrawn product", status: .expired, expirationIntent: .productNotAvailable) {
            try await $0.withdraw("club.silver")
            try await $0.advance(by: 40 * .days)
        },
        StatusCase(testDescription: "refunded", status: .revoked) { store in
            try await store.refund(try #require(try await store.transactions().last).id)
        },
        StatusCase(testDescription: "refund of an earlier period", status: .active, isRenewing: true) { store in
            try await store.advance(by: 40 * .days)
            try await store.refund(try #require(try await store.transactions().first).id)
        },
        StatusCase(testDescription: "refund reversed", status: .active, isRenewing: true) { store in
            let id = try #require(try await store.transactions().last).id
            try await store.refund(id)
            try await store.reverseRefund(id)
        },
    ]

    @Test(arguments: cases)
    func `each event of a subscription leads to the expected status and renewal information`(_ entry: StatusCase)
        async throws
    {
        try await ServedStore.run { served in
            let first = try await served.buy("club.silver")[0]
            try await entry.live(served.store)

            let statuses = try await served.client.subscriptionStatuses(of: first)
            #expect((statuses.bundleIdentifier, statuses.environment) == (ServedStore.bundle, .sandbox))
            #expect(statuses.appIdentifier == nil)
            #expect(statuses.groups.map(\.identifier) == ["club"])
            let subscription = try #require(statuses.groups.first?.subscriptions.first)
            #expect(statuses.groups[0].subscriptions.count == 1)
            #expect((subscription.status, subscription.originalTransactionID) == (entry.status, first))

            let latest = try #require(try await served.store.transactions().last)
            let transaction = try APIAnswer.transaction(subscription.signedTransaction)
            #expect(transaction.transactionID == latest.id)
            #expect((transaction.revocationDate != nil) == (entry.status == .revoked))
            let verification = try await served.verifier().verify(renewal: subscription.signedRenewal)
            guard case .verified(let signed) = verification else {
                throw ServedTestFailure("the renewal is not verified")
            }
            let renewal = signed.payload
            #expect((renewal.originalTransactionID, renewal.productIdentifier) == (first, "club.silver"))
            #expect(renewal.expirationIntent == entry.expirationIntent)
            #expect(renewal.isInBillingRetryPeriod == entry.isRetrying)
            #expect((renewal.gracePeriodExpiresDate != nil) == entry.hasGracePeriod)
            #expect(renewal.autoRenewStatus == (entry.isRenewing ? .on : .off))
            #expect(renewal.renewalDate == latest.expirationDate)
            #expect(renewal.recentSubscriptionStartDate == ServedStore.start)

            for state in [SubscriptionState.active, .expired, .billingRetry, .billingGracePeriod, .revoked] {
                let found = try await served.client.subscriptionStatuses(of: first, states: [state])
                #expect(found.groups.isEmpty == (state != entry.status), "\(state)")
            }
        }
    }

    @Test func `the status filter accepts several statuses, and refuses invalid ones`() async throws {
        try await ServedStore.run { served in
            let silver = try await served.buy("club.silver", "news")[0]
            try await served.store.expire("news")
            let caller = try APICaller(served)
            let cases: [(id: String, statuses: [String], groups: [String]?)] = [
                ("none", [], ["club", "news"]), ("active", ["1"], ["club"]), ("expired", ["2"], ["news"]),
                ("both", ["2", "1"], ["club", "news"]), ("one twice", ["1", "1"], ["club"]),
                ("all", ["1", "2", "3", "4", "5"], ["club", "news"]), ("none of them", ["3", "4", "5"], []),
                ("zero", ["0"], nil), ("six", ["6"], nil), ("a negative one", ["-1"], nil), ("nothing", [""], nil),
                ("a word", ["active"], nil), ("a fraction", ["1.5"], nil), ("one of two", ["1", "x"], nil),
                ("a list", ["1,2"], nil), ("a large one", ["99999999999999999999"], nil),
            ]
            for entry in cases {
                let answer = try await caller.send(
                    .get, "/inApps/v1/subscriptions/\(silver)", query: entry.statuses.map { ("status", $0) })
                let groups = answer.json?["data"]?.list?.compactMap { $0["subscriptionGroupIdentifier"]?.text }
                #expect(groups == entry.groups, "\(entry.id)")
                #expect(answer.verdict == (entry.groups == nil ? 4_000_031 : 200), "\(entry.id)")
            }
        }
    }

    @Test func `a customer without subscriptions has no subscription statuses`() async throws {
        try await ServedStore.run { served in
            try await served.buy("coins")
            let statuses = try await served.client.subscriptionStatuses(of: try await served.appTransaction())
            #expect(statuses.groups.isEmpty)
        }
    }

    @Test func `a family-shared subscription has a separate status for each member`() async throws {
        try await ServedStore.run { served in
            let (store, ann) = (served.store, try served.store.device("phone", of: "ann"))
            try await store.joinFamily("Smith")
            try await ann.joinFamily("Smith")
            let silver = try await served.buy("club.silver")[0]
            try await served.buy("club.bronze", by: ann)
            let customer = try await served.appTransaction(of: "ann")
            func shared() async throws -> (status: SubscriptionState, transaction: TransactionPayload) {
                let groups = try await served.client.subscriptionStatuses(of: customer).groups
                #expect(groups.map(\.identifier) == ["club"])
                let found = try groups[0].subscriptions.map {
                    ($0.status, try APIAnswer.transaction($0.signedTransaction))
                }
                #expect(found.count == 2)
                return try #require(found.first { $0.1.ownershipType == .familyShared })
            }

            let first = try await shared()
            #expect((first.status, first.transaction.productIdentifier) == (.active, "club.silver"))
            #expect(first.transaction.originalTransactionID != silver)
            #expect((first.transaction.price, first.transaction.appTransactionID) == (nil, customer))
            try await store.failBilling("club.silver")
            try await store.advance(by: 40 * .days)
            #expect(try await shared().status == .billingRetry)
            try await store.recoverBilling("club.silver")
            #expect(try await shared().status == .active)
            try await ann.leaveFamily()
            let last = try await shared()
            #expect((last.status, last.transaction.revocationType) == (.revoked, .family))
            #expect(last.transaction.originalTransactionID == first.transaction.originalTransactionID)
            try await store.setRenewal(false, of: "club.silver")
            #expect(try await shared().status == .revoked)
            let own = try await served.client.subscriptionStatuses(of: silver).groups
            // What she has shared with the other member has ended too.
            #expect(own.flatMap(\.subscriptions).map(\.status) == [.active, .revoked])
        }
    }
}
