import Testing
import VitrineHostedContent

extension HostileArchiveTests {
    @Test(arguments: zips)
    func `an inconsistent zip or a zip with unlisted data is refused, and no file is written outside the target`(
        _ attack: Attack
    ) async throws { try await check(attack) }

    private static let zips: [Attack] = [
        Attack("a length that is too short", "differently than the header before its content") { _ in
            zip(Entry("Contents/a", "12345678").with { $0.localLength = 4 })
        },
        Attack("a stored entry with two lengths", "is not compressed, but has two different lengths") { _ in
            zip(Entry("Contents/a", "12345678").with { $0.length = 4 })
        },
        Attack("a checksum that is wrong", "its checksum differs from the one that the zip states") { _ in
            zip(Entry("Contents/a", "12345678").with { $0.checksum = 1 })
        },
        Attack("another name in the directory", "differently than the header before its content") { _ in
            zip(Entry("Contents/a").with { $0.localName = Array("Contents/b".utf8) })
        },
        Attack("another method in the directory", "differently than the header before its content") { _ in
            zip(Entry("Contents/a").with { $0.localMethod = 8 })
        },
        Attack("an entry that is encrypted", "is encrypted") { _ in
            zip(Entry("Contents/a", "12345678").with { $0.flags |= 1 })
        },
        Attack(
            "an entry that is encrypted only before its content",
            "differently than the header before its content"
        ) { _ in
            zip(Entry("Contents/a", "12345678").with { $0.localFlags = 0x801 })
        },
        Attack("a method that nobody has", "compressed with a method that is not supported") { _ in
            zip(Entry("Contents/a", "12345678").with { $0.method = 99 })
        },
        Attack("entries that share their content", "two entries of the zip overlap") { _ in
            ZipBytes(
                SampleArchive.zipEntries + [
                    Entry("Contents/guide.md", SampleArchive.guide).with {
                        $0.isOnlyInDirectory = true; $0.offset = 0
                    }
                ]
            ).bytes
        },
        Attack("an entry that reaches over the next", "two entries of the zip overlap") { _ in
            ZipBytes([
                Entry("ContentInfo.plist", SampleArchive.info),
                Entry("Contents/a", "12").with {
                    ($0.length, $0.compressedLength) = (40, 40)
                }, Entry("Contents/b", String(repeating: "x", count: 100)),
            ]).bytes
        },
        Attack("an entry that reaches into the directory", "an entry of the zip overlaps the central directory") { _ in
            zip(Entry("Contents/a", "12").with { ($0.length, $0.compressedLength) = (40, 40) })
        },
        Attack("bytes before the first entry", "is neither a zip nor a tar") { _ in
            SampleArchive.zip().with { $0.before = Array("#!/bin/sh\n".utf8) }.bytes
        },
        Attack("an entry that the directory leaves out", "bytes that belong to none of its entries") { _ in
            SampleArchive.zip().with { $0.betweenEntriesAndDirectory = Array("PK\u{3}\u{4}hidden".utf8) }.bytes
        },
        Attack("bytes behind the end", "has data after its end record") { _ in
            SampleArchive.zip().with { $0.after = [0] }.bytes
        },
        Attack("a second zip behind the first", "is not where the end record states") { _ in
            SampleArchive.zip().with { $0.after = SampleArchive.zip().bytes }.bytes
        },
        Attack("a comment that holds another end", "has data after its end record") { _ in
            SampleArchive.zip().with { $0.comment = [0x50, 0x4B, 5, 6] + [UInt8](repeating: 1, count: 40) }.bytes
        },
        Attack("a directory of fewer entries than there are", "another number of entries") { _ in
            SampleArchive.zip().with { $0.count = 1 }.bytes
        },
        Attack("a directory of more entries than there are", "another number of entries") { _ in
            SampleArchive.zip().with { $0.count = 3 }.bytes
        },
        Attack("a directory that is elsewhere", "is not where the end record states") { _ in
            SampleArchive.zip().with { $0.directoryOffset = 4 }.bytes
        },
        Attack("one part of several", "one part of a split zip") { _ in SampleArchive.zip().with { $0.disk = 1 }.bytes
        },
        Attack("a long zip's count that is another", "contradicts the end record") { _ in
            SampleArchive.zip().with { $0.zip64 = (1, 0) }.bytes
        },
        Attack("a long zip's offset that is another", "contradicts the end record") { _ in
            SampleArchive.zip().with { $0.zip64 = (2, 1 << 40) }.bytes
        },
        Attack("a long zip without its records", "refers to a zip64 record, which is missing") { _ in
            SampleArchive.zip().with { $0.directoryOffset = 0xFFFF_FFFF }.bytes
        },
        Attack("as many entries as a short zip can count, and fewer are there", "another number of entries") { _ in
            SampleArchive.zip().with { $0.count = 0xFFFF }.bytes
        },
        Attack("a length that stands nowhere", "the central directory of the zip is damaged") { _ in
            zip(Entry("Contents/a", "1").with { ($0.length, $0.compressedLength) = (0xFFFF_FFFF, 0xFFFF_FFFF) })
        },
        Attack("a length that no file has", "the central directory of the zip is damaged") { _ in
            zip(
                Entry("Contents/a", "1").with {
                    ($0.length, $0.compressedLength) = (0xFFFF_FFFF, 0xFFFF_FFFF)
                    $0.extra = [1, 0, 16, 0] + [UInt8](repeating: 0xFF, count: 16)
                })
        },
        Attack("a folder with content", "is a folder with content") { _ in
            zip(Entry("Contents/maps/", "x", mode: 0o040755))
        },
    ]
}
