import Crypto
import Foundation
import Testing
import VitrineTestSupport

/// Commands that print signed data for the app's own server.
@Suite(.blocksThreads, .hangLimit) struct SignedCommandTests {
    private let tool: Tool

    init() throws { tool = try Tool.voyager() }

    @Test func `vitrine signed prints each transaction signed by the store once, including finished consumables`()
        throws
    {
        #expect(try tool.succeed("signed").json["signed"] as? [String] == [])
        try tool.succeed("buy", .voyager("coins50"))
        try tool.succeed("buy", .voyager("lisbon"))
        let body = try tool.succeed("signed").json
        let signed = try #require(body["signed"] as? [String])
        #expect(signed.count == 2)
        #expect((body["deviceVerificationID"] as? String).flatMap(UUID.init(uuidString:)) != nil)
        for text in signed { #expect(text.split(separator: ".").count == 3) }
        #expect(try tool.succeed("signed", "--json").json["signed"] as? [String] != nil)
    }

    @Test func `enrollment requests sign the server's challenge with the same device key each time`() throws {
        try tool.succeed("init", "--original-build", "150", "--original-date", "2019-05-01")
        let first = try tool.succeed("signed", "--enroll", "one", "--name", "desk").json
        let second = try tool.succeed("signed", "--enroll", "two", "--app", "com.example.test").json
        let text = try #require(first["publicKey"] as? String)
        #expect(second["publicKey"] as? String == text)
        #expect(first["name"] as? String == "desk")
        #expect((first["appTransaction"] as? String)?.split(separator: ".").count == 3)
        let bytes = try #require(Data(base64Encoded: text))
        let key = try P256.Signing.PublicKey(x963Representation: bytes)
        for (body, app, challenge) in [
            (first, VoyagerStore.bundleIdentifier, "one"), (second, "com.example.test", "two"),
        ] {
            #expect(body["app"] as? String == app)
            #expect(body["challenge"] as? String == challenge)
            let encoded = try #require(body["signature"] as? String)
            let signature = try #require(Data(base64Encoded: encoded))
            let covered = ["name", "appTransaction", "deviceVerificationID", "accountToken", "invitation"]
            let digests = covered.map { field in
                (body[field] as? String).map { text in
                    let covered = field == "deviceVerificationID" ? text.lowercased() : text
                    return SHA256.hash(data: Data(covered.utf8)).map { String(format: "%02x", $0) }.joined()
                } ?? ""
            }
            let message = Data(
                (["vitrine-device", "enroll \(app)", challenge] + digests).joined(separator: "\n").utf8)
            #expect(key.isValidSignature(try P256.Signing.ECDSASignature(derRepresentation: signature), for: message))
        }
        let attributes = try FileManager.default.attributesOfItem(
            atPath: tool.home.appending(path: "server.json").path())
        #expect(attributes[.posixPermissions] as? Int == 0o600)
    }

    @Test(
        arguments: [
            (["signed", "--name", "desk"], "--app and --name belong to --enroll"),
            (["signed", "--enroll", ""], "must not be empty"),
            (["sync", "--server", "http://example.com"], "is not encrypted: use https"),
            (["sync", "--server", "ftp://127.0.0.1"], "does not begin with https://"),
            (["sync", "--server", "localhost:80"], "localhost:80 has no scheme; did you mean http://localhost:80?"),
            (["sync", "--server", "example.com"], "example.com has no scheme; did you mean https://example.com?"),
            (["sync", "--server", "https://example.com", "--folder", "Shared"], "cannot be combined with --folder"),
            (
                ["sync", "--server", "https://example.com", "--key", "a.key"],
                "cannot be combined with --folder or --key"
            ),
            (["sync"], "with --folder, or the app's server with --server"),
        ]) func `vitrine signed and vitrine sync refuse invalid combinations of options`(
            arguments: [String], text: String
        ) throws
    {
        let result = try tool.run(arguments)
        #expect(result.status == 64)
        #expect(result.errors.contains(text), "\(result.errors)")
    }

    @Test func `vitrine sync with an unreachable server fails and changes nothing`() throws {
        try tool.succeed("buy", .voyager("lisbon"))
        let dead = try DeadAddress()
        let result = try tool.run("sync", "--server", dead.url.absoluteString)
        #expect(result.status == 74)
        let reason = "the app's server does not answer at \(dead.url.absoluteString)"
        #expect(result.errors.contains(reason), "\(result.errors)")
        #expect(try tool.run("owned", .voyager("lisbon")).status == 0)
        // Only an exchange that works is that of the next one.
        #expect(try tool.run("sync").status == 64)
    }
}
