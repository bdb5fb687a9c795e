import Foundation
import Testing
import VitrineCatalog
import VitrineTestSupport

/// Creation, export and revocation of keys for catalogs.
extension CatalogCommandTests {
    @Test func `vitrine catalog keygen writes a key that only its owner can read, and never replaces an existing key`()
        throws
    {
        let before = try text("root.key")
        let attributes = try FileManager.default.attributesOfItem(atPath: tool.folder["root.key"].path())
        #expect(attributes[.posixPermissions] as? Int == 0o600)

        let again = try tool.run("catalog", "keygen", "-o", "root")
        #expect(again.status == 1)
        #expect(again.errors == "vitrine: error: root.key already exists and is not replaced\n")
        #expect(try text("root.key") == before)

        try FileManager.default.removeItem(at: tool.folder["root.key"])
        #expect(try tool.run("catalog", "keygen", "-o", "root").status == 1)
        #expect(!FileManager.default.fileExists(atPath: tool.folder["root.key"].path()))
        #expect(try tool.run("catalog", "keygen", "-o", "nowhere/root").status == 74)
    }

    @Test func `vitrine catalog keygen does not follow a dangling symbolic link`() throws {
        try FileManager.default.createSymbolicLink(
            at: tool.folder["link.key"], withDestinationURL: tool.folder["elsewhere"])

        #expect(try tool.run("catalog", "keygen", "-o", "link").status == 1)
        #expect(!FileManager.default.fileExists(atPath: tool.folder["elsewhere"].path()))
    }

    @Test func `vitrine catalog keygen leaves no private key if the public key cannot be written`() throws {
        try FileManager.default.createSymbolicLink(
            at: tool.folder["half.pub"], withDestinationURL: tool.folder["elsewhere"])

        #expect(try tool.run("catalog", "keygen", "-o", "half").status == 1)
        #expect(!FileManager.default.fileExists(atPath: tool.folder["half.key"].path()))
    }

    @Test func `a signature by a revoked key is rejected, and a signature by its successor is accepted`() throws {
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
        (["--add", "online.pub=2020-01-01"], "the signed file would expire on 2020-01-01T00:00:00Z"),
        (["--add", "root.pub=2100-01-01"], "root.key is the root key, which may sign only keys.plist"),
        (["--add", "online.pub=2100-01-01", "--add", "online.pub=2100-01-01"], "is listed twice"),
        ([], "Without --add, --expires is required."),
        (["--expires", "30", "--epoch", "0"], "The epoch must be 1 or higher."),
    ]) func `a keys file that apps would refuse is not written`(arguments: [String], reason: String) throws {
        let before = try text("keys.plist")
        let result = try tool.run(
            ["catalog", "keys", "--key", "root.key", "--app", "com.example.voyager", "--version", "2"] + arguments)

        #expect(result.status == 64)
        #expect(result.errors.contains(reason), "\(result.errors)")
        #expect(try text("keys.plist") == before)
    }

    struct Replacement: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// Arguments for the existing keys file.
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
            reason: "keys.plist is at version 5: apps that have seen it would refuse the new one"),
        Replacement(
            testDescription: "the epoch forgotten", arguments: ["--version", "6"], status: 64,
            reason: "keys.plist is at epoch 2: apps that have seen it would refuse the new one"),
        Replacement(
            testDescription: "another channel's", arguments: ["--version", "1", "--channel", "beta"]),
        Replacement(
            testDescription: "the next root's",
            change: { _ = try $0.run("catalog", "keygen", "-o", "next") },
            arguments: ["--version", "1", "--epoch", "2", "--key", "next.key"]),
        Replacement(
            testDescription: "without a signature, the epoch forgotten",
            change: { try FileManager.default.removeItem(at: $0.folder["keys.plist.minisig"]) },
            arguments: ["--version", "1"], status: 64, reason: "keys.plist is at epoch 2"),
        Replacement(
            testDescription: "something else in its place", change: { try $0.folder.write("text", to: "keys.plist") },
            arguments: ["--version", "6"], status: 65, reason: "keys.plist already exists and is not a key file"),
    ]) func `an existing keys file is replaced only by one that apps accept as its successor`(test: Replacement) throws
    {
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
}
