import Foundation
import HTTPTypes
import Testing
import VitrineReceipts
import VitrineStoreSimulator
import VitrineTestSupport

/// Offer codes for products that are bought once, as the app's server sees them.
@Suite(.hangLimit) struct OfferCodeNotificationTests {
    @Test(arguments: [("coins", "c"), ("map", "m"), ("pass", "p")])
    func `a redeemed offer code is notified as a charge, and the server's transaction names the offer`(
        product: String, internalID: String
    ) async throws {
        let code = #""codeOffers": [{"referenceName": "gift", "displayPrice": "0.29"}],"#
        try await NotifiedStore.run { text in
            text.replacing(#""internalID": "\#(internalID)","#, with: #""internalID": "\#(internalID)", \#(code)"#)
        } _: { notified in
            let redeemed = try await notified.store.redeem("gift", of: product)

            let received = try await notified.received()
            #expect(received.map(\.row) == ["ONE_TIME_CHARGE"])
            let answer = try await APICaller(notified.served).send(.get, "/inApps/v1/transactions/\(redeemed.id)")
            let looked = try APIAnswer.transaction(try #require(answer[text: "signedTransactionInfo"]))
            for transaction in [received.first?.transaction, looked] {
                #expect(transaction?.productIdentifier == product)
                #expect((transaction?.offerType, transaction?.offerIdentifier) == (.offerCode, "gift"))
                #expect((transaction?.offerDiscountType, transaction?.offerPeriod) == (.oneTime, nil))
                #expect(transaction?.price == 290)
            }
        }
    }
}
