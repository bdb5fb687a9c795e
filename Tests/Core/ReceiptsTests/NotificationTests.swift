import Foundation
import Testing
import VitrineSupport
import VitrineTestSupport

@testable import VitrineReceipts

@Suite(.hangLimit) struct NotificationTests {
    private let chain: TestChain

    init() throws { chain = try TestChain() }

    private static let id = "469bf30e-7715-4f9f-aae3-a7bfc12aea77"

    private func notification(_ rest: String, type: String = "DID_RENEW") throws -> String {
        try chain.token(
            """
            {"notificationType":"\(type)","notificationUUID":"\(Self.id)","version":"2.0","signedDate":1790000000000,\
            \(rest)}
            """)
    }

    private func data(
        _ extra: [String: String] = [:], bundle: String = "com.example.app", environment: String = "Sandbox"
    )
        -> String
    {
        let members = extra.map { #","\#($0)":"\#($1)""# }.joined()
        return #""data":{"bundleId":"\#(bundle)","environment":"\#(environment)"\#(members)}"#
    }

    private let renewal = RenewalPayload(
        originalTransactionID: "7", productIdentifier: "com.example.app.coins", gracePeriodExpiresDate: nil,
        environment: .sandbox, signedDate: .sample)

    @Test func `a notification is verified together with its transaction and renewal`() async throws {
        let transaction = try chain.token(TransactionPayload.sample())
        let renewal = try chain.token(renewal)
        let token = try notification(data(["signedTransactionInfo": transaction, "signedRenewalInfo": renewal]))
        let signed = try #require(try await chain.verifier().verify(notification: token).value)

        #expect(signed.payload.type == .didRenew)
        #expect(signed.payload.notificationID == Self.id)
        #expect(signed.transaction?.payload == .sample())
        #expect(signed.transaction?.signedData == transaction)
        #expect(signed.renewal?.payload == self.renewal)
        #expect(signed.appTransaction == nil)
        #expect(signed.signedData == token)
    }

    @Test func `a notification with an invalid transaction or renewal is refused`() async throws {
        var (elsewhere, other) = (TransactionPayload.sample(), TransactionPayload.sample())
        elsewhere.environment = .production
        other.bundleIdentifier = "com.example.other"
        let stranger = try TestChain()
        let cases: [(String, RejectionReason.Code)] = [
            (try chain.token(elsewhere), .environment), (try chain.token(other), .bundleIdentifier),
            (try stranger.token(TransactionPayload.sample()), .certificateChain),
            (try chain.token(renewal), .payload), ("", .malformed), ("unsigned", .malformed),
        ]
        for (inner, code) in cases {
            let verification = try await chain.verifier().verify(
                notification: notification(data(["signedTransactionInfo": inner])))
            #expect(verification.value == nil)
            #expect(verification.codes == [code])
        }
        let verification = try await chain.verifier().verify(
            notification: notification(
                data(["signedTransactionInfo": chain.token(other), "signedRenewalInfo": chain.token(elsewhere)])))
        #expect(verification.codes == [.bundleIdentifier, .payload])
    }

    @Test func `a notification without a signed date is checked against the current date`() async throws {
        let token = try chain.token(
            #"{"notificationType":"TEST","notificationUUID":"1",\#(data())}"#)
        #expect(try await chain.verifier().verify(notification: token).value?.payload.signedDate == nil)
        #expect(
            try await chain.verifier(now: .sample + 2_000).verify(notification: token).codes == [.certificateValidity])
    }

    @Test func `a wrong app and a wrong environment of a notification are both reported`() async throws {
        let token = try notification(data(bundle: "com.example.other", environment: "Production"))
        #expect(
            try await chain.verifier().verify(notification: token).codes == [.bundleIdentifier, .environment])
    }

    @Test func `a notification's app identifier is checked in production only`() async throws {
        let named = try notification(
            #""data":{"bundleId":"com.example.app","environment":"Production","appAppleId":1234}"#)
        #expect(
            try await chain.verifier(app: 1234, environment: .production).verify(notification: named).value != nil)
        #expect(
            try await chain.verifier(app: 1235, environment: .production).verify(notification: named).codes
                == [.appIdentifier])
        #expect(try await chain.verifier(environment: .production).verify(notification: named).value != nil)

        let sandbox = try notification(
            #""data":{"bundleId":"com.example.app","environment":"Sandbox","appAppleId":1234}"#)
        #expect(try await chain.verifier(app: 1235).verify(notification: sandbox).value != nil)
    }

    @Test func `the summary of a renewal extension notification is read`() async throws {
        let token = try notification(
            """
            "subtype":"SUMMARY","summary":{"environment":"Sandbox","bundleId":"com.example.app","productId":"p",\
            "requestIdentifier":"r","storefrontCountryCodes":["CAN","USA"],"succeededCount":5,"failedCount":2}
            """, type: "RENEWAL_EXTENSION")
        let payload = try #require(try await chain.verifier().verify(notification: token).value?.payload)
        #expect((payload.type, payload.subtype) == (.renewalExtension, .summary))
        #expect(payload.summary?.storefrontCountryCodes == ["CAN", "USA"])
        #expect(payload.summary?.succeededCount == 5)
    }

    @Test(arguments: [
        "sandbox": ("SANDBOX_1", StoreEnvironment.sandbox), "production": ("1", .production),
    ])
    func `an external purchase token's identifier determines its environment`(
        _: String, token: (identifier: String, environment: StoreEnvironment)
    ) async throws {
        let text = try notification(
            """
            "subtype":"UNREPORTED","externalPurchaseToken":{"externalPurchaseId":"\(token.identifier)",\
            "tokenCreationDate":1790000000000,"appAppleId":1,"bundleId":"com.example.app"}
            """, type: "EXTERNAL_PURCHASE_TOKEN")
        let payload = try await chain.verifier(environment: token.environment).verify(notification: text).value?.payload
        #expect(payload?.externalPurchaseToken?.creationDate == .sample)
        let other: StoreEnvironment = token.environment == .sandbox ? .production : .sandbox
        #expect(try await chain.verifier(environment: other).verify(notification: text).codes == [.environment])
    }

    @Test func `an app transaction in a notification is verified`() async throws {
        let payload = AppTransactionPayload(
            bundleIdentifier: "com.example.app", applicationVersion: "2", originalApplicationVersion: "1",
            originalPurchaseDate: .sample, originalPlatform: nil, environment: .sandbox, signedDate: .sample)
        func token(_ inner: String) throws -> String {
            try notification(
                """
                "appData":{"environment":"Sandbox","bundleId":"com.example.app","signedAppTransactionInfo":"\(inner)"}
                """, type: "RESCIND_CONSENT")
        }
        let good = try await chain.verifier().verify(notification: token(chain.token(payload)))
        #expect(good.value?.appTransaction?.payload == payload)
        let bad = try await chain.verifier().verify(notification: token(TestChain().token(payload)))
        #expect(bad.codes == [.certificateChain])
    }

    @Test func `a notification without an app, environment, type or identifier is refused`() async throws {
        for text in [
            #"{"notificationType":"TEST","notificationUUID":"1"}"#,
            #"{"notificationType":"TEST","notificationUUID":"",\#(data())}"#,
            #"{"notificationUUID":"1",\#(data())}"#,
            #"{"notificationType":"TEST","notificationUUID":"1","data":{"environment":"Sandbox"}}"#,
            #"{"notificationType":"TEST","notificationUUID":"1","data":{"bundleId":"com.example.app"}}"#,
        ] {
            #expect(try await chain.verifier().verify(notification: chain.token(text)).codes == [.payload])
        }
    }

    @Test func `a notification whose summary names another app than its data is refused`() async throws {
        let token = try notification(
            data() + #","summary":{"environment":"Sandbox","bundleId":"com.example.other"}"#)
        #expect(try await chain.verifier().verify(notification: token).codes == [.bundleIdentifier])
    }

    @Test func `an unknown notification type is retained as a raw value`() async throws {
        let token = try notification(
            #""subtype":"SOME",\#(data(["consumptionRequestReason": "WHIM"]))"#, type: "NEWS_OF_2030")
        let payload = try #require(try await chain.verifier().verify(notification: token).value?.payload)
        #expect(payload.type.rawValue == "NEWS_OF_2030")
        #expect(payload.subtype?.rawValue == "SOME")
        #expect(payload.data?.consumptionRequestReason?.rawValue == "WHIM")
    }
}
