import Foundation
import Testing
import VitrineCatalog
import VitrineTestSupport

@Suite(.blocksThreads, .hangLimit) struct ConvertTests {
    private let tool: Tool
    private let sample = Repository.sample("Voyager.plist").path()

    init() throws { tool = try Tool() }

    @Test func `converting a catalog to binary and back to XML preserves its products`() throws {
        let binary = try tool.run("convert", sample, "--to", "binary", "-o", "voyager.bplist")
        #expect(binary.status == 0)
        #expect(binary.output == "voyager.bplist: 3072 bytes of binary\n")
        #expect(try tool.run("convert", "voyager.bplist", "--to", "xml", "-o", "voyager.plist").status == 0)

        #expect(try tool.run("show", "voyager.bplist").output == tool.run("show", sample).output)
        #expect(
            try tool.run("convert", "voyager.plist", "--to", "xml").output
                == tool.run("convert", sample, "--to", "xml").output)
        #expect(try tool.run("lint", "voyager.bplist").status == 0)
    }

    @Test func `lint reports an error in a binary catalog with its byte offset`() throws {
        try tool.folder.write(
            PlistText.document("<array><dict><key>productIdentifier</key><string>a</string></dict></array>"),
            to: "a.plist")
        #expect(try tool.run("convert", "a.plist", "--to", "binary", "-o", "a.bplist").status == 0)
        let lint = try tool.run("lint", "a.bplist", "--json").json
        let files = try #require(lint["files"] as? [[String: Any]])
        let finding = try #require((files[0]["findings"] as? [[String: Any]])?.first)

        #expect(finding["offset"] is Int)
        #expect(finding["line"] == nil)
        #expect(try tool.run("lint", "a.bplist").lines.first?.hasPrefix("a.bplist:@") == true)
    }

    @Test func `a StoreKit configuration is converted to a catalog that passes lint, and guessed values are reported`()
        throws
    {
        let store = Repository.sample("Voyager.storekit").path()
        let result = try tool.run("convert", store, "--from", "storekit", "--to", "xml", "-o", "starter.plist")
        #expect(result.status == 0)
        #expect(
            result.errors
                == [50, 500].map {
                    #"vitrine: check storageKey "coins" and productValue \#($0) of "com.example.voyager.coins\#($0)": "#
                        + "they were guessed from its identifier\n"
                }.joined())

        let lint = try tool.run("lint", "--strict", "--storekit", store, "starter.plist")
        #expect(lint.lines.isEmpty)
        #expect(lint.status == 0)
        let coins = try tool.run("convert", "starter.plist", "--to", "json").output
        #expect(coins.contains(#""storageKey" : "coins""#))
        #expect(coins.contains(#""productValue" : 50"#))
    }

    @Test func `a converted subscription has the group, level and period of the StoreKit configuration`() throws {
        let store = Repository.file("Catalogs/Club.storekit").path()
        #expect(
            try tool.run("convert", store, "--from", "storekit", "--to", "xml", "-o", "club.plist").status == 0)
        let json = try tool.run("convert", "club.plist", "--to", "json").output
        let products = try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [[String: Any]])
        let year = try #require(products.first { $0["productIdentifier"] as? String == "club.silver.year" })

        #expect(year["subscriptionGroup"] as? String == "Club")
        #expect(year["level"] as? Int == 2)
        #expect(year["subscriptionDuration"] as? String == "P1Y")
        let lint = try tool.run("lint", "--storekit", store, "club.plist", "--json").json
        let files = try #require(lint["files"] as? [[String: Any]])
        let findings = try #require(files[0]["findings"] as? [[String: Any]])
        #expect(
            findings.map { $0["message"] as? String } == [
                #"the non-renewing subscription "pass" has no subscriptionDuration: its end is unknown"#
            ])
    }

    @Test func `vitrine convert reports non-renewing subscriptions whose duration is missing`() throws {
        try tool.folder.write(
            #"""
            {"version": {"major": 4, "minor": 0}, "nonRenewingSubscriptions": [
             {"productID": "pass", "type": "NonRenewingSubscription", "displayPrice": "1.99"}]}
            """#, to: "a.storekit")
        let result = try tool.run("convert", "a.storekit", "--from", "storekit", "--to", "json")

        #expect(result.status == 0)
        #expect(
            result.errors
                == "vitrine: add subscriptionDuration to the non-renewing subscriptions (1): they are not sold without it\n"
        )
    }

    @Test func `vitrine convert reports an entry that it cannot convert and exits with status 1`() throws {
        try tool.folder.write(
            PlistText.document("<dict><key>Consumables</key><dict><key>coins</key><integer>5</integer></dict></dict>"),
            to: "mk.plist")
        let result = try tool.run("convert", "mk.plist", "--from", "mkstorekit", "--to", "json")

        #expect(result.status == 1)
        #expect(
            result.errors.contains(
                #""coins" must be a dictionary with ConsumableId and ConsumableCount, but this is an integer [root]"#))
    }

    @Test(arguments: ["xml", "binary", "json"])
    func `vitrine convert reports repeated keys, of which it writes the last value`(format: String) throws {
        try tool.folder.write(#"[{"a": 1,\#n"b": [{"c": 1, "c": 2}],\#n"a": 3, "a": 4}]"#, to: "a.json")
        let result = try tool.run("convert", "a.json", "--to", format, "-o", "written")

        #expect(result.status == 0)
        let last = "is repeated, and only its last value is written\n"
        #expect(
            result.errors
                == ["2:16: warning: the key \"c\"", "3:1: warning: the key \"a\"", "3:9: warning: the key \"a\""].map {
                    "vitrine: a.json:\($0) \(last)"
                }.joined())
        let written = try tool.run("convert", "written", "--to", "json")
        #expect(written.errors.isEmpty)
        let values = try JSONSerialization.jsonObject(with: Data(written.output.utf8)) as? NSArray
        #expect(values == [["a": 4, "b": [["c": 2]]]] as NSArray)
    }

    @Test func `vitrine convert reports more than twenty repeated keys by their number`() throws {
        let keys = (0..<23).map { _ in #""a": 1"# }.joined(separator: ", ")
        try tool.folder.write("{\(keys)}", to: "a.json")
        let errors = try tool.run("convert", "a.json", "--to", "xml").errors.split(separator: "\n")

        #expect(errors.count == 21)
        #expect(errors.last == "vitrine: 2 more keys are repeated")
    }

    @Test func `vitrine convert guesses productValue from the first number in the product identifier`() throws {
        try tool.folder.write(
            #"""
            {"version": {"major": 4, "minor": 0}, "products": [
             {"productID": "com.x.coins100_v2", "type": "Consumable"}, {"productID": "gems²", "type": "Consumable"}]}
            """#, to: "a.storekit")
        let json = try tool.run("convert", "a.storekit", "--from", "storekit", "--to", "json").output

        #expect(json.contains(#""productValue" : 100,"#))
        #expect(json.contains(#""productValue" : 1,"#))
    }

    @Test func `vitrine convert writes through symbolic links and to devices, and preserves file permissions`() throws {
        try tool.folder.write("old", to: "real.plist")
        let real = tool.folder["real.plist"].path()
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: real)
        try FileManager.default.createSymbolicLink(
            atPath: tool.folder["link.plist"].path(), withDestinationPath: "real.plist")
        #expect(try tool.run("convert", sample, "--to", "xml", "-o", "link.plist").status == 0)
        #expect(try tool.run("lint", "real.plist").status == 0)
        #expect(try FileManager.default.attributesOfItem(atPath: real)[.posixPermissions] as? Int == 0o600)
        #expect(
            try FileManager.default.destinationOfSymbolicLink(atPath: tool.folder["link.plist"].path()) == "real.plist")

        #expect(try tool.run("convert", sample, "--to", "xml", "-o", "/dev/null").status == 0)
        let type = try FileManager.default.attributesOfItem(atPath: "/dev/null")[.type] as? FileAttributeType
        #expect(type == .typeCharacterSpecial)
    }

    @Test func `vitrine convert preserves markup characters and line breaks in titles and identifiers`() throws {
        try tool.folder.write(
            #"""
            {"version": {"major": 4, "minor": 0}, "products": [{"productID": "a<&>\"b", "type": "NonConsumable",
             "localizations": [{"locale": "en", "displayName": "x\r\n<y>\u0001&amp;", "description": ""}]}]}
            """#, to: "a.storekit")
        let json = try tool.run("convert", "a.storekit", "--from", "storekit", "--to", "json").output

        #expect(json.contains(#""productIdentifier" : "a<&>\"b""#))
        #expect(json.contains(#""en" : "x\r\n<y>&amp;""#))
    }

    @Test func `an MKStoreKit file is converted to a catalog, and missing product types are reported`() throws {
        try tool.folder.write(
            PlistText.document(
                """
                <dict><key>Consumables</key><dict><key>coins</key><dict><key>ConsumableId</key><string>c</string>
                <key>ConsumableCount</key><integer>5</integer></dict></dict>
                <key>Others</key><array><string>guide</string></array></dict>
                """), to: "mk.plist")
        let result = try tool.run("convert", "mk.plist", "--from", "mkstorekit", "--to", "json")
        #expect(result.status == 0)
        #expect(
            result.output.split(whereSeparator: \.isWhitespace).joined() == """
                [{"consumable":true,"productIdentifier":"coins","productValue":5,"storageKey":"c"},\
                {"productIdentifier":"guide"}]
                """)
        #expect(
            result.errors
                == "vitrine: add the key consumable to each product without it (1): the file does not name its type\n")

        let other = try tool.run("convert", "mk.plist", "--from", "storehelper", "--to", "json")
        #expect(other.status == 65)
        #expect(other.errors == "vitrine: error: mk.plist is not a file of StoreHelper\n")
    }

    @Test(arguments: [
        (
            "<dict><key>com.example.fuel</key><string>⛽️</string><key>com.example.car</key><string>a &amp; b</string></dict>",
            #"{"productIdentifier":"com.example.fuel","userInfo":"⛽️"},"#
                + #"{"productIdentifier":"com.example.car","userInfo":"a&b"}"#
        ),
        (
            "<array><string>com.example.fuel</string><string>car</string></array>",
            #"{"productIdentifier":"com.example.fuel"},{"productIdentifier":"car"}"#
        ),
    ])
    func `a list of product identifiers is converted to a catalog, and missing product types are reported`(
        body: String, products: String
    ) throws {
        try tool.folder.write(PlistText.document(body), to: "ids.plist")
        let result = try tool.run("convert", "ids.plist", "--from", "identifiers", "--to", "json")

        #expect(result.status == 0)
        #expect(result.output.split(whereSeparator: \.isWhitespace).joined() == "[\(products)]")
        #expect(
            result.errors
                == "vitrine: add the key consumable to each product without it (2): the file does not name its type\n")
        let other = try tool.run("convert", sample, "--from", "identifiers", "--to", "json")
        #expect(other.status == 65)
        #expect(other.errors == "vitrine: error: \(sample) is not a list of product identifiers\n")
    }

    @Test func `vitrine convert reads a property list from standard input and writes JSON`() throws {
        try tool.folder.write(
            PlistText.document(
                "<dict><key>b</key><array><integer>1</integer><real>0.5</real></array><key>a</key><true/></dict>"),
            to: "a.plist")
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["sh", "-c", "\"$0\" convert - --to json < a.plist", Tool.path]
        process.currentDirectoryURL = tool.folder.url
        process.standardOutput = output
        try process.run()
        let printed = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()

        #expect(process.terminationStatus == 0)
        #expect(printed == "{\n  \"a\" : true,\n  \"b\" : [\n    1,\n    0.5\n  ]\n}\n")
    }

    @Test(
        arguments: [
            (
                "<dict><key>a</key><date>2026-01-01T00:00:00Z</date></dict>",
                "a.plist:4:19: JSON has no dates, except as text under expires, beforeDate and until of a catalog"
            ),
            ("<array><data>AA==</data></array>", "a.plist:4:8: JSON has no data"),
            ("<real>nan</real>", "a.plist:4:1: JSON has no number that is not finite"),
        ]
    )
    func `vitrine convert refuses values that JSON cannot represent, and reports their position`(
        body: String, message: String
    ) throws {
        try tool.folder.write(PlistText.document(body), to: "a.plist")
        let result = try tool.run("convert", "a.plist", "--to", "json", "-o", "a.json")

        #expect(result.status == 65)
        #expect(result.errors == "vitrine: error: \(message)\n")
        #expect(try tool.files().keys.sorted() == ["a.plist"])
    }

    @Test func `a catalog in JSON is checked, shown, compared and converted like the property list that it was`() throws
    {
        try tool.folder.write(
            PlistText.document(
                """
                <dict><key>catalogVersion</key><integer>3</integer><key>expires</key><date>2030-03-01T00:00:00Z</date>
                <key>products</key><array><dict><key>productIdentifier</key><string>com.example.coins</string>
                <key>consumable</key><true/><key>storageKey</key><string>coins</string>
                <key>productValue</key><integer>50</integer></dict></array></dict>
                """), to: "a.plist")
        #expect(try tool.run("convert", "a.plist", "--to", "json", "-o", "a.json").status == 0)

        #expect(try tool.run("lint", "--strict", "a.json").status == 0)
        #expect(try tool.run("show", "a.json").output == tool.run("show", "a.plist").output)
        let diff = try tool.run("diff", "a.plist", "a.json")
        #expect(diff.status == 0)
        #expect(try diff.output == tool.run("diff", "a.plist", "a.plist").output)
        #expect(
            try tool.run("convert", "a.json", "--to", "xml").output
                == tool.run("convert", "a.plist", "--to", "xml").output)
    }

    @Test func `a catalog alone is enough to begin: its products are sold by a store that convert makes of it`() throws
    {
        try tool.folder.write("product,price\n\(String.voyager("lisbon")),4.99\n", to: "prices.csv")
        let made = try tool.run(
            "convert", sample, "--to", "storekit", "--prices", "prices.csv", "-o", "made.storekit")
        #expect(made.status == 0)
        #expect(made.output.hasPrefix("made.storekit: "))
        #expect(
            made.errors.contains(
                "the prices of 11 products are placeholders, 0.99: set them in the file, or with --prices of convert"))
        let copied = try tool.run("convert", "made.storekit", "--to", "json")
        #expect(copied.errors.contains("--from storekit makes a catalog of it"))

        let back = try tool.run("convert", "made.storekit", "--from", "storekit", "--to", "json")
        let products = try #require(
            try JSONSerialization.jsonObject(with: Data(back.output.utf8)) as? [[String: Any]])
        let catalog = try CatalogFile(url: Repository.sample("Voyager.plist")).catalog
        #expect(products.compactMap { $0["productIdentifier"] as? String } == catalog.products.map(\.identifier))
        #expect(try tool.run("lint", "--strict", "--storekit", "made.storekit", sample).status == 0)

        #expect(try tool.run("init", "--catalog", sample, "--store", "made.storekit").status == 0)
        let bought = try tool.run("buy", .voyager("lisbon"))
        #expect(bought.output.hasPrefix("bought com.example.voyager.lisbon (transaction "))
        #expect(try tool.run("buy", .voyager("coins50")).output.hasSuffix("; coins: 50\n"))
    }

    @Test
    func `a StoreKit configuration is refused for a catalog without products of known type, and for wrong prices`()
        throws
    {
        try tool.folder.write("product,price\nmap,free\n", to: "prices.csv")
        let identifiers = Repository.sample("ProductIDs.plist").path()
        let untyped = try tool.run("convert", identifiers, "--to", "storekit")
        let wrong = try tool.run("convert", sample, "--to", "storekit", "--prices", "prices.csv")

        #expect(untyped.status == 65)
        #expect(untyped.errors.contains("is left out: the catalog does not name its type"))
        #expect(wrong.status == 65)
        #expect(wrong.errors == "vitrine: error: prices.csv:2: \"free\" is not a price like 4.99\n")
        #expect(try tool.run("convert", sample, "--to", "storekit", "--prices", "none.csv").status == 66)
        #expect(try tool.run("convert", sample, "--to", "json", "--prices", "prices.csv").status == 64)
        #expect(try tool.run("convert", "a.storekit", "--from", "storekit", "--to", "storekit").status == 64)
    }

    @Test func `vitrine convert fails for unreadable input, unknown formats and unwritable output`() throws {
        try tool.folder.write("hello", to: "text")

        #expect(try tool.run("convert", "none", "--to", "xml").status == 66)
        #expect(try tool.run("convert", "text", "--to", "xml").status == 65)
        #expect(try tool.run("convert", sample, "--to", "yaml").status == 64)
        #expect(try tool.run("convert", sample, "--to", "xml", "-o", "no/such/folder/x").status == 74)
    }
}
