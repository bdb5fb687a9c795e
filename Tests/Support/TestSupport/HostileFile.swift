/// Malicious file: small, but expensive to read.
package struct HostileFile: Sendable, CustomStringConvertible {
    package let description: String
    package let bytes: [UInt8]

    private init(_ description: String, _ bytes: [UInt8]) {
        self.description = description
        self.bytes = bytes
    }

    private init(_ description: String, xml: String) { self.init(description, Array(xml.utf8)) }

    private init(_ description: String, body: String) { self.init(description, xml: PlistText.document(body)) }

    private init(_ description: String, binary: BinaryFile) { self.init(description, binary.bytes) }

    package static let all: [HostileFile] = nested + text + markup + scalars + json + binary + catalogs

    private static func times(_ count: Int, _ text: String) -> String { String(repeating: text, count: count) }

    // MARK: XML

    private static let nested: [HostileFile] = [
        // 9,127 bytes, which overflow the stack of a reader that calls itself.
        HostileFile(
            "arrays inside each other in nine kilobytes",
            xml: String(
                (#"<plist version="1.0">"# + times(570, "<array>") + "<true/>" + times(570, "</array>") + "</plist>")
                    .padding(to: 9_127))),
        HostileFile("a hundred thousand open arrays", xml: "<plist>" + times(100_000, "<array>")),
        HostileFile(
            "dictionaries inside each other",
            xml: "<plist>" + times(20_000, "<dict><key>a</key>") + "<true/>" + times(20_000, "</dict>") + "</plist>"),
        HostileFile("plists inside each other", xml: times(50_000, "<plist>")),
        HostileFile("ends without a beginning", xml: "<plist>" + times(100_000, "</array>")),
        HostileFile("a hundred thousand scalars side by side", body: "<array>\(times(100_000, "<true/>"))</array>"),
        HostileFile("a hundred thousand empty keys", body: "<dict>\(times(100_000, "<key/><true/>"))</dict>"),
    ]

    private static let text: [HostileFile] = [
        HostileFile("a megabyte of white space", xml: times(1_000_000, " ")),
        HostileFile("a megabyte of white space before the end", xml: "<plist><array>" + times(1_000_000, " ")),
        HostileFile("a string of a megabyte without end", xml: "<plist><string>" + times(1_000_000, "x")),
        HostileFile("a megabyte of brackets", body: "<string>\(times(1_000_000, "]"))</string>"),
        HostileFile("a megabyte of references", body: "<string>\(times(200_000, "&lt;"))</string>"),
        HostileFile("a reference to a number of a megabyte", body: "<string>&#\(times(1_000_000, "1"));</string>"),
        HostileFile("a reference without end", body: "<string>&\(times(1_000_000, "a"))</string>"),
        HostileFile("a megabyte of accents on one letter", body: "<string>e\(times(500_000, "\u{301}"))</string>"),
        HostileFile("zeros", Array(repeating: 0, count: 1_000_000)),
        HostileFile("bytes that are no UTF-8", Array("<plist><string>".utf8) + Array(repeating: 0xFF, count: 100_000)),
        HostileFile("UTF-16 with half a character", [0xFF, 0xFE] + Array(repeating: 0xD8, count: 200_001)),
        HostileFile("UTF-32 beyond the last character", [0, 0, 0xFE, 0xFF] + Array(repeating: 0xFF, count: 400_000)),
        HostileFile(
            "an encoding that nobody knows", xml: #"<?xml version="1.0" encoding="\#(times(200, "x"))"?><plist/>"#),
        HostileFile("UTF-7", xml: #"<?xml version="1.0" encoding="UTF-7"?>+ADw-plist+AD4-"#),
        HostileFile("an old-style property list", xml: times(100_000, "(")),
        HostileFile("JSON without end", xml: times(100_000, "[")),
        HostileFile("compressed", [0x1F, 0x8B, 8, 0] + Array(repeating: 0, count: 100_000)),
    ]

    private static let markup: [HostileFile] = [
        HostileFile(
            "entities that come to a billion",
            xml: "<!DOCTYPE plist [<!ENTITY a0 \"lol\">"
                + (1...9).map { "<!ENTITY a\($0) \"\(times(10, "&a\($0 - 1);"))\">" }.joined()
                + "]><plist><string>&a9;</string></plist>"),
        HostileFile(
            "a large entity a thousand times",
            xml:
                "<!DOCTYPE plist [<!ENTITY a \"\(times(100_000, "x"))\">]><plist><string>\(times(1_000, "&a;"))</string></plist>"
        ),
        HostileFile(
            "an entity from outside",
            xml: "<!DOCTYPE plist [<!ENTITY a SYSTEM \"file:///etc/passwd\">]><plist><string>&a;</string></plist>"),
        HostileFile(
            "a parameter entity from outside",
            xml: "<!DOCTYPE plist [<!ENTITY % a SYSTEM \"http://127.0.0.1:9/a.dtd\">%a;]><plist><true/></plist>"),
        HostileFile("a document type without end", xml: "<!DOCTYPE plist [" + times(100_000, "<!ENTITY a \"b\">")),
        HostileFile(
            "attributes without end", xml: "<plist " + (0..<50_000).map { "a\($0)=\"\" " }.joined() + "><true/></plist>"
        ),
        HostileFile("one attribute of a megabyte", xml: "<plist a=\"\(times(1_000_000, "x"))\"><true/></plist>"),
        HostileFile("a name of a megabyte", xml: "<\(times(1_000_000, "a"))/>"),
        HostileFile(
            "namespaces without end",
            xml: "<plist " + (0..<20_000).map { "xmlns:a\($0)=\"b\" " }.joined() + "><true/></plist>"),
        HostileFile("comments without end", xml: "<plist>" + times(100_000, "<!---->") + "<true/></plist>"),
        HostileFile("a comment of a megabyte", xml: "<plist><!--\(times(500_000, "- "))--><true/></plist>"),
        HostileFile("instructions without end", xml: "<plist>" + times(100_000, "<?a?>") + "<true/></plist>"),
        HostileFile("CDATA without end", xml: "<plist><string>" + times(50_000, "<![CDATA[]]>") + "</string></plist>"),
        HostileFile("CDATA that is never closed", xml: "<plist><string><![CDATA[" + times(1_000_000, "]]")),
        HostileFile("angle brackets", xml: times(500_000, "<")),
        HostileFile("a declaration of a megabyte", xml: "<?xml version=\"1.0\" \(times(1_000_000, " "))?><plist/>"),
    ]

    private static let scalars: [HostileFile] = [
        HostileFile("an integer of a megabyte", body: "<integer>\(times(1_000_000, "9"))</integer>"),
        HostileFile("a hexadecimal number of a megabyte", body: "<integer>0x\(times(1_000_000, "0"))</integer>"),
        HostileFile("a real of a megabyte", body: "<real>0.\(times(1_000_000, "3"))</real>"),
        HostileFile("an exponent of a megabyte", body: "<real>1e\(times(1_000_000, "9"))</real>"),
        HostileFile("a date of a megabyte", body: "<date>\(times(1_000_000, "2"))</date>"),
        HostileFile("a megabyte that is no base64", body: "<data>\(times(1_000_000, "="))</data>"),
        HostileFile("a megabyte of white space in base64", body: "<data>\(times(1_000_000, "\n"))</data>"),
        HostileFile("a key of a megabyte", body: "<dict><key>\(times(1_000_000, "k"))</key><true/></dict>"),
    ]

    // MARK: JSON

    private static let json: [HostileFile] = [
        HostileFile("JSON objects inside each other", xml: times(100_000, "{\"a\":")),
        HostileFile("a hundred thousand numbers in JSON", xml: "[" + times(100_000, "0,") + "0]"),
        HostileFile("a hundred thousand equal keys in JSON", xml: "{" + times(100_000, "\"\":0,") + "\"\":0}"),
        HostileFile("a megabyte of white space in JSON", xml: "[" + times(1_000_000, " ") + "]"),
        HostileFile("a megabyte of escapes in JSON", xml: "[\"" + times(170_000, "\\u0041") + "\"]"),
        HostileFile("a key of a megabyte of escapes without end in JSON", xml: "{\"" + times(500_000, "\\\"")),
        HostileFile("an integer of a megabyte in JSON", xml: "[" + times(1_000_000, "9") + "]"),
        HostileFile("an exponent of a megabyte in JSON", xml: "[1e" + times(1_000_000, "9") + "]"),
        HostileFile("JSON that is no UTF-8", Array("[\"".utf8) + Array(repeating: 0xFF, count: 100_000)),
        HostileFile(
            "twenty thousand products in JSON that are none",
            xml: "{\"products\":[" + times(20_000, "{},") + "{}]}"),
    ]

    // MARK: Binary

    private static let binary: [HostileFile] =
        [
            // 153 bytes, in which each of 28 arrays holds the next one twice.
            HostileFile("references to references that double", binary: doubling(28)),
            HostileFile("references to references that double, in a dictionary", binary: doublingDictionaries(28)),
            HostileFile("an array that holds itself", binary: BinaryFile([0xA1, 0])),
            HostileFile("arrays that hold each other", binary: BinaryFile([0xA1, 1], [0xA1, 0])),
            HostileFile("a dictionary that holds itself", binary: BinaryFile([0xD1, 1, 0], [0x51, 0x61])),
            HostileFile("a dictionary that is its own key", binary: BinaryFile([0xD1, 0, 0])),
            HostileFile("an array of 2^60 values", binary: BinaryFile([0xAF, 0x13, 0x10, 0, 0, 0, 0, 0, 0, 0])),
            HostileFile("an array of 2^63 values", binary: BinaryFile([0xAF, 0x13, 0x80, 0, 0, 0, 0, 0, 0, 0])),
            HostileFile("a dictionary of 2^62 pairs", binary: BinaryFile([0xDF, 0x13, 0x40, 0, 0, 0, 0, 0, 0, 0])),
            HostileFile("a string of 2^62 bytes", binary: BinaryFile([0x5F, 0x13, 0x40, 0, 0, 0, 0, 0, 0, 0])),
            HostileFile("UTF-16 of 2^62 units", binary: BinaryFile([0x6F, 0x13, 0x40, 0, 0, 0, 0, 0, 0, 0])),
            HostileFile(
                "data of 2^63 - 1 bytes", binary: BinaryFile([0x4F, 0x13, 0x7F] + Array(repeating: 0xFF, count: 7))),
            HostileFile("a count of 16 bytes", binary: BinaryFile([0xAF, 0x14] + Array(repeating: 0xFF, count: 16))),
            HostileFile("an integer of 2^15 bytes", binary: BinaryFile([0x1F])),
            HostileFile("a real of 2^15 bytes", binary: BinaryFile([0x2F])),
            HostileFile("a set in an array", binary: BinaryFile([0xA1, 1], [0xC1, 0])),
            HostileFile("null", binary: BinaryFile([0x00])),
            HostileFile("a filler", binary: BinaryFile([0x0F])),
            HostileFile("a string twenty thousand times", binary: repeatedString()),
            HostileFile("data over data", binary: overlappingData()),
        ] + trailers

    private static let trailers: [HostileFile] = {
        var files: [HostileFile] = []
        func add(_ name: String, _ change: (inout BinaryFile) -> Void) {
            var file = BinaryFile([0xA1, 1], [0x09])
            change(&file)
            files.append(HostileFile(name, binary: file))
        }
        add("2^62 objects") { $0.count = 1 << 62 }
        add("no objects") { $0.count = 0 }
        add("a top object that is not there") { $0.top = 1 << 62 }
        add("a table past the end") { $0.tableOffset = 1 << 62 }
        add("a table over the header") { $0.tableOffset = 0 }
        add("an object in the trailer") { $0.offsets = [1: 200] }
        add("an object before the file") { ($0.offsetSize, $0.offsets) = (8, [1: -1]) }
        add("an object that is the header") { $0.offsets = [1: 0] }
        files.append(HostileFile("a header alone", Array("bplist00".utf8)))
        files.append(HostileFile("a trailer of zeros", Array("bplist00".utf8) + Array(repeating: 0, count: 40)))
        files.append(HostileFile("a trailer of ones", Array("bplist00".utf8) + Array(repeating: 0xFF, count: 40)))
        files.append(HostileFile("a version from the future", Array("bplist17".utf8) + Array(repeating: 0, count: 40)))
        return files
    }()

    private static func doubling(_ depth: Int) -> BinaryFile {
        var file = BinaryFile()
        file.objects = (1...depth).map { [0xA2, UInt8($0), UInt8($0)] } + [[0x09]]
        return file
    }

    private static func doublingDictionaries(_ depth: Int) -> BinaryFile {
        var file = BinaryFile()
        let keys: [UInt8] = [UInt8(depth + 1), UInt8(depth + 2)]
        file.objects =
            (1...depth).map { [0xD2] + keys + [UInt8($0), UInt8($0)] } + [[0x09], [0x51, 0x61], [0x51, 0x62]]
        return file
    }

    private static func repeatedString() -> BinaryFile {
        var file = BinaryFile()
        (file.offsetSize, file.referenceSize) = (4, 2)
        let references = (0..<20_000).flatMap { _ in [0, 1] as [UInt8] }
        file.objects = [
            [0xAF, 0x12] + BinaryFile.number(20_000, size: 4) + references,
            [0x5F, 0x12] + BinaryFile.number(200_000, size: 4) + Array(repeating: 0x61, count: 200_000),
        ]
        return file
    }

    private static func overlappingData() -> BinaryFile {
        let count = 20_000
        var file = BinaryFile()
        (file.offsetSize, file.referenceSize) = (4, 2)
        var array: [UInt8] = [0xAF, 0x12] + BinaryFile.number(count, size: 4)
        for object in 1...count { array += BinaryFile.number(object, size: 2) }
        let data = (0..<count).map { [0x4F, 0x12] + BinaryFile.number((count - 1 - $0) * 6, size: 4) }
        file.objects = [array] + data
        return file
    }

    // MARK: Catalogs

    private static let catalogs: [HostileFile] = [
        HostileFile("five thousand products with one identifier", body: "<array>\(times(5_000, product("a")))</array>"),
        HostileFile(
            "an unknown key a thousand times",
            body: "<array>\(product("a", times(900, "<key>storageKye</key><true/>")))</array>"),
        HostileFile(
            "unknown keys by the thousand",
            body: "<array>"
                + (0..<60).map { index in
                    product("p\(index)", (0..<400).map { "<key>prodcutValue\($0)</key><true/>" }.joined())
                }.joined() + "</array>"),
        HostileFile(
            "one key nine hundred times in each product",
            body: "<array>"
                + (0..<40).map { product("p\($0)", times(900, "<key>hosted</key><false/>")) }.joined() + "</array>"),
        HostileFile(
            "bundles in a circle of five thousand",
            body: "<array>\((0..<5_000).map { bundle("p\($0)", ["p\(($0 + 1) % 5_000)"]) }.joined())</array>"),
        HostileFile(
            "bundles inside each other, five thousand deep",
            body: "<array>\((0..<5_000).map { bundle("p\($0)", ["p\($0 + 1)"]) }.joined())\(product("p5000"))</array>"),
        HostileFile(
            "bundles that all contain each other",
            body: "<array>"
                + (0..<60).map { index in bundle("p\(index)", (0..<60).map { "p\($0)" }) }.joined() + "</array>"),
        HostileFile(
            "thousands of children that are not there",
            body: "<array>\(bundle("a", (0..<10_000).map { "b\($0)" }))</array>"),
        HostileFile("an identifier of a megabyte", body: "<array>\(product(times(1_000_000, "a")))</array>"),
        HostileFile(
            "a title in ten thousand languages",
            body: "<array>"
                + product(
                    "a",
                    "<key>productTitle</key><dict>"
                        + (0..<10_000).map { "<key>x\($0)</key><string>a</string>" }.joined() + "</dict>")
                + "</array>"),
        HostileFile(
            "a content path of thousands of steps",
            body: "<array>"
                + product("a", "<key>localContentPath</key><string>\(times(50_000, "a/../"))</string>") + "</array>"),
        HostileFile(
            "ten thousand grandfathering rules",
            body: "<array>"
                + product(
                    "a",
                    "<key>grandfathered</key><array>"
                        + times(10_000, "<dict><key>beforeBuild</key><string>x</string></dict>") + "</array>")
                + "</array>"),
        HostileFile(
            "a duration of a megabyte",
            body: "<array>"
                + product("a", "<key>subscriptionDuration</key><string>P\(times(1_000_000, "1"))D</string>")
                + "</array>"),
        HostileFile(
            "a wallet with ten thousand unknown keys",
            body: "<dict><key>products</key><array/><key>wallets</key><dict><key>a</key><dict>"
                + (0..<10_000).map { "<key>x\($0)</key><true/>" }.joined() + "</dict></dict></dict>"),
        HostileFile(
            "ten thousand wallets",
            body: "<dict><key>products</key><array/><key>wallets</key><dict>"
                + (0..<10_000).map { "<key>x\($0)</key><true/>" }.joined() + "</dict></dict>"),
        HostileFile(
            "numbers that do not fit",
            body: "<array>\(product("a", "<key>maxChildren</key><integer>18446744073709551615</integer>"))</array>"
        ),
    ]

    private static func product(_ identifier: String, _ keys: String = "") -> String {
        "<dict><key>productIdentifier</key><string>\(identifier)</string><key>consumable</key><false/>\(keys)</dict>"
    }

    private static func bundle(_ identifier: String, _ children: [String]) -> String {
        product(
            identifier,
            "<key>childProducts</key><array>\(children.map { "<string>\($0)</string>" }.joined())</array>")
    }
}

extension String {
    /// Returns the text with spaces at its end, up to a length in bytes.
    fileprivate func padding(to count: Int) -> String {
        self + String(repeating: " ", count: Swift.max(0, count - utf8.count))
    }
}
