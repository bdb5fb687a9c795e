import HostedContent
import Testing

extension HostileArchiveTests {
    @Test(arguments: xars)
    func `a xar that asks for too much, or is not as it says, is refused, and nothing is written outside`(
        _ attack: Attack
    ) async throws {
        try await check(attack)
    }

    private static func xar(_ more: String, heap: [UInt8] = []) -> [UInt8] {
        SampleArchive.xar(more, heap: heap).bytes
    }

    /// A file with three bytes, of which something else may be said.
    private static func file(
        _ offset: Int = SampleArchive.heapOfMore, stored: Int = 3, length: Int = 3,
        encoding: String = "application/octet-stream", checksum: String = ""
    ) -> [UInt8] {
        let data = XarBytes.data(offset: offset, stored: stored, length: length, encoding: encoding, checksum: checksum)
        return xar(
            XarBytes.file("Contents", type: "directory", inside: XarBytes.file("a", data: data)).replacing(
                "<name>Contents</name>", with: "<name>Contents/maps</name>"), heap: Array("abc".utf8))
    }

    private static let damaged = "its table of contents is damaged"

    private static let xars: [Attack] = [
        Attack("a table of contents of more than 16 MiB", "has more than 16777216 bytes") { _ in
            SampleArchive.xar().with { $0.length = 17 << 20 }.bytes
        },
        Attack("a compressed table of contents of more than 16 MiB", "has more than 16777216 bytes") { _ in
            SampleArchive.xar().with { $0.storedLength = 17 << 20 }.bytes
        },
        Attack("a length that no file has", "has more than 16777216 bytes") { _ in
            SampleArchive.xar().with { $0.storedLength = -1 }.bytes
        },
        Attack("a table of contents that inflates to more than it says", "is longer than it says") { _ in
            SampleArchive.xar(String(repeating: "<a></a>", count: 1_000_000)).with { $0.length = 4_096 }.bytes
        },
        Attack("a table of contents that inflates to less than it says", "is shorter than it says") { _ in
            SampleArchive.xar().with { $0.length = 4_096 }.bytes
        },
        Attack("a table of contents that is cut off", "is cut off") { _ in
            SampleArchive.xar().with { $0.storedLength = 5_000 }.bytes
        },
        Attack("more than 100,000 files in a few bytes", "more than 100000 files and folders") { _ in
            xar(String(repeating: "<file><name>a</name></file>", count: 100_001))
        },
        Attack("a long name that many files lie below", "has paths that are too long") { _ in
            let files = String(repeating: "<file><name>a</name></file>", count: 20_000)
            return xar("<file><name>\(String(repeating: "a", count: 1_000))</name>\(files)</file>")
        },
        Attack("a name that is longer than any path", "has paths that are too long") { _ in
            xar(XarBytes.file("Contents/\(String(repeating: "a/", count: 1_000))a"))
        },
        Attack("elements inside each other without an end", damaged) { _ in
            xar(String(repeating: "<a>", count: 1_000) + String(repeating: "</a>", count: 1_000))
        },
        Attack("a document type", damaged) { _ in
            SampleArchive.xar().with { $0.declaration += "<!DOCTYPE a [<!ENTITY a \"aaaa\">]>" }.bytes
        },
        Attack("a reference to what is declared nowhere", damaged) { _ in xar(XarBytes.file("Contents/&a;")) },
        Attack("a comment", damaged) { _ in xar("<!-- a -->") },
        Attack("a section of characters", damaged) { _ in xar("<![CDATA[a]]>") },
        Attack("a tag that nothing ends", damaged) { _ in xar("<file><name>a</name>") },
        Attack("an attribute that nothing ends", damaged) { _ in xar("<file id=\"1>") },
        Attack("two names", damaged) { _ in xar("<file><name>a</name><name>b</name></file>") },
        Attack("no name", damaged) { _ in xar("<file></file>") },
        Attack("two types", damaged) { _ in xar("<file><name>a</name><type>file</type><type>file</type></file>") },
        Attack("a length below zero", damaged) { _ in file(stored: -3) },
        Attack("no XML", damaged) { _ in SampleArchive.xar().with { $0.contents = Array($0.declaration.utf8) }.bytes },
        Attack("another encoding", "is not XML in UTF-8") { _ in
            SampleArchive.xar().with { $0.declaration = #"<?xml version="1.0" encoding="UTF-7"?>"# }.bytes
        },
        Attack("UTF-16", "is not XML in UTF-8") { _ in
            SampleArchive.xar().with { xar in
                xar.contents = "<xar><toc></toc></xar>".utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
            }.bytes
        },
        Attack("another version of the format", "its header is damaged") { _ in
            SampleArchive.xar().with { $0.version = 2 }.bytes
        },
        Attack("a name that leads out of the folder", "leads out of its folder") { _ in
            xar(
                XarBytes.file("Contents", type: "directory", inside: XarBytes.file("../evil")).replacing(
                    "<name>Contents</name>", with: "<name>Contents/maps</name>"))
        },
        Attack("a symbolic link", "is a symbolic link") { _ in xar(XarBytes.file("a", type: "symlink")) },
        Attack("a hard link", "is a hard link") { _ in xar(XarBytes.file("a", type: "hardlink")) },
        Attack("a device", "is neither a file nor a folder") { _ in
            xar(XarBytes.file("a", type: "character special"))
        },
        Attack("content that lies behind the end", "is cut off") { _ in file(SampleArchive.heapOfMore + 1) },
        Attack("content that lies where nothing can", "is cut off") { _ in file(.max) },
        Attack("content that is longer than it says", "is longer than it says") { _ in file(length: 2) },
        Attack("content that is shorter than it says", "is shorter than it says") { _ in file(stored: 2) },
        Attack("content that is not compressed as it says", "is damaged") { _ in
            file(encoding: "application/x-gzip")
        },
        Attack("content that is compressed in a rare way", "compressed in a way that is not read") { _ in
            file(encoding: "application/x-bzip2")
        },
        Attack("content with another checksum", "another checksum than its own") { _ in
            file(checksum: #"<extracted-checksum style="sha1">0000</extracted-checksum>"#)
        },
        Attack("content with a checksum that nobody knows", "a kind that is not known") { _ in
            file(checksum: #"<extracted-checksum style="crc">0000</extracted-checksum>"#)
        },
        Attack("a bomb", "times as long as the archive") { _ in
            let bomb = XarBytes.deflated([UInt8](repeating: 0, count: 4_000_000))
            return xar(
                XarBytes.file(
                    "b",
                    data: XarBytes.data(
                        offset: SampleArchive.heapOfMore, stored: bomb.count, length: 4_000_000,
                        encoding: "application/x-gzip")), heap: bomb)
        },
    ]
}
