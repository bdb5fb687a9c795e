import Foundation
import Testing
import VitrineCatalog
import VitrineTestSupport

@Suite(.blocksThreads, .hangLimit) struct CatalogCommandTests {
    let tool: Tool

    /// Creates a tool with a root key, a key that it has signed, and a catalog that is signed with the second key.
    init() throws {
        tool = try Tool()
        try tool.folder.write(Self.catalog(version: 12), to: "catalog.plist")
        for name in ["root", "online"] { #expect(try tool.run("catalog", "keygen", "-o", name).status == 0) }
        try expectSuccess("keys", "--key", "root.key", "--version", "1", "--add", "online.pub=2100-01-01")
        try expectSuccess("sign", "catalog.plist", "--key", "online.key")
    }

    static func catalog(version: Int, keys: String = "") -> String {
        PlistText.document(
            """
            <dict><key>catalogVersion</key><integer>\(version)</integer>\(keys)
            <key>products</key><array><string>com.example.voyager.map</string></array></dict>
            """)
    }

    func expectSuccess(_ arguments: String...) throws {
        let result = try tool.run(["catalog"] + arguments + ["--app", "com.example.voyager"])
        #expect(result.status == 0, "\(result.errors)")
    }

    func verify(_ arguments: String...) throws -> Tool.Result {
        try tool.run(["catalog", "verify", "catalog.plist"] + arguments)
    }

    func text(_ name: String) throws -> String { try String(contentsOf: tool.folder[name], encoding: .utf8) }

    @Test func `vitrine catalog verify accepts a signed catalog and prints the signed fields`() throws {
        let result = try verify("--root", "root.pub", "--app", "com.example.voyager", "--channel", "production")

        #expect(result.status == 0, "\(result.errors)")
        #expect(
            result.lines.prefix(4).map { $0 } == [
                "verified: the signature is good", "FIELD    VALUE", "app      com.example.voyager",
                "channel  production",
            ])
        #expect(result.lines.contains("version  12"))
    }

    @Test func `vitrine catalog verify accepts a root key as text, and requires only one matching root key of several`()
        throws
    {
        let line = try #require(text("root.pub").split(separator: "\n").last)

        #expect(try verify("--root", String(line)).status == 0)
        #expect(try tool.run("catalog", "keygen", "-o", "next").status == 0)
        #expect(try verify("--root", "next.pub", "--root", "root.pub").status == 0)
    }

    @Test func `vitrine catalog verify --json prints one JSON document with the verdict`() throws {
        let good = try verify("--root", "root.pub", "--json").json
        let bad = try verify("--root", "root.pub", "--app", "com.example.other", "--json")

        #expect(good["verdict"] as? String == "verified")
        #expect((good["statement"] as? [String: Any])?["version"] as? Int == 12)
        #expect(try bad.json["verdict"] as? String == "rejected")
        #expect((try bad.json["reason"] as? [String: Any])?["code"] as? String == "app")
        #expect(bad.status == 1)
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// Function that changes the files before the command.
        var change: @Sendable (Tool) throws -> Void = { _ in }
        var arguments = ["--root", "root.pub"]
        let status: Int32
        let line: String
    }

    @Test(arguments: [
        Case(
            testDescription: "another catalog",
            change: { try $0.folder.write(Self.catalog(version: 12) + "\n", to: "catalog.plist") }, status: 1,
            line: "the signed file does not match its signature by the key"),
        Case(testDescription: "another root", arguments: ["--root", "online.pub"], status: 1, line: "[unknown-root]"),
        Case(
            testDescription: "another app", arguments: ["--root", "root.pub", "--app", "com.example.other"], status: 1,
            line:
                "rejected: keys.plist: the file is signed for the app com.example.voyager, "
                + "but this app is com.example.other [app]"
        ),
        Case(
            testDescription: "another channel", arguments: ["--root", "root.pub", "--channel", "beta"], status: 1,
            line: "rejected: keys.plist: the file is signed for the channel production, but the app uses beta [channel]"
        ),
        Case(
            testDescription: "a year later", arguments: ["--root", "root.pub", "--at", "2099-01-01"], status: 1,
            line: "[expired]"),
        Case(
            testDescription: "before it was signed", arguments: ["--root", "root.pub", "--at", "2020-01-01"], status: 1,
            line: "[not-yet]"),
        Case(
            testDescription: "no signature", change: { try $0.folder.write("none\n", to: "catalog.plist.minisig") },
            status: 65, line: "rejected: a signature must have four lines, each ended by a line feed [malformed]"),
        Case(
            testDescription: "no signature of the keys",
            change: { try $0.folder.write("none\n", to: "keys.plist.minisig") }, status: 65,
            line: "rejected: keys.plist: a signature must have four lines, each ended by a line feed [malformed]"),
        Case(
            testDescription: "no file with a signature",
            change: { try FileManager.default.removeItem(at: $0.folder["catalog.plist.minisig"]) }, status: 66,
            line: "catalog.plist.minisig: there is no such file; 'vitrine catalog sign' makes it"),
        Case(
            testDescription: "no keys", change: { try FileManager.default.removeItem(at: $0.folder["keys.plist"]) },
            status: 66, line: "keys.plist: there is no such file"),
        Case(
            testDescription: "a public key that is none", arguments: ["--root", "root.key"], status: 65,
            line: "root.key: the text is not a minisign public key, a line of 56 characters that begins with RW"),
        Case(
            testDescription: "neither root nor key", arguments: [], status: 64,
            line: "Use either --root or --key to name the trusted key."),
        Case(
            testDescription: "root and key", arguments: ["--root", "root.pub", "--key", "online.pub"], status: 64,
            line: "Use either --root or --key to name the trusted key."),
    ]) func `vitrine catalog verify reports the reason of each failure with its exit status`(test: Case) throws {
        try test.change(tool)
        let result = try tool.run(["catalog", "verify", "catalog.plist"] + test.arguments)

        #expect(result.status == test.status)
        #expect((result.output + result.errors).contains(test.line), "\(result.output)\(result.errors)")
    }

    @Test func `vitrine catalog verify --key accepts only a signature made with that key`() throws {
        let good = try verify("--key", "online.pub")
        let bad = try verify("--key", "root.pub")

        #expect(good.status == 0)
        #expect(good.lines.last?.hasPrefix("trusted comment  vitrine catalog app=com.example.voyager") == true)
        #expect(bad.status == 1)
        #expect(bad.output.contains("[unknown-key]"))
    }

    @Test(.enabled(if: PeerTool.minisign.isInstalled, "minisign is not installed"))
    func `minisign verifies vitrine's signatures, and vitrine verifies minisign's legacy signatures`() throws {
        func path(_ name: String) -> String { tool.folder[name].path(percentEncoded: false) }
        for (key, file) in [("online.pub", "catalog.plist"), ("root.pub", "keys.plist")] {
            #expect(try PeerTool.minisign.run("-V", "-p", path(key), "-m", path(file)).status == 0, "\(file)")
        }

        #expect(try PeerTool.minisign.run("-G", "-W", "-p", path("m.pub"), "-s", path("m.sec")).status == 0)
        #expect(
            try PeerTool.minisign.run(
                "-S", "-l", "-s", path("m.sec"), "-m", path("catalog.plist"), "-c", "by hand", "-t", "any text"
            ).status == 0)
        let result = try verify("--key", "m.pub")
        #expect(result.status == 0)
        #expect(result.lines.last == "trusted comment  any text")

        #expect(try PeerTool.minisign.run("-S", "-s", path("m.sec"), "-m", path("catalog.plist")).status == 0)
        let prehashed = try verify("--key", "m.pub")
        #expect(prehashed.status == 65)
        #expect(prehashed.output.contains("sign it with minisign -S -l [prehashed]"))
    }

    @Test(arguments: ["keygen", "keys", "sign", "verify"]) func `the help of each catalog command contains an example`(
        command: String
    ) throws {
        let help = try tool.run("catalog", command, "--help")

        #expect(help.status == 0)
        #expect(help.output.contains("vitrine catalog \(command) "))
    }
}
