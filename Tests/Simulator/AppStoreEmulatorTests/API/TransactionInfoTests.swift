import Foundation
import HTTPTypes
import Testing
import VitrinePurchasing
import VitrineReceipts
import VitrineStoreSimulator
import VitrineTestSupport

/// Requests for a single transaction: `GET /inApps/v1/transactions/{transactionId}`.
@Suite(.hangLimit) struct TransactionInfoTests {
    private static let path = "/inApps/v1/transactions"

    @Test(arguments: [
        ("coins", SignedProductKind.consumable), ("map", .nonConsumable), ("pass", .nonRenewingSubscription),
        ("club.silver", .autoRenewableSubscription),
    ])
    func `transaction information is returned for new, finished and refunded transactions`(
        product: String, kind: SignedProductKind
    ) async throws {
        try await ServedStore.run { served in
            let (caller, verifier) = (try APICaller(served), try served.verifier())
            let id = try await served.buy(product)[0]

            func info() async throws -> TransactionPayload {
                let answer = try await caller.send(.get, "\(Self.path)/\(id)")
                #expect(answer.status == 200)
                #expect(answer.fields[.contentType] == "application/json")
                let signed = try #require(answer[text: "signedTransactionInfo"])
                guard case .verified(let transaction) = await verifier.verify(transaction: signed) else {
                    throw ServedTestFailure("the transaction is not verified")
                }
                return transaction.payload
            }

            let new = try await info()
            #expect((new.transactionID, new.originalTransactionID) == (id, id))
            #expect((new.productIdentifier, new.type) == (product, kind))
            #expect((new.environment, new.bundleIdentifier) == (.sandbox, ServedStore.bundle))
            #expect((new.purchaseDate, new.signedDate) == (ServedStore.start, ServedStore.start))
            #expect((new.storefront, new.currency, new.reason) == ("USA", "USD", .purchase))
            #expect(new.appTransactionID == (try await served.appTransaction()))
            #expect((new.expiresDate != nil) == (kind == .autoRenewableSubscription))
            #expect((new.deviceVerification, new.revocationDate) == (nil, nil))

            for transaction in try await served.store.unfinishedTransactions() {
                try await served.store.finish(transaction)
            }
            #expect(try await info() == new)

            try await served.store.refund(id, .percent(30))
            let refunded = try await info()
            #expect((refunded.revocationDate, refunded.revocationReason) == (ServedStore.start, .other))
            #expect((refunded.revocationType, refunded.revocationPercentage) == (.proratedRefund, 30_000))
            #expect(refunded.signedDate > new.signedDate)

            try await served.store.reverseRefund(id)
            #expect(try await info().revocationDate == nil)

            // Apple names the percentage of each refund: 100 percent are 100,000.
            try await served.store.refund(id)
            let whole = try await info()
            #expect((whole.revocationType, whole.revocationPercentage) == (.fullRefund, 100_000))
        }
    }

    @Test func `a transaction identifier that is malformed, unknown or an app transaction is refused`() async throws {
        let other = try ServedStore.club(seed: 8)
        let otherTransaction = try await other.purchaseElsewhere("coins").id
        let otherCustomer = try #require(try await other.customers().first).appTransactionID
        try await ServedStore.run { served in
            let id = try await served.buy("coins")[0]
            try await served.store.setAsksToBuy(true)
            _ = try await served.store.purchase("map", options: .init())
            let pending = try #require(try await served.store.pendingPurchases().first).id
            let (caller, customer) = (try APICaller(served), try await served.appTransaction())
            let cases: [(id: String, text: String, expected: Int)] = [
                ("the transaction", id, 200),
                ("its number, escaped", "%3\(id.prefix(1))\(id.dropFirst())", 200),
                ("letters", "abc", 4_000_006),
                ("a sign", "-7", 4_000_006),
                ("a plus sign", "+\(id)", 4_000_006),
                ("a leading zero", "0\(id)", 4_000_006),
                ("a blank before it", "%20\(id)", 4_000_006),
                ("a line end behind it", "\(id)%0A", 4_000_006),
                ("Arabic digits", "%D9%A7%D9%A8", 4_000_006),
                ("hexadecimal digits", "0x10", 4_000_006),
                ("a fraction", "\(id).0", 4_000_006),
                ("more than 64 bits", "9999999999999999999", 4_000_006),
                ("a hundred digits", String(repeating: "7", count: 100), 4_000_006),
                ("an unknown one", ServedStore.unknown, 4_040_010),
                ("zero", "0", 4_040_010),
                ("one of another store", otherTransaction, 4_040_010),
                ("the app transaction", customer, 4_000_048),
                ("the app transaction of another store", otherCustomer, 4_040_010),
                ("a purchase that waits for approval", pending, 4_040_010),
                ("nothing", "", 4_000_006),
            ]
            for entry in cases {
                #expect(
                    try await caller.send(.get, "\(Self.path)/\(entry.text)").verdict == entry.expected, "\(entry.id)")
            }
        }
    }

    @Test func `transaction information of a renewal has its own dates and names the first transaction`() async throws {
        try await ServedStore.run { served in
            let first = try await served.buy("club.silver")[0]
            try await served.store.advance(by: 70 * .days)
            let all = try await served.store.transactions()
            #expect(all.count == 3)

            let caller = try APICaller(served)
            for transaction in all {
                let payload = try await caller.send(.get, "\(Self.path)/\(transaction.id)").transaction
                #expect(payload.originalTransactionID == first)
                #expect(payload.reason == (transaction.id == first ? .purchase : .renewal))
                #expect(
                    (payload.purchaseDate, payload.expiresDate) == (
                        transaction.purchaseDate, transaction.expirationDate
                    ))
                #expect(payload.webOrderLineItemID != nil)
                #expect(payload.subscriptionGroupIdentifier == "club")
            }
        }
    }
}
