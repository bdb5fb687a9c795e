import Foundation
import Testing
import VitrineNetworking
import VitrineSupport
import VitrineTestSupport

@testable import VitrineReceipts

@Suite(.hangLimit) struct ServerVerifierTests {
    private let transaction = SignedTransaction(payload: .sample(), signedData: "header.payload.signature")
    private let receipt = SignedAppReceipt(receipt: .sample(), data: Data([0x30, 0x80, 0xFF]))

    private func verifier(
        _ url: URL, transport: DefaultTransport = DefaultTransport.patient
    ) -> ServerVerifier {
        ServerVerifier(url: url.appending(path: "verify"), bundleIdentifier: "com.example.app", transport: transport)
    }

    @Test func `a transaction is posted to the app's server as JSON, and verified`() async throws {
        let server = try await LoopbackServer(.json(#"{"verdict": "verified"}"#))
        let answer = await verifier(server.url).confirm(transaction)

        #expect(answer.value == transaction)
        let request = try #require(server.requests.first)
        #expect(request.method == "POST")
        #expect(request.path == "/verify")
        #expect(request.headers["content-type"] == "application/json")
        #expect(
            try JSONDecoder().decode([String: String].self, from: request.body)
                == ["bundleId": "com.example.app", "signedTransaction": "header.payload.signature"])
    }

    @Test func `an app receipt is posted to the app's server in base64, and verified`() async throws {
        let server = try await LoopbackServer(.json(#"{"verdict": "verified"}"#))
        let answer = await verifier(server.url).confirm(receipt)

        #expect(answer.value == receipt)
        let request = try #require(server.requests.first)
        #expect(
            try JSONDecoder().decode([String: String].self, from: request.body)
                == ["bundleId": "com.example.app", "appReceipt": "MID/"])
    }

    @Test(
        arguments: [
            (#"{"verdict": "rejected", "reason": "seen before"}"#, "seen before"),
            (#"{"verdict": "rejected", "more": [1]}"#, "the app's server rejected the data"),
        ]
    )
    func `data rejected by the app's server is rejected with the server's reason`(reply: String, reason: String)
        async throws
    {
        let server = try await LoopbackServer(.json(reply))

        guard case .rejected(let reasons) = await verifier(server.url).confirm(transaction) else {
            Issue.record("it is not rejected")
            return
        }
        #expect(reasons == [RejectionReason(code: .app, reason: reason)])
    }

    @Test(
        arguments: [
            ("the server cannot tell", .json(#"{"verdict": "undetermined", "reason": "busy"}"#), "busy"),
            ("without a reason", .json(#"{"verdict": "undetermined"}"#), "the app's server cannot verify the data now"),
            (
                "unknown verdict", .json(#"{"verdict": "Verified"}"#),
                #"the app's server sent an unknown verdict: "Verified""#
            ),
            ("verdict of another type", .json(#"{"verdict": true}"#), .form),
            ("no verdict", .json("{}"), .form),
            ("an array", .json("[]"), .form),
            ("no JSON", .json("verified"), .form),
            ("cut off", .json(#"{"verdict": "verified""#), .form),
            ("nothing", .reply(), .form),
            ("nested", .json(String(repeating: "[", count: 60_000)), .form),
            (
                "too large", .json(String(repeating: " ", count: 65_537)),
                .notAsked("the reply has more than 65536 bytes")
            ),
            ("endless", .endless(), .notAsked("the reply has more than 65536 bytes")),
            ("another success", .json(#"{"verdict": "verified"}"#, status: 201), .status(201)),
            ("nothing new", .reply(304), .status(304)),
            ("bad request", .json(#"{"verdict": "rejected"}"#, status: 400), .status(400)),
            ("unauthorised", .reply(401), .status(401)),
            ("not found", .reply(404), .status(404)),
            ("slow", .reply(408), .status(408)),
            ("too often", .reply(429), .status(429)),
            ("failed", .json(#"{"verdict": "rejected"}"#, status: 500), .status(500)),
            ("away", .reply(503), .status(503)),
        ] as [(String, LoopbackServer.Answer, String)]
    )
    func `a reply without a clear verdict is undetermined, and the app's server is asked again next time`(
        name: String, answer: LoopbackServer.Answer, reason: String
    ) async throws {
        let answers = Recorder<LoopbackServer.Answer>()
        answers.record(answer)
        let server = try await LoopbackServer { _ in answers.values.last ?? .silence }
        let verifier = verifier(server.url)

        #expect(await verifier.confirm(transaction).reason == reason)
        answers.record(.json(#"{"verdict": "verified"}"#))
        #expect(await verifier.confirm(transaction).value == transaction)
        #expect(server.requests.count == 2)
    }

    @Test func `a redirect from the app's verification server is not followed`() async throws {
        let other = try await LoopbackServer(.json(#"{"verdict": "verified"}"#))
        let server = try await LoopbackServer(.redirect(to: other.url, status: 307))

        #expect(await verifier(server.url).confirm(transaction).reason == .status(307))
        #expect(other.requests.isEmpty)
    }

    @Test func `verification is undetermined if the reply of the app's server is interrupted`() async throws {
        let server = try await LoopbackServer(.broken(after: 10, of: 20))
        #expect(
            await verifier(server.url).confirm(transaction).reason?.hasPrefix("the server request failed") == true)
    }

    @Test func `verification is undetermined if the app's server is unreachable`() async throws {
        let address = try DeadAddress()
        #expect(
            await verifier(address.url).confirm(transaction).reason?.hasPrefix("the server request failed") == true)
    }

    @Test func `verification is undetermined if the app's server does not reply within 30 seconds`() async throws {
        let server = try await LoopbackServer(.silence)
        let sleep = ManualSleep()
        let verifier = verifier(server.url, transport: DefaultTransport(sleep: { try await sleep.sleep($0) }))
        async let reason = verifier.confirm(transaction).reason
        await server.arrival()
        sleep.wake()

        #expect(await reason == .notAsked("the reply was not complete within 30 s"))
    }

    @Test func `a verification server without an https address is not contacted`() async throws {
        let url = try #require(URL(string: "http://example.com/verify"))
        let reason = await verifier(url).confirm(transaction).reason
        #expect(reason == .notAsked("the address http://example.com/verify/verify is not encrypted: use https"))
    }

    @Test func `a verified transaction is not sent to the app's server again, and a rejection is not cached`()
        async throws
    {
        let server = try await LoopbackServer(
            .json(#"{"verdict": "rejected"}"#), .json(#"{"verdict": "verified"}"#), .json(#"{"verdict": "rejected"}"#))
        let verifier = verifier(server.url)
        let other = SignedTransaction(payload: .sample(), signedData: "header.payload.other")

        #expect(await verifier.confirm(transaction).codes == [.app])
        #expect(await verifier.confirm(transaction).value == transaction)
        #expect(await verifier.confirm(transaction).value == transaction)
        #expect(server.requests.count == 2)
        #expect(await verifier.confirm(other).codes == [.app])
        #expect(server.requests.count == 3)
    }

    @Test func `the cache of verified digests is limited, and the oldest digest is removed first`() {
        let digests = VerifiedDigests(limit: 2)
        for text in ["a", "b", "b", "c"] { digests.insert(Data(text.utf8)) }

        #expect(["a", "b", "c"].map { digests.contains(Data($0.utf8)) } == [false, true, true])
    }

    @Test func `a receipt is sent to the app's server only if it is new and was verified on the device`()
        async throws
    {
        struct Fixed: ReceiptVerifier {
            let answer: Verification<SignedAppReceipt>
            func verify(receipt data: Data) async -> Verification<SignedAppReceipt> { answer }
        }
        let server = try await LoopbackServer(.json(#"{"verdict": "rejected"}"#))
        func confirmed(_ answer: Verification<SignedAppReceipt>) async -> Verification<SignedAppReceipt> {
            await Fixed(answer: answer).confirmed(by: verifier(server.url)).verify(receipt: Data())
        }
        let reason = RejectionReason(code: .signature, reason: "bad")

        #expect(await confirmed(.rejected([reason])).codes == [.signature])
        #expect(await confirmed(.undetermined("no network")).reason == "no network")
        #expect(server.requests.isEmpty)
        #expect(await confirmed(.verified(receipt)).codes == [.app])
        #expect(
            await Fixed(answer: .verified(receipt)).confirmed(by: verifier(server.url)).verify(stored: Data()).value
                == receipt)
        #expect(server.requests.count == 1)
        #expect(
            await Fixed(answer: .verified(receipt)).confirmed(by: verifier(server.url)).verify(moved: Data()).codes
                == [.app])
        #expect(server.requests.count == 2)
    }
}

extension String {
    fileprivate static let form = "the server's response does not have the expected format"

    fileprivate static func status(_ code: Int) -> String { "the server answered with the status \(code)" }

    fileprivate static func notAsked(_ reason: String) -> String { "the server request failed: \(reason)" }
}
