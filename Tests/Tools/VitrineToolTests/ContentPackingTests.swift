import Foundation
import Testing
import VitrineTestSupport

/// Commands that pack, check and unpack content.
@Suite(.blocksThreads, .hangLimit) struct ContentPackingTests {
    private let tool: Tool
    private let rome = Repository.samplePackages.appending(path: "Rome")
    private let archive = "out/com.example.voyager.rome-1.0.zip"
    private let manifest = "out/com.example.voyager.rome-1.0.plist"

    init() throws { tool = try Tool() }

    @Test func `a content package is packed, listed, verified and unpacked unchanged`() throws {
        let packed = try tool.run("content", "pack", rome.path(), "-o", "out")
        #expect(packed.status == 0, "\(packed.errors)")
        #expect(packed.lines[0].hasPrefix("\(archive): com.example.voyager.rome 1.0, 4 files, "))
        #expect(packed.lines[1].hasPrefix("\(manifest): "))

        let list = try tool.run("content", "list", archive)
        #expect(list.lines[0] == "com.example.voyager.rome 1.0")
        #expect(
            list.lines.dropFirst(2).map { String($0.prefix { $0 != " " }) } == [
                "ContentInfo.plist", "Contents/guide.md", "Contents/maps/forum.svg", "Contents/maps/trastevere.svg",
            ])
        let verified = try tool.run("content", "verify", archive, "--manifest", manifest)
        #expect(verified.output.hasPrefix("verified: com.example.voyager.rome 1.0, 4 files, "))

        #expect(try tool.run("content", "unpack", archive, "-o", "Rome").status == 0)
        for path in try FileManager.default.subpathsOfDirectory(atPath: rome.path()) {
            #expect(
                FileManager.default.contents(atPath: rome.appending(path: path).path())
                    == FileManager.default.contents(atPath: tool.folder["Rome/\(path)"].path()))
        }
        #expect(try tool.run("content", "unpack", archive, "-o", "Rome").status == 65)
        #expect(try !tool.files().keys.contains { $0.hasPrefix(".") })
    }

    @Test func `vitrine content new makes the package of a folder, which can be packed`() throws {
        let contents = rome.appending(path: "Contents").path()
        let made = try tool.run(
            "content", "new", contents, "--product", "com.example.voyager.rome", "--version", "1.0", "-o", "Rome")
        #expect(made.output == "Rome: com.example.voyager.rome 1.0, 3 files\n", "\(made.errors)")
        #expect(try tool.run("content", "pack", "Rome", "-o", "out").status == 0)
        for path in try FileManager.default.subpathsOfDirectory(atPath: contents) {
            #expect(
                FileManager.default.contents(atPath: rome.appending(path: "Contents/\(path)").path())
                    == FileManager.default.contents(atPath: tool.folder["Rome/Contents/\(path)"].path()))
        }
        #expect(try tool.run("content", "verify", archive, "--manifest", manifest).status == 0)
    }

    @Test(
        arguments: [
            (["Files", "-o", "Rome"], 65, "already exists and is not an empty folder"),
            (["Files", "-o", "Files/Rome"], 65, "is in Files, which it would contain"),
            (["Links", "-o", "New"], 65, "is a symbolic link"),
            (["None", "-o", "New"], 66, "None: there is no such folder"),
            (["Files", "-o", "New", "--version", ""], 64, "must not be empty"),
        ] as [([String], Int32, String)])
    func `vitrine content new refuses what cannot become a package, and leaves nothing behind`(
        arguments: [String], status: Int32, reason: String
    ) throws {
        for path in ["Files/a.txt", "Links/a.txt", "Rome/b.txt"] { try tool.folder.write("text", to: path) }
        try FileManager.default.createSymbolicLink(
            at: tool.folder["Links/link"], withDestinationURL: tool.folder["Files/a.txt"])
        let before = try tool.files()
        let result = try tool.run(["content", "new"] + arguments + ["--product", "com.example.voyager.rome"])

        #expect(result.status == status, "\(result.errors)")
        #expect(result.errors.contains(reason), "\(result.errors)")
        #expect(try tool.files() == before)
    }

    @Test func `packing a folder that is not a package names the command that makes one`() throws {
        try tool.folder.write("text", to: "Files/a.txt")
        let result = try tool.run("content", "pack", "Files", "-o", "out")
        #expect(result.status == 66)
        #expect(result.errors.contains("'vitrine content new' makes a package of a folder"), "\(result.errors)")
        let missing = try tool.run("content", "pack", "Flies", "-o", "out")
        #expect(missing.status == 66)
        #expect(missing.errors == "vitrine: error: Flies: there is no such folder\n")
    }

    @Test func `vitrine content verify accepts a signed manifest only with the right key and an intact signature file`()
        throws
    {
        for name in ["online", "other"] { #expect(try tool.run("catalog", "keygen", "-o", name).status == 0) }
        let packed = try tool.run("content", "pack", rome.path(), "-o", "out", "--key", "online.key")
        #expect(packed.lines.last == "\(manifest).minisig: signature of the manifest")
        func verify(_ key: String) throws -> Int32 {
            try tool.run("content", "verify", archive, "--manifest", manifest, "--key", key).status
        }
        #expect(try verify("online.pub") == 0)
        #expect(try verify("other.pub") == 1)
        #expect(try tool.run("content", "verify", archive, "--key", "online.pub").status == 64)
        #expect(try tool.run("catalog", "verify", manifest, "--key", "online.pub").status == 0)

        let text = try String(contentsOf: tool.folder["\(manifest).minisig"], encoding: .utf8)
        try tool.folder.write(
            text.replacing("product=com.example.voyager.rome", with: "product=a"), to: "\(manifest).minisig")
        #expect(try verify("online.pub") == 1)
        try FileManager.default.removeItem(at: tool.folder["\(manifest).minisig"])
        #expect(try verify("online.pub") == 66)
    }

    @Test func `an archive that apps would refuse is rejected, and no partial files remain`() throws {
        try tool.run("content", "pack", rome.path(), "-o", "out")
        var bytes = try Data(contentsOf: tool.folder[archive])
        bytes[40] ^= 0xFF
        try bytes.write(to: tool.folder[archive])

        for arguments in [["verify", archive], ["verify", archive, "--manifest", manifest]] {
            let verdict = try tool.run(["content"] + arguments)
            #expect(verdict.status == 1)
            #expect(verdict.output.hasPrefix("rejected: out/"))
        }
        #expect(try tool.run("content", "list", archive).status == 65)
        #expect(try tool.run("content", "unpack", archive, "-o", "Rome").status == 65)
        #expect(try tool.run("content", "verify", "none.zip").status == 66)
        #expect(try tool.run("content", "verify", archive, "--manifest", archive).status == 65)
        #expect(try tool.files().count == 3)
    }

    @Test func `an Apple package (.pkg) is refused with an error that names the command to convert it`() throws {
        try Data("xar!\0\u{1C}\0\u{1}".utf8).write(to: tool.folder["Rome.pkg"])

        let verdict = try tool.run("content", "verify", "Rome.pkg")
        #expect(verdict.status == 1)
        #expect(
            verdict.output == """
                rejected: Rome.pkg is an Apple package (.pkg, xar), which is not supported; convert it to a tar with: \
                bsdtar -cf NAME.tar @NAME.pkg [invalid-package]

                """)
        #expect(try tool.run("content", "list", "Rome.pkg").status == 65)
        #expect(try tool.run("content", "unpack", "Rome.pkg", "-o", "Rome").status == 65)
    }

    private static let catalog = """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
        <plist version="1.0">
        <array>
          <!-- guides -->
          <dict>
            <key>productIdentifier</key>   <string>com.example.voyager.rome</string>
            <key>contentURL</key>          <string>https://old.example/rome.plist</string>
            <key>hosted</key>              <true/> <!-- since 2.0 -->
          </dict>
          <string>com.example.voyager.athens</string>
        </array>
        </plist>

        """

    @Test func `vitrine content pack --update-catalog writes the content keys, and repeating it changes nothing`()
        throws
    {
        try tool.folder.write(Self.catalog, to: "catalog.plist")
        let arguments = [
            "content", "pack", rome.path(), "-o", "out", "--base-url", "https://a.example/c", "--base-url",
            "https://b.example/c/", "--update-catalog", "catalog.plist", "--json",
        ]
        let packed = try tool.run(arguments)
        #expect(packed.status == 0, "\(packed.errors)")
        let json = try packed.json
        let (digest, length) = (try #require(json["manifestDigest"] as? String), try #require(json["manifestLength"]))
        let name = "com.example.voyager.rome-1.0.plist"
        let expected = Self.catalog
            .replacing(
                "<string>https://old.example/rome.plist</string>",
                with: "<array><string>https://a.example/c/\(name)</string><string>https://b.example/c/\(name)</string>"
                    + "</array>"
            )
            .replacing(
                "<true/>",
                with: """
                    <true/>
                        <key>contentVersion</key>              <string>1.0</string>
                        <key>contentDigest</key>              <string>\(digest)</string>
                        <key>contentLength</key>              <integer>\(length)</integer>
                    """)
        #expect(try String(contentsOf: tool.folder["catalog.plist"], encoding: .utf8) == expected)

        #expect(try tool.run(arguments).status == 0)
        #expect(try String(contentsOf: tool.folder["catalog.plist"], encoding: .utf8) == expected)
        let findings = try tool.run("lint", "catalog.plist").output
        #expect(!findings.contains("[self-hosted-content]"), "\(findings)")
        #expect(!findings.contains("[value-type]"), "\(findings)")
    }

    @Test
    func `content that was published is not replaced by other content of the same version, unless --replace is given`()
        throws
    {
        try FileManager.default.copyItem(at: rome, to: tool.folder["Rome"])
        try tool.folder.write(Self.catalog, to: "catalog.plist")
        let pack = ["content", "pack", "Rome", "-o", "out"]
        let update = ["--base-url", "https://a.example", "--update-catalog", "catalog.plist"]
        #expect(try tool.run(pack + update).status == 0)
        func catalog() throws -> String { try String(contentsOf: tool.folder["catalog.plist"], encoding: .utf8) }
        let before = try catalog()
        try tool.folder.write("corrected", to: "Rome/Contents/guide.md")

        let refused = try tool.run(pack)
        #expect(refused.status == 1)
        #expect(refused.errors.contains("\(manifest) is of other content of com.example.voyager.rome 1.0"))
        try FileManager.default.removeItem(at: tool.folder["out"])
        let other = try tool.run(pack + update)
        #expect(other.status == 1)
        #expect(other.errors.contains("catalog.plist names other content of com.example.voyager.rome 1.0"))
        #expect(try catalog() == before)

        #expect(try tool.run(pack + update + ["--replace"]).status == 0)
        #expect(try catalog() != before)
        let information = try String(contentsOf: tool.folder["Rome/ContentInfo.plist"], encoding: .utf8)
        try tool.folder.write(information.replacing(">1.0<", with: ">1.1<"), to: "Rome/ContentInfo.plist")
        #expect(try tool.run(pack + update).status == 0)
    }

    @Test(arguments: ["1<\u{301}", "1\r\n0", "1>&\u{20D2}\"'", "\u{1F600}\t1"])
    func `vitrine content pack --update-catalog preserves special characters of the version and all other keys`(
        version: String
    ) throws {
        let package = tool.folder["package"]
        try FileManager.default.copyItem(at: rome, to: package)
        let info = ["IAPProductIdentifier": "com.example.voyager.rome", "ContentVersion": version]
        try PropertyListSerialization.data(fromPropertyList: info, format: .binary, options: 0)
            .write(to: package.appending(path: "ContentInfo.plist"))
        try tool.folder.write(Self.catalog, to: "catalog.plist")
        let packed = try tool.run(
            "content", "pack", "package", "-o", "out", "--base-url", "https://a.example", "--update-catalog",
            "catalog.plist")

        #expect(packed.status == 0, "\(packed.errors)")
        let products = try #require(
            try PropertyListSerialization.propertyList(
                from: Data(contentsOf: tool.folder["catalog.plist"]), format: nil) as? [Any])
        let product = try #require(products.first as? [String: Any])
        #expect((product["contentVersion"] as? String).map { Array($0.utf8) } == Array(version.utf8))
        #expect(product["hosted"] as? Bool == true)
        #expect(products.last as? String == "com.example.voyager.athens")
        #expect(product.count == 6)
    }

    @Test func `a content version that XML cannot represent is not written to the catalog`() throws {
        let package = tool.folder["package"]
        try FileManager.default.copyItem(at: rome, to: package)
        let info = ["IAPProductIdentifier": "com.example.voyager.rome", "ContentVersion": "1\u{FFFF}"]
        try PropertyListSerialization.data(fromPropertyList: info, format: .binary, options: 0)
            .write(to: package.appending(path: "ContentInfo.plist"))
        try tool.folder.write(Self.catalog, to: "catalog.plist")
        let packed = try tool.run(
            "content", "pack", "package", "-o", "out", "--base-url", "https://a.example", "--update-catalog",
            "catalog.plist")

        #expect(packed.status != 0)
        #expect(try String(contentsOf: tool.folder["catalog.plist"], encoding: .utf8) == Self.catalog)
    }

    @Test func `an archive whose bytes differ from its manifest is refused, even if its files are unchanged`() throws {
        try tool.run("content", "pack", rome.path(), "-o", "out", "--format", "tar.zst")
        let archive = "out/com.example.voyager.rome-1.0.tar.zst"
        // A frame that every reader skips.
        let skipped = Data([0x50, 0x2A, 0x4D, 0x18, 1, 0, 0, 0, 7])
        try (Data(contentsOf: tool.folder[archive]) + skipped).write(to: tool.folder[archive])

        #expect(try tool.run("content", "unpack", archive, "-o", "any").status == 0)
        for command in [["unpack", archive, "-o", "Rome"], ["verify", archive]] {
            let result = try tool.run(["content"] + command + ["--manifest", manifest])
            #expect(result.status == (command[0] == "verify" ? 1 : 65))
            #expect((result.output + result.errors).contains("bytes long, but has "), "\(result.errors)")
        }
        #expect(try !tool.files().keys.contains { $0.hasPrefix("Rome") })
    }

    @Test(arguments: [
        (catalog.replacing("voyager.rome", with: "voyager.oslo"), 1, "has no dictionary of"),
        (
            catalog.replacing("voyager.rome", with: "voyager.rom"), 1,
            #"has no dictionary of "com.example.voyager.rome"; did you mean "com.example.voyager.rom"?"#
        ),
        (catalog.replacing("voyager.athens", with: "voyager.rome"), 0, nil),
        (catalog.replacing("https://old.example/", with: "<!-- why -->"), 1, "contains a comment"),
        (catalog.replacing("<key>hosted</key>", with: "<key>contentURL</key>"), 1, "occurs twice"),
        ("{}", 1, "has no dictionary of"),
        ("{", 65, "catalog.plist:"),
    ])
    func `vitrine content pack leaves a catalog unchanged if it cannot update it`(
        text: String, status: Int32, reason: String?
    ) throws {
        try tool.folder.write(text, to: "catalog.plist")
        let result = try tool.run(
            "content", "pack", rome.path(), "-o", "out", "--base-url", "https://a.example", "--update-catalog",
            "catalog.plist")

        #expect(result.status == status)
        #expect(reason.map(result.errors.contains) ?? result.errors.isEmpty, "\(result.errors)")
        let after = try String(contentsOf: tool.folder["catalog.plist"], encoding: .utf8)
        #expect((after == text) == (status != 0))
    }

    @Test(arguments: [
        ["pack", "Rome", "-o", "out", "--base-url", "ftp://a.example"],
        ["pack", "Rome", "-o", "out", "--update-catalog", "catalog.plist"], ["pack", "Rome"],
        ["pack", "Rome", "-o", "out", "--format", "rar"],
        [
            "pack", "Rome", "-o", "out", "--format", "tar.zst", "--base-url", "https://a.example", "--update-catalog",
            "catalog.plist",
        ],
    ])
    func `vitrine content pack refuses invalid options before it writes any file`(arguments: [String]) throws {
        #expect(try tool.run(["content"] + arguments).status == 64)
        #expect(try tool.files().isEmpty)
    }

    @Test func `vitrine content pack writes a tar archive with individual files, and content list --json describes it`()
        throws
    {
        #expect(try tool.run("content", "pack", rome.path(), "-o", "out", "--format", "tar.zst", "--files").status == 0)
        let json = try tool.run("content", "list", "out/com.example.voyager.rome-1.0.tar.zst", "--json").json
        #expect(json["product"] as? String == "com.example.voyager.rome")
        #expect((json["files"] as? [[String: Any]])?.count == 4)
        #expect(try tool.files().keys.filter { $0.hasPrefix("out/files/") }.count == 4)
    }
}
