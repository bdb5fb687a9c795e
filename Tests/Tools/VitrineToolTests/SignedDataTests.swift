import Foundation
import Testing
import VitrineStoreSimulator
import VitrineTestSupport

/// Commands that print and verify the store's signed data.
@Suite(.blocksThreads, .hangLimit) struct SignedDataTests {
    private let tool: Tool

    init() throws {
        tool = try Tool.voyager()
        try tool.run("buy", .voyager("lisbon"))
    }

    /// Writes a receipt, and the root certificate of its chain.
    private func issueReceipt(_ options: String...) throws {
        #expect(try tool.run(["store", "receipt", "-o", "receipt.der"] + options).status == 0)
        try Data(tool.run("store", "root", "--receipts").output.utf8).write(to: tool.folder["receipts.pem"])
    }

    /// Writes the signed transaction of the purchase, and the root certificate of its chain.
    private func writeToken() throws {
        let entries = try #require(try tool.run("export").json["entries"] as? [[String: Any]])
        let token = try #require(entries.compactMap { $0["signedData"] as? String }.first)
        try Data("\(token)\n".utf8).write(to: tool.folder["token.jws"])
        try Data(tool.run("store", "root").output.utf8).write(to: tool.folder["tokens.pem"])
    }

    private func reasons(_ result: Tool.Result) throws -> [String] {
        try #require(try result.json["reasons"] as? [[String: String]]).compactMap { $0["code"] }
    }

    // MARK: Receipts

    @Test func `vitrine receipt show marks values as verified with the matching root, and as claimed without it`()
        throws
    {
        try issueReceipt()
        let proved = try tool.run("receipt", "show", "receipt.der", "--root", "receipts.pem")
        #expect(proved.status == 0)
        #expect(proved.lines.first == "verified: the signature is good")
        #expect(proved.lines.contains { $0.hasPrefix("app ") && $0.hasSuffix("verified") })
        #expect(proved.lines.last?.hasPrefix(.voyager("lisbon")) == true)

        let claimed = try tool.run("receipt", "show", "receipt.der")
        #expect(claimed.status == 0)
        #expect(claimed.output.contains("[certificate-chain]"))
        #expect(claimed.lines.contains { $0.hasPrefix("app ") && $0.hasSuffix("claimed") })
        #expect(!claimed.lines.contains { $0.hasSuffix("verified") })
    }

    @Test func `an expired receipt has a valid signature but fails verification`() throws {
        try issueReceipt("--expired")
        #expect(
            try tool.run("receipt", "show", "receipt.der", "--root", "receipts.pem").lines.first
                == "verified: the signature is good")
        let verified = try tool.run("receipt", "verify", "receipt.der", "--root", "receipts.pem", "--json")
        #expect(verified.status == 1)
        #expect(try reasons(verified) == ["expired"])
    }

    @Test(
        arguments: [
            (["--bundle", VoyagerStore.bundleIdentifier], []),
            (["--bundle", "com.example.other"], ["bundle-identifier"]),
            (["--environment", "Sandbox"], []), (["--environment", "Production"], ["environment"]),
            (["--app-version", "0"], ["app-version"]), (["--device", "00:00:00:00:00:01"], ["device"]),
            (["--at", "2001-01-01"], ["certificate-validity"]),
            (["--bundle", "x", "--app-version", "0"], ["bundle-identifier", "app-version"]),
        ] as [([String], [String])]
    )
    func `vitrine receipt verify checks the expected values that are given as options`(
        options: [String], codes: [String]
    ) throws {
        try issueReceipt()
        let result = try tool.run(
            ["receipt", "verify", "receipt.der", "--root", "receipts.pem", "--json"] + options)
        #expect(result.status == (codes.isEmpty ? 0 : 1))
        #expect(try reasons(result) == codes)
        #expect(try result.json["verdict"] as? String == (codes.isEmpty ? "verified" : "rejected"))
    }

    @Test func `vitrine receipt verify accepts a receipt with the identifier of the device that it was issued to`()
        throws
    {
        try issueReceipt()
        let device = try SimulatedStore(folder: tool.home.appending(path: "Store")).deviceIdentifier
        let digits = device.map { String(format: "%02X", $0) }.joined()
        let result = try tool.run("receipt", "verify", "receipt.der", "--root", "receipts.pem", "--device", digits)
        #expect(result.status == 0)
        #expect(result.lines.contains { $0.hasPrefix("device") && $0.hasSuffix("passed") })
    }

    // MARK: Tokens

    @Test func `vitrine jws show marks values as verified with the matching root, and as claimed without it`() throws {
        try writeToken()
        let proved = try tool.run("jws", "show", "token.jws", "--root", "tokens.pem")
        #expect(proved.status == 0)
        #expect(proved.lines[1] == "a transaction, signed with ES256; included certificates:")
        #expect(proved.lines.contains { $0.hasPrefix("productId ") && $0.hasSuffix("verified") })
        let claimed = try tool.run("jws", "show", "token.jws")
        #expect(claimed.lines.contains { $0.hasPrefix("productId ") && $0.hasSuffix("claimed") })
        #expect(!claimed.lines.contains { $0.hasSuffix("verified") })
        let json = try tool.run("jws", "show", "token.jws", "--json").json
        #expect((json["payload"] as? [String: Any])?["productId"] as? String == .voyager("lisbon"))
    }

    @Test(
        arguments: [
            ([], []), (["--bundle", "com.example.other"], ["bundle-identifier"]),
            (["--environment", "Xcode"], ["environment"]), (["--at", "2001-01-01"], ["certificate-validity"]),
        ] as [([String], [String])]
    )
    func `vitrine jws verify checks the expected values that are given as options`(options: [String], codes: [String])
        throws
    {
        try writeToken()
        let result = try tool.run(["jws", "verify", "token.jws", "--root", "tokens.pem", "--json"] + options)
        #expect(result.status == (codes.isEmpty ? 0 : 1))
        #expect(try reasons(result) == codes)
    }

    @Test func `checks that a malformed JWS prevented are shown as unknown`() throws {
        func part(_ text: String) -> String {
            Data(text.utf8).base64EncodedString().replacing("=", with: "").replacing("+", with: "-")
                .replacing("/", with: "_")
        }
        for header in [#"{"alg":"ES256"}"#, #"{"alg":"none"}"#] {
            let token = [part(header), part("{}"), part(String(repeating: "a", count: 64))].joined(separator: ".")
            try tool.folder.write(token, to: "token.jws")
            let result = try tool.run("jws", "verify", "token.jws")
            #expect(result.status == 1)
            for check in ["certificates", "validity", "revocation"] {
                let line = try #require(result.lines.first { $0.hasPrefix("\(check) ") })
                #expect(!line.hasSuffix("passed"), "\(line)")
            }
            #expect(!result.lines.contains { $0.hasPrefix("signature ") && $0.hasSuffix("passed") })
        }
    }

    @Test func `a JWS is undetermined if the revocation status of its certificates cannot be queried`() throws {
        try writeToken()
        let result = try tool.run("jws", "verify", "token.jws", "--root", "tokens.pem", "--ocsp", "--json")
        #expect(result.status == 2)
        #expect(try result.json["verdict"] as? String == "undetermined")
        #expect(try result.json["undeterminedBecause"] as? String != nil)
    }

    @Test func `an expected value that a JWS does not contain makes its verification undetermined, not rejected`()
        throws
    {
        try writeToken()
        let result = try tool.run("jws", "verify", "token.jws", "--root", "tokens.pem", "--app-id", "1")
        #expect(result.status == 2)
        #expect(result.lines.first?.hasPrefix("undetermined: ") == true)
        #expect(result.lines.contains { $0.hasPrefix("app identifier") && $0.hasSuffix("unknown") })
    }

    @Test func `a JWS with critical extensions is refused`() throws {
        let header = Data(#"{"alg":"ES256","crit":["b64"],"b64":false,"x5c":[]}"#.utf8).base64EncodedString()
        try Data("\(header.replacing("=", with: "")).e30.".utf8).write(to: tool.folder["token.jws"])
        let result = try tool.run("jws", "show", "token.jws")
        #expect(result.status == 65)
        #expect(result.errors.contains("critical extensions"))
    }

    @Test func `a modified JWS is rejected, and its values are marked as claimed`() throws {
        try writeToken()
        let token = try String(contentsOf: tool.folder["token.jws"], encoding: .utf8)
        var segments = token.split(separator: ".").map(String.init)
        segments[1] = Data(#"{"bundleId":"\#(VoyagerStore.bundleIdentifier)","environment":"Sandbox"}"#.utf8)
            .base64EncodedString().replacing("=", with: "")
        try Data(segments.joined(separator: ".").utf8).write(to: tool.folder["forged.jws"])

        let result = try tool.run("jws", "verify", "forged.jws", "--root", "tokens.pem", "--json")
        #expect(result.status == 1)
        #expect(try reasons(result) == ["signature"])
        #expect(try tool.run("jws", "show", "forged.jws", "--root", "tokens.pem").output.contains("claimed"))
    }

    // MARK: What is neither

    @Test(arguments: ["receipt", "jws"], ["show", "verify"])
    func `the receipt and jws commands exit with status 65 for invalid files and 66 for missing files`(
        kind: String, command: String
    ) throws {
        try Data("neither".utf8).write(to: tool.folder["neither"])
        #expect(try tool.run(kind, command, "neither").status == 65)
        #expect(try tool.run(kind, command, "-").status == 65)
        #expect(try tool.run(kind, command, "missing").status == 66)
        #expect(try tool.run(kind, command, "neither", "--at", "yesterday").status == 64)
        #expect(try tool.run(kind, command, "neither", "--at", "2024-02-23T25:00:00Z").status == 64)
        try issueReceipt()
        try writeToken()
        let file = kind == "receipt" ? "receipt.der" : "token.jws"
        #expect(try tool.run(kind, command, file, "--root", "neither").status == 65)
        #expect(try tool.run(kind, command, file, "--root", "missing").status == 66)
    }

    @Test(
        arguments: [
            ["receipt", "verify", "-", "--device", "xyz"], ["receipt", "verify", "-", "--environment", "Moon"],
            ["jws", "verify", "-", "--app-id", "x"], ["jws", "verify", "-", "--environment", ""],
        ]
    )
    func `the receipt and jws commands refuse invalid option values`(arguments: [String]) throws {
        #expect(try tool.run(arguments).status == 64)
    }
}
