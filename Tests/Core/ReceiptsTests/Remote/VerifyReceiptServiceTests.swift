import Foundation
import Testing
import VitrineNetworking
import VitrineSupport
import VitrineTestSupport

@testable import VitrineReceipts

@Suite(.hangLimit) struct VerifyReceiptServiceTests {
    private let receipt = Data("receipt".utf8)

    /// Returns the result of `reply(to:)` for given answers of production and sandbox, and the numbers of requests.
    private func verify(
        _ production: LoopbackServer.Answer, sandbox: LoopbackServer.Answer = .reply(500),
        environments: Set<StoreEnvironment> = [.production]
    ) async throws -> (answer: Verification<VerifyReceiptReply>, asked: [Int]) {
        let services = ReceiptServices(
            production: try await LoopbackServer(production), sandbox: try await LoopbackServer(sandbox))
        return (await services.service(environments).reply(to: receipt), services.asked)
    }

    // MARK: Requests

    @Test func `a receipt is posted to verifyReceipt in base64, without optional fields`() async throws {
        let server = try await LoopbackServer(.receiptStatus(0))
        #expect(await ReceiptServices(production: server).service().reply(to: receipt).value != nil)

        let request = try #require(server.requests.first)
        #expect(request.method == "POST")
        #expect(String(decoding: request.body, as: UTF8.self) == #"{"receipt-data":"cmVjZWlwdA=="}"#)
    }

    @Test func `the shared secret and the exclusion of old transactions are posted to verifyReceipt`() async throws {
        let server = try await LoopbackServer(.receiptStatus(0))
        let service = VerifyReceiptService(
            bundleIdentifier: "com.example.app", password: "secret", excludesOldTransactions: true,
            production: server.url, transport: DefaultTransport.patient)
        _ = await service.reply(to: receipt)

        #expect(
            String(decoding: try #require(server.requests.first).body, as: UTF8.self)
                == #"{"exclude-old-transactions":true,"password":"secret","receipt-data":"cmVjZWlwdA=="}"#)
    }

    // MARK: Status

    @Test(
        arguments: [
            (0, "verified"), (21000, "undetermined"), (21001, "undetermined"), (21002, "undetermined"),
            (21003, "signature"), (21004, "undetermined"), (21005, "undetermined"), (21006, "verified"),
            (21009, "undetermined"), (21010, "store"), (21099, "undetermined"), (21100, "undetermined"),
            (21199, "undetermined"), (21200, "undetermined"), (-1, "undetermined"), (1, "undetermined"),
        ]
    )
    func `each verifyReceipt status leads to its defined verification result`(status: Int, word: String) async throws {
        let (answer, asked) = try await verify(.receiptStatus(status))
        #expect(answer.word == word)
        #expect(asked == [1, 0])
    }

    @Test(
        arguments: [
            ("true", "undetermined"), ("1", "undetermined"), ("false", "store"), ("0", "store"),
            (#""yes""#, "undetermined"), ("null", "undetermined"),
        ]
    )
    func `an internal error of verifyReceipt rejects a receipt only if the reply marks it as not retryable`(
        flag: String, word: String
    )
        async throws
    {
        #expect(try await verify(.json(#"{"status": 21104, "is-retryable": \#(flag)}"#)).answer.word == word)
    }

    @Test(
        arguments: [
            .reply(503), .json(#"{"status": 0}"#, status: 500), .reply(404), .json("no JSON"), .json("{}"),
            .json(#"{"status": "0"}"#), .json(#"{"status": 1e400}"#), .json(#"{"status": 0, "receipt": []}"#),
            .json(#"{"status": 0, "receipt": {"in_app": [{"quantity": "x"}]}}"#), .broken(after: 5, of: 9),
        ] as [LoopbackServer.Answer]
    )
    func `an invalid reply of the verifyReceipt service leaves the verification undetermined`(
        answer: LoopbackServer.Answer
    ) async throws {
        #expect(try await verify(answer).answer.word == "undetermined")
    }

    @Test func `a verifyReceipt service that does not reply leaves the verification undetermined`() async throws {
        let server = try await LoopbackServer(.silence)
        let sleep = ManualSleep()
        let service = VerifyReceiptService(
            bundleIdentifier: "com.example.app", production: server.url,
            transport: DefaultTransport(sleep: { try await sleep.sleep($0) }))
        async let answer = service.reply(to: receipt)
        await server.arrival()
        sleep.wake()

        #expect(await answer.word == "undetermined")
    }

    // MARK: App and environment

    @Test func `a receipt for another app is rejected, even if the verifyReceipt status is valid`() async throws {
        #expect(try await verify(.receiptStatus(0, bundle: "com.example.other")).answer.word == "bundle-identifier")
        #expect(try await verify(.json(#"{"status": 0}"#)).answer.word == "undetermined")
        #expect(
            try await verify(.receiptStatus(0, bundle: "com.example.other", environment: "Sandbox")).answer.word
                == "bundle-identifier, environment")
    }

    @Test(
        arguments: [
            ("a sandbox receipt, of production", [.production], 21007, 0, "environment", [1, 0]),
            ("a sandbox receipt, of both", [.production, .sandbox], 21007, 0, "verified", [1, 1]),
            ("a production receipt, of both", [.production, .sandbox], 0, 21008, "verified", [1, 0]),
            ("a production receipt, of the sandbox", [.sandbox], 0, 21008, "environment", [0, 1]),
            ("a sandbox receipt, of the sandbox", [.sandbox], 21007, 0, "verified", [0, 1]),
            ("the services refer to each other", [.production, .sandbox], 21007, 21008, "undetermined", [1, 1]),
            ("the sandbox refers to itself", [.production, .sandbox], 21007, 21007, "undetermined", [1, 1]),
            ("production refers to itself", [.production], 21008, 0, "undetermined", [1, 0]),
            ("the sandbox rejects", [.production, .sandbox], 21007, 21003, "signature", [1, 1]),
            ("Xcode's only", [StoreEnvironment(rawValue: "Xcode")], 0, 0, "undetermined", [0, 0]),
        ] as [(String, Set<StoreEnvironment>, Int, Int, String, [Int])]
    )
    func `verifyReceipt is asked for the other environment at most once, and only if its receipts are accepted`(
        name: String, environments: Set<StoreEnvironment>, production: Int, sandbox: Int, word: String, asked: [Int]
    ) async throws {
        let result = try await verify(
            .receiptStatus(production), sandbox: .receiptStatus(sandbox, environment: "Sandbox"),
            environments: environments)
        #expect(result.answer.word == word)
        #expect(result.asked == asked)
    }

    @Test func `a receipt is rejected if the verifyReceipt reply names an environment that is not accepted`()
        async throws
    {
        #expect(try await verify(.receiptStatus(0, environment: "Sandbox")).answer.word == "environment")
        #expect(try await verify(.receiptStatus(0, environment: "Xcode")).answer.word == "environment")
    }

    // MARK: What the reply holds

    @Test
    func `purchases and renewals of a verifyReceipt reply are read, and found by identifier, product and quantity`()
        async throws
    {
        let reply = try await verify(
            .json(
                """
                {"status": 0, "environment": "Production",
                 "receipt": {"bundle_id": "com.example.app", "adam_id": 1, "in_app": [
                    {"quantity": "2", "product_id": "com.example.app.coins", "transaction_id": "7",
                     "original_transaction_id": "7", "is_trial_period": "false"}]},
                 "latest_receipt_info": [
                    {"quantity": "1", "product_id": "com.example.app.pass", "transaction_id": "9"}]}
                """
            )
        ).answer.value

        #expect(reply?.purchases.map(\.transactionID) == ["7", "9"])
        let payload = TransactionPayload.sample()
        #expect(reply?.purchase(for: payload)?.productIdentifier == payload.productIdentifier)
        for change in [
            { $0.transactionID = "8" }, { $0.productIdentifier += "x" }, { $0.quantity = 1 },
        ] as [(inout TransactionPayload) -> Void] {
            var other = payload
            change(&other)
            #expect(reply?.purchase(for: other) == nil)
        }
    }

    @Test(
        arguments: [
            (#""cancellation_date": "2026-11-01 10:00:00 Etc/GMT""#, true),
            (#""cancellation_date_ms": "1793527200000""#, true), (#""cancellation_date": """#, false),
        ]
    )
    func `a cancelled purchase in a verifyReceipt reply is not matched with its transaction`(
        field: String, isCancelled: Bool
    ) async throws {
        let purchase = #""quantity": "2", "product_id": "com.example.app.coins", "transaction_id": "7""#
        let reply = try await verify(
            .json(
                """
                {"status": 0, "receipt": {"bundle_id": "com.example.app", "in_app": [{\(purchase)}]},
                 "latest_receipt_info": [{\(purchase), \(field)}]}
                """
            )
        ).answer.value

        #expect(reply?.purchases.map(\.isCancelled) == [false, isCancelled])
        #expect((reply?.purchase(for: .sample()) == nil) == isCancelled)
    }

    @Test func `a receipt that is already in base64 is posted to verifyReceipt without being encoded again`()
        async throws
    {
        let server = try await LoopbackServer(.receiptStatus(0))
        _ = await ReceiptServices(production: server).service().reply(to: Data("MAA=\n".utf8))

        let request = try #require(server.requests.first)
        #expect(String(decoding: request.body, as: UTF8.self) == #"{"receipt-data":"MAA="}"#)
    }

    @Test func `a verifyReceipt reply in the oldest format is read with its purchase and expired subscription`()
        async throws
    {
        let fields = #""quantity": "1", "product_id": "com.example.app.pass", "transaction_id": "#
        let reply = try await verify(
            .json(
                """
                {"status": 21006, "receipt": {"bid": "com.example.app", \(fields) "7"},
                 "latest_expired_receipt_info": {"bid": "com.example.app", \(fields) "8"}}
                """
            )
        ).answer.value

        #expect(reply?.status == 21006)
        #expect(reply?.environment == .production)
        #expect(reply?.purchases.map(\.transactionID) == ["7", "8"])
    }

    // MARK: Confirming

    @Test func `a verified receipt is not posted to verifyReceipt again, and other results are not cached`()
        async throws
    {
        let signed = SignedAppReceipt(receipt: .sample(), data: receipt)
        let server = try await LoopbackServer(
            .reply(500), .receiptStatus(21003), .receiptStatus(0), .receiptStatus(21003))
        let service = ReceiptServices(production: server).service()

        #expect(await service.confirm(signed).word == "undetermined")
        #expect(await service.confirm(signed).word == "signature")
        #expect(await service.confirm(signed).value == signed)
        #expect(await service.confirm(signed).value == signed)
        #expect(server.requests.count == 3)
    }
}

extension Verification {
    fileprivate var word: String {
        switch self {
        case .verified: "verified"
        case .rejected: codes.map(\.description).joined(separator: ", ")
        case .undetermined: "undetermined"
        }
    }
}
