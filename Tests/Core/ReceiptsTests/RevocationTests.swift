import Foundation
import SwiftASN1
import Synchronization
import Testing
import VitrineNetworking
import VitrineTestSupport
import X509

@testable import VitrineReceipts

/// OCSP responder of OpenSSL, reached over a real connection on this device.
private final class Responder: Sendable {
    enum Manner: Sendable {
        /// OpenSSL answers according to its index of certificates.
        case honest
        case says(LoopbackServer.Answer)
    }

    struct State {
        var manner = Manner.honest
        var revoked: Set<String> = []
        var isKnown = true
        var chain: TestChain?
    }

    let state = Mutex(State())
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    static let isInstalled = FileManager.default.isExecutableFile(atPath: "/usr/bin/openssl")

    /// Answers an OCSP request. The path of the request selects the certificate.
    func answer(to request: LoopbackServer.Request) throws -> LoopbackServer.Answer {
        let state = state.withLock { $0 }
        if case .says(let answer) = state.manner { return answer }
        let chain = try #require(state.chain)
        let level = request.path.hasSuffix("/0") ? 0 : 1
        let name = UUID().uuidString
        try request.body.write(to: folder["\(name).request"])
        let keys = [chain.shape.intermediateKey, chain.shape.rootKey]
        try folder.write(keys[level].serializeAsPEM().pemString, to: "\(name).key")
        try folder.write(chain.certificates[level + 1].serializeAsPEM().pemString, to: "\(name).ca")
        try folder.write(state.isKnown ? index(chain.certificates[level], state.revoked) : "", to: "\(name).index")
        try run([
            "ocsp", "-index", "\(name).index", "-CA", "\(name).ca", "-rsigner", "\(name).ca", "-rkey", "\(name).key",
            "-reqin", "\(name).request", "-respout", "\(name).answer", "-ndays", "1",
        ])
        return .reply(
            headers: ["Content-Type": "application/ocsp-response"],
            body: try Data(contentsOf: folder["\(name).answer"]))
    }

    private func index(_ certificate: Certificate, _ revoked: Set<String>) -> String {
        let serial = certificate.serialNumber.bytes.drop { $0 == 0 }.map { String(format: "%02X", $0) }.joined()
        let isRevoked = revoked.contains(certificate.subject.description)
        let status = isRevoked ? "R\t491231235959Z\t250101000000Z,keyCompromise" : "V\t491231235959Z\t"
        return "\(status)\t\(serial)\tunknown\t/CN=Test\n"
    }

    private func run(_ arguments: [String]) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/openssl")
        process.arguments = arguments
        process.currentDirectoryURL = folder.url
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
    }
}

@Suite(.blocksThreads, .hangLimit, .enabled(if: Responder.isInstalled, "openssl is not installed"))
struct RevocationTests {
    private let responder: Responder
    private let server: LoopbackServer
    private let chain: TestChain
    private let token: String
    /// Clock that starts at the device's date, because OpenSSL dates its answers by the device's clock.
    private let clock = TestClock(Date())

    init() async throws {
        let responder = try Responder()
        server = try await LoopbackServer { request in
            do { return try responder.answer(to: request) } catch { return .reply(500) }
        }
        let (url, now) = (server.url.absoluteString, clock.now)
        chain = try TestChain { shape in
            shape.responder = url
            shape.validity = Array(repeating: (now - 86_400)...(now + 86_400), count: 3)
        }
        let chain = chain
        responder.state.withLock { $0.chain = chain }
        self.responder = responder
        var payload = TransactionPayload.sample()
        payload.signedDate = now
        token = try chain.token(payload)
    }

    private func verifier() throws -> SignedDataVerifier {
        let clock = clock
        return SignedDataVerifier(
            roots: try chain.roots, bundleIdentifier: "com.example.app", environment: .sandbox,
            revocation: DefaultTransport.patient, now: { clock.now })
    }

    private func name(_ level: Int) -> String { chain.certificates[level].subject.description }

    @Test func `a transaction is verified if no certificate is revoked, with one OCSP request per issuer`() async throws
    {
        let verifier = try verifier()
        #expect(await verifier.verify(transaction: token).value != nil)
        #expect(server.requests.map(\.path).sorted() == ["/0", "/1"])
        #expect(server.requests.allSatisfy { $0.method == "POST" })
        #expect(server.requests.allSatisfy { $0.headers["content-type"] == "application/ocsp-request" })

        #expect(await verifier.verify(transaction: token).value != nil)
        #expect(server.requests.count == 2)
    }

    @Test(arguments: [0, 1])
    func `a certificate that its issuer has revoked is refused`(level: Int) async throws {
        let revoked = name(level)
        responder.state.withLock { $0.revoked = [revoked] }
        let verifier = try verifier()
        #expect(await verifier.verify(transaction: token).codes == [.certificateRevoked])
        let count = server.requests.count
        #expect(await verifier.verify(transaction: token).codes == [.certificateRevoked])
        #expect(server.requests.count == count)
    }

    @Test func `an OCSP answer is requested again after 15 minutes`() async throws {
        let verifier = try verifier()
        #expect(await verifier.verify(transaction: token).value != nil)
        let revoked = name(0)
        responder.state.withLock { $0.revoked = [revoked] }
        clock.advance(by: 899)
        #expect(await verifier.verify(transaction: token).value != nil)
        clock.advance(by: 1)
        #expect(await verifier.verify(transaction: token).codes == [.certificateRevoked])
    }

    @Test(
        arguments: [
            "error": .reply(500), "not found": .reply(404), "empty": .reply(200),
            "garbage": .reply(200, body: Data("hello".utf8)), "broken": .broken(after: 3, of: 100),
            "endless": .endless(), "redirected": .reply(302, headers: ["Location": "/"]),
            // An OCSPResponse with the status tryLater.
            "later": .reply(200, body: Data([0x30, 0x03, 0x0A, 0x01, 0x03])),
        ] as [String: LoopbackServer.Answer])
    func `verification is undetermined without an OCSP answer, and the result is not cached`(
        _: String, answer: LoopbackServer.Answer
    ) async throws {
        responder.state.withLock { $0.manner = .says(answer) }
        let verifier = try verifier()
        let verification = await verifier.verify(transaction: token)
        #expect(verification.value == nil)
        #expect(verification.codes.isEmpty)
        #expect(verification.reason?.isEmpty == false)
        #expect(verifier.signers.count == 0)

        responder.state.withLock { $0.manner = .honest }
        #expect(await verifier.verify(transaction: token).value != nil)
    }

    @Test func `a transaction with a certificate that its issuer does not know is not verified`() async throws {
        responder.state.withLock { $0.isKnown = false }
        let verification = try await verifier().verify(transaction: token)
        #expect(verification.value == nil)
        #expect(verification.reason != nil)
    }

    @Test func `an OCSP answer for another certificate chain does not verify a transaction`() async throws {
        let (url, now) = (server.url.absoluteString, clock.now)
        let other = try TestChain { shape in
            shape.responder = url
            shape.validity = Array(repeating: (now - 86_400)...(now + 86_400), count: 3)
        }
        responder.state.withLock { $0.chain = other }
        let verification = try await verifier().verify(transaction: token)
        #expect(verification.value == nil)
        #expect(verification.reason != nil)
    }

    @Test(arguments: [-3.0, 3])
    func `an OCSP answer dated three days earlier or later does not verify a transaction`(days: Double)
        async throws
    {
        clock.advance(by: days * 86_400)
        let verification = try await verifier().verify(transaction: token)
        #expect(verification.value == nil)
        #expect(verification.reason != nil)
    }

    @Test(arguments: [nil, "ldap://127.0.0.1/", "http://", "nonsense"])
    func `a transaction with a certificate that has no usable OCSP address is not verified`(responder: String?)
        async throws
    {
        let now = clock.now
        let silent = try TestChain { shape in
            shape.responder = responder
            shape.validity = Array(repeating: (now - 86_400)...(now + 86_400), count: 3)
        }
        let verifier = SignedDataVerifier(
            roots: try silent.roots, bundleIdentifier: "com.example.app", environment: .sandbox,
            revocation: DefaultTransport.patient, now: { now })
        var payload = TransactionPayload.sample()
        payload.signedDate = now
        let verification = await verifier.verify(transaction: try silent.token(payload))
        #expect(verification.value == nil)
        #expect(verification.reason != nil)
    }

    @Test func `a transaction that is refused for other reasons causes no OCSP request`() async throws {
        var payload = TransactionPayload.sample()
        payload.signedDate = clock.now
        payload.environment = .production
        #expect(try await verifier().verify(transaction: chain.token(payload)).codes == [.environment])
        #expect(try await verifier().verify(transaction: token.dropLast() + "!").codes == [.malformed])
        #expect(server.requests.isEmpty)
    }
}
