import Foundation
import SwiftASN1
import Testing
import VitrineNetworking
import VitrineTestSupport
import X509

@testable import VitrineReceipts

/// Requests of other verifiers to the responder over a real connection.
@Suite(.blocksThreads, .hangLimit) struct ResponderPeerTests {
    private let server: LoopbackServer
    /// Signing identity whose certificates name the server as their responder.
    private let identity: SigningIdentity
    private let date = Date()

    init() async throws {
        let first = try SigningIdentity.make(around: date)
        let date = date
        server = try await LoopbackServer { .ocsp(first.respond(to: $0.body, at: date)) }
        identity = try first.naming(responder: server.url)
    }

    private func token(_ identity: SigningIdentity) throws -> String {
        var payload = TransactionPayload.sample()
        payload.signedDate = date
        return try identity.sign(payload)
    }

    private func verify(_ token: String, _ identity: SigningIdentity) async throws -> Verification<SignedTransaction> {
        let date = date
        let verifier = SignedDataVerifier(
            roots: try TrustedRoots(pem: identity.rootPEM), bundleIdentifier: "com.example.app", environment: .sandbox,
            revocation: DefaultTransport.patient, now: { date })
        return await verifier.verify(transaction: token)
    }

    @Test func `our verifier accepts a signed transaction, and asks the OCSP responder about both certificates`()
        async throws
    {
        #expect(try await verify(token(identity), identity).value != nil)
        #expect(server.requests.count == 2)
    }

    @Test func `our verifier does not accept certificates if another store's OCSP responder answers for them`()
        async throws
    {
        let other = try SigningIdentity.make(around: date).naming(responder: server.url)
        let verification = try await verify(token(other), other)

        #expect(verification.value == nil)
        #expect(verification.reason != nil)
    }

    // MARK: OpenSSL

    @Test(
        .enabled(if: PeerTool.openSSL.isInstalled, "openssl is not installed"), arguments: [0, 1], ["-sha1", "-sha256"])
    func `OpenSSL verifies the OCSP answer about a certificate`(level: Int, hash: String) throws {
        let folder = try folder(of: identity)
        let result = try ask(about: level, hash, in: folder)

        #expect(result.hasSuffix("status 0\n"))
        #expect(result.contains("Response verify OK"))
        #expect(result.contains("\(level).pem: good"))
        #expect(result.contains("Next Update:"))
    }

    @Test(.enabled(if: PeerTool.openSSL.isInstalled, "openssl is not installed"))
    func `OpenSSL refuses the OCSP answer under another root`() throws {
        let folder = try folder(of: identity)
        try folder.write(SigningIdentity.make(around: date).rootPEM, to: "root.pem")

        let result = try ask(about: 0, "-sha1", in: folder)
        #expect(result.hasSuffix("status 1\n"))
        #expect(result.contains("Response Verify Failure"))
    }

    @Test(.enabled(if: PeerTool.openSSL.isInstalled, "openssl is not installed"))
    func `OpenSSL verifies the certificate chain of a signing identity`() throws {
        let folder = try folder(of: identity)
        let result = try PeerTool.openSSL.run(
            "verify", "-x509_strict", "-CAfile", "root.pem", "-untrusted", "1.pem", "0.pem", in: folder.url)

        #expect(result.status == 0)
    }

    private func folder(of identity: SigningIdentity) throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        for (level, certificate) in try identity.certificates.enumerated() {
            try folder.write(certificate.serializeAsPEM().pemString, to: "\(level).pem")
        }
        try folder.write(identity.rootPEM, to: "root.pem")
        return folder
    }

    /// Requests the status of a certificate with OpenSSL, which compares its nonce with the nonce of the answer.
    ///
    /// - Returns: Text that OpenSSL prints to either stream, and its exit status as the last line. The shell prints the
    ///   status, because Foundation reports 0 if it cannot read the status of a process.
    private func ask(about level: Int, _ hash: String, in folder: TemporaryFolder) throws -> String {
        try PeerTool.shell.run(
            "-c", "openssl ocsp \"$@\" 2>&1; echo \"status $?\"", "sh", "-url", server.url.absoluteString, "-CAfile",
            "root.pem", hash, "-nonce", "-issuer", "\(level + 1).pem", "-cert", "\(level).pem", in: folder.url
        ).output
    }

    // MARK: Apple's library

    private struct Question: Encodable {
        let root: Data
        let token: String
        let bundle = "com.example.app"
        let environment = "Sandbox"
    }

    private func verdict(on token: String, _ identity: SigningIdentity) throws -> String {
        let root = try #require(Data(base64Encoded: try identity.certificates[2].base64))
        let result = try PeerTool.pythonWithPeers.run(
            Repository.file("Tests/Peers/online.py").path(percentEncoded: false),
            input: try JSONEncoder().encode(Question(root: root, token: token)))
        #expect(result.status == 0)
        return result.output.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    @Test(.enabled(if: ApplePeer.isInstalled, "Scripts/peers has not installed Apple's library"))
    func `Apple's library accepts a signed transaction with online revocation checks`() throws {
        #expect(try verdict(on: token(identity), identity) == "OK")
        #expect(server.requests.count == 2)
    }

    @Test(.enabled(if: ApplePeer.isInstalled, "Scripts/peers has not installed Apple's library"))
    func `Apple's library accepts a signing identity that was restored from PEM and issued again`() throws {
        let stored = try SigningIdentity(pem: SigningIdentity(pem: identity.pem).naming(responder: server.url).pem)
        #expect(try verdict(on: token(stored), stored) == "OK")
    }

    @Test(.enabled(if: ApplePeer.isInstalled, "Scripts/peers has not installed Apple's library"))
    func `Apple's server library refuses certificates that name no OCSP responder or the responder of another store`()
        throws
    {
        let other = try SigningIdentity.make(around: date)
        #expect(try verdict(on: token(other), other) == "VERIFICATION_FAILURE")
        let named = try other.naming(responder: server.url)
        #expect(try verdict(on: token(named), named) == "VERIFICATION_FAILURE")
    }
}
