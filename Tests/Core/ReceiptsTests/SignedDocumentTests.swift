import Foundation
import Testing
import VitrineSupport
import VitrineTestSupport

@testable import VitrineReceipts

@Suite(.hangLimit) struct SignedDocumentTests {
    private let chain: TestChain

    init() throws { chain = try TestChain() }

    @Test(
        arguments: [
            "transaction": (
                #"{"transactionId":"1","bundleId":"com.example.app","environment":"Sandbox"}"#, .transaction
            ),
            "renewal": (#"{"autoRenewStatus":1,"environment":"Sandbox"}"#, .renewal),
            "app transaction": (#"{"receiptType":"Sandbox","bundleId":"com.example.app"}"#, .appTransaction),
            "notification": (
                #"{"notificationType":"TEST","notificationUUID":"1","data":{"bundleId":"com.example.app","environment":"Sandbox"}}"#,
                .notification
            ),
            "realtime request": (#"{"userLocale":"en-US","environment":"Sandbox"}"#, .realtimeRequest),
            "something else": (#"{"environment":"Sandbox","bundleId":"com.example.app"}"#, nil),
        ] as [String: (String, SignedDocumentKind?)])
    func `any document that the store has signed is verified, and its kind is recognized`(
        _: String, document: (payload: String, kind: SignedDocumentKind?)
    ) async throws {
        let token = try chain.token(document.payload)
        let signed = try #require(try await chain.verifier().verify(signedData: token).value)
        #expect(signed.kind == document.kind)
        #expect(signed.signedData == token)
    }

    @Test(
        arguments: [
            "bundle": (#"{"bundleId":"com.example.other","environment":"Sandbox"}"#, [.bundleIdentifier]),
            "environment": (#"{"bundleId":"com.example.app","environment":"Production"}"#, [.environment]),
            "both": (#"{"receiptType":"Production","bundleId":"x"}"#, [.bundleIdentifier, .environment]),
            "no environment": (#"{"bundleId":"com.example.app"}"#, [.payload]),
            "no app": (#"{"notificationType":"TEST","notificationUUID":"1"}"#, [.payload]),
            "long ago": (#"{"environment":"Sandbox","signedDate":1690000000000}"#, [.certificateValidity]),
            "before all time": (#"{"environment":"Sandbox","signedDate":-1}"#, [.payload]),
            "after all time": (#"{"environment":"Sandbox","signedDate":1e300}"#, [.payload]),
            "a huge number": (#"{"environment":"Sandbox","signedDate":1e999}"#, [.payload]),
        ] as [String: (String, [RejectionReason.Code])])
    func `an invalid signed document is refused with its reasons`(
        _: String, document: (payload: String, codes: [RejectionReason.Code])
    ) async throws {
        let verification = try await chain.verifier().verify(signedData: chain.token(document.payload))
        #expect(verification.value == nil)
        #expect(verification.codes == document.codes)
    }

    @Test func `a signed document with incomplete fields is not verified as a transaction`() async throws {
        let token = try chain.token(#"{"transactionId":"1","bundleId":"com.example.app","environment":"Sandbox"}"#)
        #expect(try await chain.verifier().verify(signedData: token).value != nil)
        #expect(try await chain.verifier().verify(transaction: token).codes == [.payload])
    }

    @Test func `a signed document of one kind is not verified as another kind`() async throws {
        let (transaction, app) = (TransactionPayload.sample(), "com.example.app")
        let renewal = RenewalPayload(
            originalTransactionID: "7", productIdentifier: "p", gracePeriodExpiresDate: nil, environment: .sandbox,
            signedDate: .sample)
        let appTransaction = AppTransactionPayload(
            bundleIdentifier: app, applicationVersion: "2", originalApplicationVersion: "1",
            originalPurchaseDate: .sample, originalPlatform: nil, environment: .sandbox, signedDate: .sample)
        let tokens = [
            try chain.token(transaction), try chain.token(renewal), try chain.token(appTransaction),
            try chain.token(
                #"{"notificationType":"TEST","notificationUUID":"1","data":{"bundleId":"\#(app)","environment":"Sandbox"}}"#
            ),
        ]
        let verifier = try chain.verifier()
        for (index, token) in tokens.enumerated() {
            let codes = [
                await verifier.verify(transaction: token).codes, await verifier.verify(renewal: token).codes,
                await verifier.verify(appTransaction: token).codes, await verifier.verify(notification: token).codes,
            ]
            var expected = Array(repeating: [RejectionReason.Code.payload], count: 4)
            expected[index] = []
            #expect(codes == expected)
        }
    }

    @Test func `unknown fields of a transaction are retained`() async throws {
        var text = String(decoding: try TransactionPayload.sample().signedJSON(), as: UTF8.self)
        text = text.dropLast() + #","newField":{"deep":[1,2.5,true,null,"x"]},"price":990}"#
        let signed = try #require(try await chain.verifier().verify(transaction: chain.token(String(text))).value)
        #expect(
            try signed.fields["newField"]
                == .object(["deep": .array([.integer(1), .number(2.5), .bool(true), .null, .string("x")])]))
        #expect(try signed.fields["transactionId"] == .string("7"))
    }

    @Test func `a transaction is verified even if an informational field has another format`() async throws {
        var text = String(decoding: try TransactionPayload.sample().signedJSON(), as: UTF8.self)
        text = text.replacing(#""price":990"#, with: #""price":"990""#)
        text = text.dropLast() + #","offerType":"NEW","transactionReason":7,"revocationPercentage":0.5}"#
        let payload = try #require(
            try await chain.verifier().verify(transaction: chain.token(String(text))).value?.payload)
        #expect((payload.price, payload.offerType, payload.reason) == (nil, nil, nil))
        #expect(payload.revocationPercentage == nil)
    }

    @Test func `a transaction with an empty account token is verified, and names no account`() async throws {
        let text =
            String(decoding: try TransactionPayload.sample().signedJSON(), as: UTF8.self).dropLast()
            + #","appAccountToken":""}"#
        let payload = try #require(
            try await chain.verifier().verify(transaction: chain.token(String(text))).value?.payload)
        #expect(payload.appAccountToken == nil)
    }

    @Test(arguments: [
        #""revocationDate":"soon""#, #""expiresDate":"x""#, #""isUpgraded":1"#, #""appAccountToken":"me""#,
    ])
    func `a transaction with a malformed revocation, expiration, upgrade or account field is refused`(field: String)
        async throws
    {
        let text =
            String(decoding: try TransactionPayload.sample().signedJSON(), as: UTF8.self).dropLast() + ",\(field)}"
        #expect(try await chain.verifier().verify(transaction: chain.token(String(text))).codes == [.payload])
    }

    @Test func `unknown enumeration values of a transaction are retained`() async throws {
        let text =
            String(decoding: try TransactionPayload.sample().signedJSON(), as: UTF8.self).dropLast()
                + """
                ,"offerType":9,"offerDiscountType":"GIFT","transactionReason":"WHIM","revocationReason":7,
                "revocationType":"HALF","billingPlanType":"WEEKLY","inAppOwnershipType":"LENT","offerPeriod":"P1Y",
                "webOrderLineItemId":"3","storefrontId":"143441","appTransactionId":"8","offerIdentifier":"o",
                "subscriptionGroupIdentifier":"g"}
                """
        let payload = try #require(
            try await chain.verifier().verify(transaction: chain.token(String(text))).value?.payload)
        #expect(payload.offerType?.rawValue == 9)
        #expect(payload.offerDiscountType?.rawValue == "GIFT")
        #expect(payload.reason?.rawValue == "WHIM")
        #expect(payload.revocationReason?.rawValue == 7)
        #expect(payload.revocationType?.rawValue == "HALF")
        #expect(payload.billingPlanType?.rawValue == "WEEKLY")
        #expect(payload.ownershipType?.rawValue == "LENT")
        #expect((payload.offerPeriod, payload.webOrderLineItemID, payload.storefrontID) == ("P1Y", "3", "143441"))
        #expect((payload.appTransactionID, payload.offerIdentifier) == ("8", "o"))
        #expect(payload.subscriptionGroupIdentifier == "g")
    }
}
