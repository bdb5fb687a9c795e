import Foundation
import ProductCatalog
import TestSupport
import Testing

@Suite struct CatalogCommandTests {
    let tool: Tool

    /// A tool with a root, a key that it has signed, and a catalog that is signed with that.
    init() throws {
        tool = try Tool()
        try tool.folder.write(Self.catalog(version: 12), to: "catalog.plist")
        for name in ["root", "online"] { #expect(try tool.run("catalog", "keygen", "-o", name).status == 0) }
        try expectSuccess("keys", "--key", "root.key", "--version", "1", "--add", "online.pub=2100-01-01")
        try expectSuccess("sign", "catalog.plist", "--key", "online.key")
    }

    private static func catalog(version: Int, keys: String = "") -> String {
        PlistText.document(
            """
            <dict><key>catalogVersion</key><integer>\(version)</integer>\(keys)
            <key>products</key><array><string>com.example.voyager.map</string></array></dict>
            """)
    }

    private func expectSuccess(_ arguments: String...) throws {
        let result = try tool.run(["catalog"] + arguments + ["--app", "com.example.voyager"])
        #expect(result.status == 0, "\(result.errors)")
    }

    private func verify(_ arguments: String...) throws -> Tool.Result {
        try tool.run(["catalog", "verify", "catalog.plist"] + arguments)
    }

    private func text(_ name: String) throws -> String { try String(contentsOf: tool.folder[name], encoding: .utf8) }

    @Test func `a catalog that was signed is verified, and what is signed is shown`() throws {
        let result = try verify("--root", "root.pub", "--app", "com.example.voyager", "--channel", "production")

        #expect(result.status == 0, "\(result.errors)")
        #expect(
            result.lines.prefix(4).map { $0 } == [
                "verified: the signature is good", "FIELD    VALUE", "app      com.example.voyager",
                "channel  production",
            ])
        #expect(result.lines.contains("version  12"))
    }

    @Test func `a root is named by its line, and one of several is enough`() throws {
        let line = try #require(text("root.pub").split(separator: "\n").last)

        #expect(try verify("--root", String(line)).status == 0)
        #expect(try tool.run("catalog", "keygen", "-o", "next").status == 0)
        #expect(try verify("--root", "next.pub", "--root", "root.pub").status == 0)
    }

    @Test func `the answer is one JSON document`() throws {
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
        /// What is done to the files.
        var change: @Sendable (Tool) throws -> Void = { _ in }
        var arguments = ["--root", "root.pub"]
        let status: Int32
        let line: String
    }

    @Test(arguments: [
        Case(
            testDescription: "another catalog",
            change: { try $0.folder.write(Self.catalog(version: 12) + "\n", to: "catalog.plist") }, status: 1,
            line: "it is not what the key"),
        Case(testDescription: "another root", arguments: ["--root", "online.pub"], status: 1, line: "[unknown-root]"),
        Case(
            testDescription: "another app", arguments: ["--root", "root.pub", "--app", "com.example.other"], status: 1,
            line:
                "rejected: keys.plist: it is for the app com.example.voyager, and this is com.example.other [app]"),
        Case(
            testDescription: "another channel", arguments: ["--root", "root.pub", "--channel", "beta"], status: 1,
            line: "rejected: keys.plist: it is for the channel production, and this is beta [channel]"),
        Case(
            testDescription: "a year later", arguments: ["--root", "root.pub", "--at", "2099-01-01"], status: 1,
            line: "[expired]"),
        Case(
            testDescription: "before it was signed", arguments: ["--root", "root.pub", "--at", "2020-01-01"], status: 1,
            line: "[not-yet]"),
        Case(
            testDescription: "no signature", change: { try $0.folder.write("none\n", to: "catalog.plist.minisig") },
            status: 65, line: "rejected: a signature has four lines, and this has not [malformed]"),
        Case(
            testDescription: "no signature of the keys",
            change: { try $0.folder.write("none\n", to: "keys.plist.minisig") }, status: 65,
            line: "rejected: keys.plist: a signature has four lines, and this has not [malformed]"),
        Case(
            testDescription: "no file with a signature",
            change: { try FileManager.default.removeItem(at: $0.folder["catalog.plist.minisig"]) }, status: 66,
            line: "catalog.plist.minisig: there is no such file"),
        Case(
            testDescription: "no keys", change: { try FileManager.default.removeItem(at: $0.folder["keys.plist"]) },
            status: 66, line: "keys.plist: there is no such file"),
        Case(
            testDescription: "a public key that is none", arguments: ["--root", "root.key"], status: 65,
            line: "root.key: it is no public key of minisign, a line of 56 characters that begins with RW"),
        Case(
            testDescription: "neither root nor key", arguments: [], status: 64,
            line: "Either --root or --key says which key to trust."),
        Case(
            testDescription: "root and key", arguments: ["--root", "root.pub", "--key", "online.pub"], status: 64,
            line: "Either --root or --key says which key to trust."),
    ]) func `what is not good is told, with its exit status`(test: Case) throws {
        try test.change(tool)
        let result = try tool.run(["catalog", "verify", "catalog.plist"] + test.arguments)

        #expect(result.status == test.status)
        #expect((result.output + result.errors).contains(test.line), "\(result.output)\(result.errors)")
    }

    @Test func `one signature is checked by one key`() throws {
        let good = try verify("--key", "online.pub")
        let bad = try verify("--key", "root.pub")

        #expect(good.status == 0)
        #expect(good.lines.last?.hasPrefix("trusted comment  vitrine catalog app=com.example.voyager") == true)
        #expect(bad.status == 1)
        #expect(bad.output.contains("[unknown-key]"))
    }

    @Test(.enabled(if: PeerTool.minisign.isInstalled, "minisign is not installed"))
    func `minisign accepts what is signed, and what minisign signs is verified`() throws {
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

    @Test func `a key is made for its owner alone, and never in the place of another`() throws {
        let before = try text("root.key")
        let attributes = try FileManager.default.attributesOfItem(atPath: tool.folder["root.key"].path())
        #expect(attributes[.posixPermissions] as? Int == 0o600)

        let again = try tool.run("catalog", "keygen", "-o", "root")
        #expect(again.status == 1)
        #expect(again.errors == "vitrine: error: root.key is there already, and is not replaced\n")
        #expect(try text("root.key") == before)

        try FileManager.default.removeItem(at: tool.folder["root.key"])
        #expect(try tool.run("catalog", "keygen", "-o", "root").status == 1)
        #expect(!FileManager.default.fileExists(atPath: tool.folder["root.key"].path()))
        #expect(try tool.run("catalog", "keygen", "-o", "nowhere/root").status == 74)
    }

    @Test func `a link to nothing is not followed for a key`() throws {
        try FileManager.default.createSymbolicLink(
            at: tool.folder["link.key"], withDestinationURL: tool.folder["elsewhere"])

        #expect(try tool.run("catalog", "keygen", "-o", "link").status == 1)
        #expect(!FileManager.default.fileExists(atPath: tool.folder["elsewhere"].path()))
    }

    struct Refusal: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let catalog: String
        var arguments: [String] = []
        let status: Int32
        let reason: String
    }

    @Test(arguments: [
        Refusal(
            testDescription: "errors",
            catalog: PlistText.document("<array><dict><key>consumable</key><true/></dict></array>"), status: 1,
            reason: "new.plist has errors, and apps would refuse it"),
        Refusal(
            testDescription: "no property list", catalog: "<html>", status: 65, reason: "new.plist: "),
        Refusal(
            testDescription: "no product", catalog: PlistText.document("<array/>"), arguments: ["--version", "1"],
            status: 1, reason: "new.plist has no product, and apps would refuse it"),
        Refusal(
            testDescription: "JSON that is no list", catalog: "[1]", arguments: ["--version", "1"], status: 65,
            reason: "new.plist: the JSON is no array of strings"),
        Refusal(
            testDescription: "no version", catalog: PlistText.document("<array><string>a</string></array>"), status: 64,
            reason: "new.plist names no catalogVersion: --version names one"),
        Refusal(
            testDescription: "another version", catalog: catalog(version: 12), arguments: ["--version", "13"],
            status: 64,
            reason: "the catalog is of version 12, and signed as version 13"),
        Refusal(
            testDescription: "another date of expiry",
            catalog: catalog(version: 12, keys: "<key>expires</key><date>2099-01-01T00:00:00Z</date>"),
            arguments: ["--expires", "7"], status: 64, reason: "the catalog expires on 2099-01-01T00:00:00Z"),
        Refusal(
            testDescription: "expired already", catalog: catalog(version: 12), arguments: ["--expires", "2020-01-01"],
            status: 64, reason: "it expires on 2020-01-01T00:00:00Z"),
        Refusal(
            testDescription: "an app that is no name", catalog: catalog(version: 12), arguments: ["--app", "my app"],
            status: 64, reason: "\"my app\" is no name"),
        Refusal(
            testDescription: "a key that is none", catalog: catalog(version: 12), arguments: ["--key", "online.pub"],
            status: 65, reason: "online.pub: it is no Ed25519 key in PEM (PKCS #8)"),
        Refusal(
            testDescription: "no key", catalog: catalog(version: 12), arguments: ["--key", "none.key"], status: 66,
            reason: "none.key: there is no such file"),
    ]) func `what apps would refuse is not signed`(test: Refusal) throws {
        try tool.folder.write(test.catalog, to: "new.plist")
        let result = try tool.run(
            ["catalog", "sign", "new.plist", "--key", "online.key", "--app", "com.example.voyager"] + test.arguments)

        #expect(result.status == test.status)
        #expect(result.errors.contains(test.reason), "\(result.errors)")
        #expect(!FileManager.default.fileExists(atPath: tool.folder["new.plist.minisig"].path()))
    }

    @Test func `a plain array is signed with the version and the date that are named`() throws {
        try tool.folder.write(
            PlistText.document("<array><string>com.example.voyager.map</string></array>"), to: "catalog.plist")
        try expectSuccess(
            "sign", "catalog.plist", "--key", "online.key", "--version", "13", "--expires", "2099-01-01T12:00:00Z",
            "--channel", "production")

        let statement = try #require(try verify("--root", "root.pub", "--json").json["statement"] as? [String: Any])
        #expect(statement["version"] as? Int == 13)
        #expect(statement["expires"] as? String == "2099-01-01T12:00:00Z")
    }

    @Test func `a JSON list is signed and verified`() throws {
        try tool.folder.write("[\"com.example.voyager.map\"]", to: "catalog.plist")
        try expectSuccess("sign", "catalog.plist", "--key", "online.key", "--version", "13")

        let result = try verify("--root", "root.pub")
        #expect(result.status == 0, "\(result.output)")
        #expect(result.lines.contains("version  13"))
    }

    @Test(
        arguments: [
            (PlistText.document("<array/>"), 1, "rejected: the catalog has no product [empty]"),
            (PlistText.document("<array><dict/></array>"), 1, "rejected: the catalog has errors: "),
            ("[1]", 65, "rejected: the catalog cannot be read: the JSON is no array of strings"),
        ] as [(String, Int32, String)])
    func `a good signature of what apps would refuse is told from a good catalog`(
        text: String, status: Int32, line: String
    ) throws {
        try tool.folder.write(text, to: "catalog.plist")
        let key = try SigningKey(pem: self.text("online.key"))
        let statement = CatalogStatement(
            app: "com.example.voyager", channel: "production", version: 13, issued: .now - 60, expires: .now + 3_600,
            keyIdentifier: key.publicKey.identifierText)
        let signature = try key.sign(
            Data(text.utf8), trustedComment: statement.trustedComment(for: .catalog)
        ).file
        try signature.write(to: tool.folder["catalog.plist.minisig"])

        let result = try verify("--root", "root.pub")
        #expect(result.status == status)
        #expect(result.output.contains(line), "\(result.output)")
    }

    @Test func `a catalog's own version and date are signed`() throws {
        try tool.folder.write(
            Self.catalog(version: 14, keys: "<key>expires</key><date>2099-01-01T00:00:00Z</date>"), to: "catalog.plist")
        try expectSuccess("sign", "catalog.plist", "--key", "online.key")

        let comment = try text("catalog.plist.minisig").split(separator: "\n")[2]
        #expect(comment.contains(" version=14 "))
        #expect(comment.hasSuffix(" expires=2099-01-01T00:00:00Z"))
    }

    @Test func `a key that was revoked signs nothing any more, and the next one does`() throws {
        #expect(try tool.run("catalog", "keygen", "-o", "next").status == 0)
        try expectSuccess(
            "keys", "--key", "root.key", "--version", "2", "--epoch", "2", "--add", "next.pub=2100-01-01", "--revoke",
            "online.pub")

        let revoked = try verify("--root", "root.pub")
        #expect(revoked.status == 1)
        #expect(revoked.output.contains("[key-revoked]"))
        try expectSuccess("sign", "catalog.plist", "--key", "next.key")
        #expect(try verify("--root", "root.pub").lines.contains("epoch    2"))
    }

    @Test(arguments: [
        (["--add", "online.pub"], "The value 'online.pub' is invalid for '--add <key=date>'"),
        (["--add", "online.pub=2020-01-01"], "it expires on 2020-01-01T00:00:00Z"),
        (["--add", "root.pub=2100-01-01"], "root.key is the root, which signs nothing but keys.plist"),
        (["--add", "online.pub=2100-01-01", "--add", "online.pub=2100-01-01"], "it has two keys"),
        ([], "Without a key there is no date of expiry: --expires names one."),
        (["--expires", "30", "--epoch", "0"], "Epochs are counted from 1."),
    ]) func `keys that apps would refuse are not written`(arguments: [String], reason: String) throws {
        let before = try text("keys.plist")
        let result = try tool.run(
            ["catalog", "keys", "--key", "root.key", "--app", "com.example.voyager", "--version", "2"] + arguments)

        #expect(result.status == 64)
        #expect(result.errors.contains(reason), "\(result.errors)")
        #expect(try text("keys.plist") == before)
    }

    struct Replacement: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// What is there already, beside the key.
        var present = ["--version", "5", "--epoch", "2"]
        var change: @Sendable (Tool) throws -> Void = { _ in }
        let arguments: [String]
        var status: Int32 = 0
        var reason = ""
    }

    @Test(arguments: [
        Replacement(testDescription: "the next version", arguments: ["--version", "6", "--epoch", "2"]),
        Replacement(testDescription: "the same version", arguments: ["--version", "5", "--epoch", "2"]),
        Replacement(
            testDescription: "an older version", arguments: ["--version", "4", "--epoch", "2"], status: 64,
            reason: "keys.plist is of version 5: apps that have seen it would refuse this one"),
        Replacement(
            testDescription: "the epoch forgotten", arguments: ["--version", "6"], status: 64,
            reason: "keys.plist is of epoch 2: apps that have seen it would refuse this one"),
        Replacement(
            testDescription: "another channel's", arguments: ["--version", "1", "--channel", "beta"]),
        Replacement(
            testDescription: "the next root's",
            change: { _ = try $0.run("catalog", "keygen", "-o", "next") },
            arguments: ["--version", "1", "--epoch", "2", "--key", "next.key"]),
        Replacement(
            testDescription: "without a signature, the epoch forgotten",
            change: { try FileManager.default.removeItem(at: $0.folder["keys.plist.minisig"]) },
            arguments: ["--version", "1"], status: 64, reason: "keys.plist is of epoch 2"),
        Replacement(
            testDescription: "something else in its place", change: { try $0.folder.write("text", to: "keys.plist") },
            arguments: ["--version", "6"], status: 65, reason: "keys.plist is there already, and is no file of keys"),
    ]) func `keys that apps would refuse after those that are there are not written`(test: Replacement) throws {
        let usual = ["catalog", "keys", "--app", "com.example.voyager", "--add", "online.pub=2100-01-01"]
        #expect(try tool.run(usual + test.present + ["--key", "root.key"]).status == 0)
        try test.change(tool)
        let before = try text("keys.plist")
        let key = test.arguments.contains("--key") ? [] : ["--key", "root.key"]
        let result = try tool.run(usual + test.arguments + key)

        #expect(result.status == test.status, "\(result.errors)")
        guard test.status != 0 else { return }
        #expect(result.errors.contains(test.reason), "\(result.errors)")
        #expect(try text("keys.plist") == before)
    }

    @Test(arguments: ["keygen", "keys", "sign", "verify"]) func `the help has an example`(command: String) throws {
        let help = try tool.run("catalog", command, "--help")

        #expect(help.status == 0)
        #expect(help.output.contains("vitrine catalog \(command) "))
    }
}
