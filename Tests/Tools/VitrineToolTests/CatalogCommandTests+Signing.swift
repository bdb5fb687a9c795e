import Foundation
import Testing
import VitrineCatalog
import VitrineCatalogLoading
import VitrineTestSupport

/// Signing of catalogs.
extension CatalogCommandTests {
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
            testDescription: "a list of numbers in JSON", catalog: "[1]", arguments: ["--version", "1"], status: 1,
            reason: "new.plist has errors, and apps would refuse it"),
        Refusal(
            testDescription: "no version", catalog: PlistText.document("<array><string>a</string></array>"), status: 64,
            reason: "new.plist has no catalogVersion; set one with --version"),
        Refusal(
            testDescription: "another version", catalog: catalog(version: 12), arguments: ["--version", "13"],
            status: 64,
            reason: "the catalog has version 12, but is signed as version 13"),
        Refusal(
            testDescription: "another date of expiry",
            catalog: catalog(version: 12, keys: "<key>expires</key><date>2099-01-01T00:00:00Z</date>"),
            arguments: ["--expires", "7"], status: 64, reason: "the catalog expires on 2099-01-01T00:00:00Z"),
        Refusal(
            testDescription: "expired already", catalog: catalog(version: 12), arguments: ["--expires", "2020-01-01"],
            status: 64, reason: "the signed file would expire on 2020-01-01T00:00:00Z"),
        Refusal(
            testDescription: "an app that is no name", catalog: catalog(version: 12), arguments: ["--app", "my app"],
            status: 64, reason: "\"my app\" is not a valid name"),
        Refusal(
            testDescription: "a key that is none", catalog: catalog(version: 12), arguments: ["--key", "online.pub"],
            status: 65, reason: "online.pub: the text is not an Ed25519 key in PEM (PKCS #8)"),
        Refusal(
            testDescription: "no key", catalog: catalog(version: 12), arguments: ["--key", "none.key"], status: 66,
            reason: "none.key: there is no such file"),
    ]) func `vitrine catalog sign refuses catalogs that apps would refuse, and invalid keys and options`(test: Refusal)
        throws
    {
        try tool.folder.write(test.catalog, to: "new.plist")
        let result = try tool.run(
            ["catalog", "sign", "new.plist", "--key", "online.key", "--app", "com.example.voyager"] + test.arguments)

        #expect(result.status == test.status)
        #expect(result.errors.contains(test.reason), "\(result.errors)")
        #expect(!FileManager.default.fileExists(atPath: tool.folder["new.plist.minisig"].path()))
    }

    @Test func `a plist array is signed with the version and expiration date that are given as options`() throws {
        try tool.folder.write(
            PlistText.document("<array><string>com.example.voyager.map</string></array>"), to: "catalog.plist")
        try expectSuccess(
            "sign", "catalog.plist", "--key", "online.key", "--version", "13", "--expires", "2099-01-01T12:00:00Z",
            "--channel", "production")

        let statement = try #require(try verify("--root", "root.pub", "--json").json["statement"] as? [String: Any])
        #expect(statement["version"] as? Int == 13)
        #expect(statement["expires"] as? String == "2099-01-01T12:00:00Z")
    }

    @Test func `a JSON list of product identifiers is signed and verified`() throws {
        try tool.folder.write("[\"com.example.voyager.map\"]", to: "catalog.plist")
        try expectSuccess("sign", "catalog.plist", "--key", "online.key", "--version", "13")

        let result = try verify("--root", "root.pub")
        #expect(result.status == 0, "\(result.output)")
        #expect(result.lines.contains("version  13"))
    }

    @Test(
        arguments: [
            (PlistText.document("<array/>"), 1, "rejected: the catalog contains no products [empty]"),
            (PlistText.document("<array><dict/></array>"), 1, "rejected: the catalog has errors: "),
            ("[1]", 1, "rejected: the catalog has errors: a product must be a dictionary or an identifier"),
        ] as [(String, Int32, String)])
    func `vitrine catalog verify rejects an invalid catalog although its signature is valid`(
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

    @Test func `a catalog is signed with the version and expiration date that it contains`() throws {
        try tool.folder.write(
            Self.catalog(version: 14, keys: "<key>expires</key><date>2099-01-01T00:00:00Z</date>"), to: "catalog.plist")
        try expectSuccess("sign", "catalog.plist", "--key", "online.key")

        let comment = try text("catalog.plist.minisig").split(separator: "\n")[2]
        #expect(comment.contains(" version=14 "))
        #expect(comment.hasSuffix(" expires=2099-01-01T00:00:00Z"))
    }

    /// Signing of a catalog, without a version of its own, beside a signature of version 12.
    struct NextVersion: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let arguments: [String]
        /// Function that changes the files before the command.
        var change: @Sendable (Tool) throws -> Void = { _ in }
        var errors = ""

        var isRefused: Bool { errors.hasPrefix("vitrine: error: ") }
    }

    private static let advice =
        "Delete it if it was not published, or if keys.plist begins a new epoch"

    @Test(arguments: [
        NextVersion(testDescription: "the next version", arguments: ["--version", "13"]),
        NextVersion(testDescription: "a million above", arguments: ["--version", "1000012"]),
        NextVersion(testDescription: "the same catalog, whose signature is renewed", arguments: ["--version", "12"]),
        NextVersion(
            testDescription: "a lower version", arguments: ["--version", "11"],
            errors: "vitrine: error: list.plist.minisig is of version 12: apps that have seen it would refuse version "
                + "11. " + advice),
        NextVersion(
            testDescription: "more than a million above", arguments: ["--version", "1000013"],
            errors: "vitrine: error: list.plist.minisig is of version 12: apps that have seen it would refuse version "
                + "1000013, more than 1000000 above it. " + advice),
        NextVersion(
            testDescription: "another catalog of the same version", arguments: ["--version", "12"],
            change: { try $0.folder.write(PlistText.document("<array><string>b</string></array>"), to: "list.plist") },
            errors: "vitrine: warning: list.plist has changed since it was signed as version 12; each change needs a "
                + "higher version"),
        NextVersion(testDescription: "another channel", arguments: ["--version", "1", "--channel", "beta"]),
        NextVersion(testDescription: "another app", arguments: ["--version", "1", "--app", "com.example.other"]),
        NextVersion(
            testDescription: "a lower version after the signature was deleted", arguments: ["--version", "1"],
            change: { try FileManager.default.removeItem(at: $0.folder["list.plist.minisig"]) }),
        NextVersion(
            testDescription: "a lower version beside a signature without a statement", arguments: ["--version", "1"],
            change: { try $0.folder.write("text\n", to: "list.plist.minisig") }),
    ]) func `a catalog is signed only as a version that apps accept after that of the existing signature`(
        test: NextVersion
    ) throws {
        try tool.folder.write(PlistText.document("<array><string>a</string></array>"), to: "list.plist")
        let usual = ["catalog", "sign", "list.plist", "--key", "online.key"]
        let app = test.arguments.contains("--app") ? [] : ["--app", "com.example.voyager"]
        #expect(try tool.run(usual + ["--app", "com.example.voyager", "--version", "12"]).status == 0)
        try test.change(tool)
        let before = try? text("list.plist.minisig")
        let result = try tool.run(usual + test.arguments + app)

        #expect(result.status == (test.isRefused ? 64 : 0))
        #expect(result.errors == (test.errors.isEmpty ? "" : test.errors + "\n"))
        let signature = try text("list.plist.minisig")
        if test.isRefused {
            #expect(signature == before)
        } else {
            #expect(signature.contains(" version=\(test.arguments[1]) "))
        }
    }

    @Test func `a catalog is not signed as of an earlier time than the same version before`() throws {
        let key = try SigningKey(pem: text("online.key"))
        let statement = CatalogStatement(
            app: "com.example.voyager", channel: "production", version: 12, issued: .now + 3_600, expires: .now + 7_200,
            keyIdentifier: key.publicKey.identifierText)
        let data = try Data(contentsOf: tool.folder["catalog.plist"])
        try key.sign(data, trustedComment: statement.trustedComment(for: .catalog)).file
            .write(to: tool.folder["catalog.plist.minisig"])
        let result = try tool.run(
            "catalog", "sign", "catalog.plist", "--key", "online.key", "--app", "com.example.voyager")

        #expect(result.status == 64)
        #expect(
            result.errors.hasPrefix("vitrine: error: catalog.plist.minisig is of version 12 and signed on "),
            "\(result.errors)")
    }

    @Test func `vitrine catalog sign refuses standard input, beside which no signature can be written`() throws {
        let result = try tool.run(
            "catalog", "sign", "-", "--key", "online.key", "--app", "com.example.voyager", "--version", "1")

        #expect(result.status == 64)
        #expect(result.errors.hasPrefix("vitrine: error: The signature is written beside the catalog"))
        #expect(!tool.folder.has("-.minisig"))
    }
}
