import Foundation
import HostedContent
import TestSupport
import Testing

/// Archives that ask for what no archive may have.
@Suite struct HostileArchiveTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    struct Attack: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let code: ContentError.Code
        let reason: String
        let manifest: ContentManifest?
        let make: @Sendable (URL) throws -> [UInt8]

        init(
            _ description: String, _ reason: String, code: ContentError.Code = .invalidPackage,
            manifest: ContentManifest? = nil, _ make: @escaping @Sendable (URL) throws -> [UInt8]
        ) {
            (testDescription, self.reason, self.code, self.manifest, self.make) =
                (description, reason, code, manifest, make)
        }
    }

    private typealias Entry = ZipBytes.Entry

    private static func zip(_ more: Entry...) -> [UInt8] { ZipBytes(SampleArchive.zipEntries + more).bytes }

    private static func tar(_ more: [UInt8]...) -> [UInt8] { SampleArchive.tar(more.flatMap(\.self)) }

    private static let places: [Attack] = [
        Attack("a name that leads out of the folder", "leads out of its folder") { _ in
            zip(Entry("Contents/../../evil"))
        },
        Attack("a name that leads out at once", "leads out of its folder") { _ in zip(Entry("../evil")) },
        Attack("an absolute name", "is not a relative path") { _ in tar(TarBytes.entry("/evil")) },
        Attack("an absolute name in a zip", "is not a relative path") { _ in zip(Entry("/evil")) },
        Attack("a name with a point in the middle", "leads out of its folder") { _ in zip(Entry("Contents/./evil")) },
        Attack("a name with two slashes", "leads out of its folder") { _ in zip(Entry("Contents//evil")) },
        Attack("a path that pax has put in the place of a harmless one", "leads out of its folder") { _ in
            tar(TarBytes.pax([("path", "Contents/../../evil")]), TarBytes.entry("Contents/harmless"))
        },
        Attack("a path of GNU's that leads out", "leads out of its folder") { _ in
            tar(
                TarBytes.entry("././@LongLink", "Contents/../../evil\0", type: "L"), TarBytes.entry("Contents/harmless")
            )
        },
        Attack("a backslash", "holds a control character or a backslash") { _ in zip(Entry("Contents\\..\\evil")) },
        Attack("a backslash in a tar", "holds a control character or a backslash") { _ in
            tar(TarBytes.entry("Contents/..\\evil"))
        },
        Attack("an escape character", "holds a control character or a backslash") { _ in
            zip(Entry("Contents/a\u{1B}[31m"))
        },
        Attack("a line feed", "holds a control character or a backslash") { _ in tar(TarBytes.entry("Contents/a\nb")) },
        Attack("a zero in a name", "holds a control character or a backslash") { _ in zip(Entry("Contents/a\0b")) },
        Attack("a name that is not UTF-8", "a name that is not UTF-8") { _ in
            zip(
                Entry("Contents/a").with {
                    $0.flags = 0; $0.name += [0xFF, 0xFE]
                })
        },
        Attack("a name of 256 bytes", "is longer than 255 bytes") { _ in
            zip(Entry("Contents/\(String(repeating: "a", count: 256))"))
        },
        Attack("a path of more than 1,024 bytes", "is longer than 1024 bytes") { _ in
            zip(
                Entry(
                    "Contents/\(Array(repeating: String(repeating: "a", count: 200), count: 6).joined(separator: "/"))")
            )
        },
        Attack("65 folders in each other", "more than 64 folders in each other") { _ in
            zip(Entry("Contents/\(Array(repeating: "a", count: 65).joined(separator: "/"))"))
        },
        Attack("a device of Windows", "is the name of a device") { _ in zip(Entry("Contents/aux.txt")) },
        Attack("a point at the end", "ends with a point or a space") { _ in zip(Entry("Contents/a.")) },
        Attack("a space at the end", "ends with a point or a space") { _ in zip(Entry("Contents/a ")) },
        Attack("names that differ by case", "do not tell it from") { _ in
            zip(Entry("Contents/GUIDE.md"))
        },
        Attack("folders that differ by case", "do not tell it from") { _ in
            zip(Entry("Contents/Maps/a"), Entry("Contents/maps/b"))
        },
        Attack("names that differ by the spelling of an accent", "stands there twice") { _ in
            zip(Entry("Contents/cafe\u{301}"), Entry("Contents/caf\u{e9}"))
        },
        Attack("the same name twice", "stands there twice") { _ in zip(Entry("Contents/guide.md", "other")) },
        Attack("the same name twice in a tar", "stands there twice") { _ in
            tar(TarBytes.entry("Contents/guide.md", "other"))
        },
        Attack("a file that another lies in", "is both a file and a folder") { _ in zip(Entry("Contents/guide.md/a")) },
        Attack("the name of the installed record", "a name that is used once it is installed") { _ in
            zip(Entry("Contents/.contentinfo.PLIST"))
        },
    ]

    private static let kinds: [Attack] = [
        Attack("a symbolic link in a zip", "is a symbolic link") { _ in
            zip(Entry("Contents/passwd", "/etc/passwd", mode: 0o120777))
        },
        Attack("a symbolic link", "is a symbolic link") { _ in
            tar(TarBytes.entry("Contents/passwd", type: "2", link: "/etc/passwd"))
        },
        Attack("a link to a folder, and a file in it", "is a symbolic link") { _ in
            tar(TarBytes.entry("Contents/etc", type: "2", link: "/etc"), TarBytes.entry("Contents/etc/evil"))
        },
        Attack("a hard link", "is a hard link") { _ in
            tar(TarBytes.entry("Contents/passwd", type: "1", link: "/etc/passwd"))
        },
        Attack("a hard link to an earlier symbolic link", "is a symbolic link") { _ in
            tar(
                TarBytes.entry("Contents/a", type: "2", link: "/etc/passwd"),
                TarBytes.entry("Contents/b", type: "1", link: "Contents/a"))
        },
        Attack("a character device", "is neither a file nor a folder") { _ in
            tar(TarBytes.entry("Contents/zero", type: "3"))
        },
        Attack("a block device", "is neither a file nor a folder") { _ in
            tar(TarBytes.entry("Contents/disk", type: "4"))
        },
        Attack("a pipe", "is neither a file nor a folder") { _ in tar(TarBytes.entry("Contents/pipe", type: "6")) },
        Attack("a pipe in a zip", "is neither a file nor a folder") { _ in zip(Entry("Contents/pipe", mode: 0o010644))
        },
        Attack("a socket in a zip", "is neither a file nor a folder") { _ in
            zip(Entry("Contents/socket", mode: 0o140644))
        },
        Attack("a link among what a Mac leaves", "is a symbolic link") { _ in
            tar(TarBytes.entry("__MACOSX/a", type: "2", link: "/etc"))
        },
        Attack("a file with holes", "holes") { _ in
            tar(
                TarBytes.pax([
                    ("GNU.sparse.major", "1"), ("GNU.sparse.minor", "0"), ("GNU.sparse.name", "Contents/sparse"),
                    ("GNU.sparse.realsize", "1073741824"),
                ]),
                TarBytes.entry("Contents/harmless", "1\n1073741823\n1\n" + String(repeating: "\0", count: 497) + "x"))
        },
    ]

    private static let lies: [Attack] = [
        Attack("a bomb in a zip", "times as long as the archive") {
            try SampleArchive.compressed(.zip, "Contents/bomb", count: 4_000_000, in: $0)
        },
        Attack("a bomb in a tar", "times as long as the archive") {
            try SampleArchive.compressed(.tarZstandard, "Contents/bomb", count: 4_000_000, in: $0)
        },
        Attack("more than one file may have", "more than 4294967296 bytes together") { _ in
            TarBytes(
                TarBytes.entry("ContentInfo.plist", SampleArchive.info),
                TarBytes.entry("Contents/a", "", length: 5_000_000_000)
            ).bytes
        },
        Attack("a length that is too short", "something else in the directory") { _ in
            zip(Entry("Contents/a", "12345678").with { $0.localLength = 4 })
        },
        Attack("a stored entry with two lengths", "is not compressed, and has two lengths") { _ in
            zip(Entry("Contents/a", "12345678").with { $0.length = 4 })
        },
        Attack("a checksum that is wrong", "bad CRC") { _ in
            zip(Entry("Contents/a", "12345678").with { $0.checksum = 1 })
        },
        Attack("another name in the directory", "something else in the directory") { _ in
            zip(Entry("Contents/a").with { $0.localName = Array("Contents/b".utf8) })
        },
        Attack("another method in the directory", "something else in the directory") { _ in
            zip(Entry("Contents/a").with { $0.localMethod = 8 })
        },
        Attack("an entry that is encrypted", "is encrypted") { _ in
            zip(Entry("Contents/a", "12345678").with { $0.flags |= 1 })
        },
        Attack("an entry that is encrypted only before its content", "something else in the directory") { _ in
            zip(Entry("Contents/a", "12345678").with { $0.localFlags = 0x801 })
        },
        Attack("a method that nobody has", "compressed in a way that is not read") { _ in
            zip(Entry("Contents/a", "12345678").with { $0.method = 99 })
        },
        Attack("entries that share their content", "two of its entries overlap") { _ in
            ZipBytes(
                SampleArchive.zipEntries + [
                    Entry("Contents/guide.md", SampleArchive.guide).with {
                        $0.isOnlyInDirectory = true; $0.offset = 0
                    }
                ]
            ).bytes
        },
        Attack("an entry that reaches over the next", "two of its entries overlap") { _ in
            ZipBytes([
                Entry("ContentInfo.plist", SampleArchive.info),
                Entry("Contents/a", "12").with {
                    ($0.length, $0.compressedLength) = (40, 40)
                }, Entry("Contents/b", String(repeating: "x", count: 100)),
            ]).bytes
        },
        Attack("an entry that reaches into the directory", "an entry reaches into its directory") { _ in
            zip(Entry("Contents/a", "12").with { ($0.length, $0.compressedLength) = (40, 40) })
        },
        Attack("bytes before the first entry", "no zip, no tar and no xar") { _ in
            SampleArchive.zip().with { $0.before = Array("#!/bin/sh\n".utf8) }.bytes
        },
        Attack("an entry that the directory leaves out", "bytes that belong to none of its entries") { _ in
            SampleArchive.zip().with { $0.betweenEntriesAndDirectory = Array("PK\u{3}\u{4}hidden".utf8) }.bytes
        },
        Attack("bytes behind the end", "goes on after its end") { _ in
            SampleArchive.zip().with { $0.after = [0] }.bytes
        },
        Attack("a second zip behind the first", "is not where its end says") { _ in
            SampleArchive.zip().with { $0.after = SampleArchive.zip().bytes }.bytes
        },
        Attack("a comment that holds another end", "goes on after its end") { _ in
            SampleArchive.zip().with { $0.comment = [0x50, 0x4B, 5, 6] + [UInt8](repeating: 1, count: 40) }.bytes
        },
        Attack("a directory of fewer entries than there are", "another number of entries") { _ in
            SampleArchive.zip().with { $0.count = 1 }.bytes
        },
        Attack("a directory of more entries than there are", "another number of entries") { _ in
            SampleArchive.zip().with { $0.count = 3 }.bytes
        },
        Attack("a directory that is elsewhere", "is not where its end says") { _ in
            SampleArchive.zip().with { $0.directoryOffset = 4 }.bytes
        },
        Attack("one part of several", "more than one part") { _ in SampleArchive.zip().with { $0.disk = 1 }.bytes },
        Attack("a long zip's count that is another", "contradict each other") { _ in
            SampleArchive.zip().with { $0.zip64 = (1, 0) }.bytes
        },
        Attack("a long zip's offset that is another", "contradict each other") { _ in
            SampleArchive.zip().with { $0.zip64 = (2, 1 << 40) }.bytes
        },
        Attack("a long zip without its records", "names no length") { _ in
            SampleArchive.zip().with { $0.count = 0xFFFF }.bytes
        },
        Attack("a length that stands nowhere", "its directory is damaged") { _ in
            zip(Entry("Contents/a", "1").with { ($0.length, $0.compressedLength) = (0xFFFF_FFFF, 0xFFFF_FFFF) })
        },
        Attack("a length that no file has", "its directory is damaged") { _ in
            zip(
                Entry("Contents/a", "1").with {
                    ($0.length, $0.compressedLength) = (0xFFFF_FFFF, 0xFFFF_FFFF)
                    $0.extra = [1, 0, 16, 0] + [UInt8](repeating: 0xFF, count: 16)
                })
        },
        Attack("a folder with content", "is a folder with content") { _ in
            zip(Entry("Contents/maps/", "x", mode: 0o040755))
        },
        Attack("a tar that is cut off between two entries", "is cut off") { _ in SampleArchive.tar(end: 0) },
        Attack("a tar with half an end", "is cut off") { _ in SampleArchive.tar(end: 512) },
        Attack("a tar with something behind its end", "stands there twice") { _ in
            SampleArchive.tar() + SampleArchive.tar()
        },
        Attack("a tar with something else behind its end", "Damaged tar archive") { _ in
            SampleArchive.tar() + [UInt8](repeating: 0x58, count: 1_024)
        },
        Attack("a tar in gzip with something behind its end", "goes on after its end") {
            try SampleArchive.compressed(.tarGzip, "Contents/a", count: 1, in: $0) + [1, 2, 3]
        },
        Attack("nothing", "no zip, no tar and no xar") { _ in [] },
        Attack("a text", "no zip, no tar and no xar") { _ in Array("Not Found".utf8) },
        Attack("a zip of nothing", "no zip, no tar and no xar") { _ in ZipBytes([]).bytes },
    ]

    private static let packages: [Attack] = [
        Attack("no ContentInfo.plist", "it has no ContentInfo.plist") { _ in ZipBytes([Entry("Contents/a")]).bytes },
        Attack("no Contents", "it has no folder Contents") { _ in
            ZipBytes([Entry("ContentInfo.plist", SampleArchive.info)]).bytes
        },
        Attack("Contents that is a file", "is neither ContentInfo.plist nor in Contents") { _ in
            ZipBytes([Entry("ContentInfo.plist", SampleArchive.info), Entry("Contents", "x")]).bytes
        },
        Attack("two packages", "more than one ContentInfo.plist") { _ in
            ZipBytes([
                Entry("a/ContentInfo.plist", SampleArchive.info), Entry("b/ContentInfo.plist", SampleArchive.info),
            ]).bytes
        },
        Attack("a package in one of two folders", #"is not in "a", as the package is"#) { _ in
            ZipBytes([Entry("a/ContentInfo.plist", SampleArchive.info), Entry("b/evil")]).bytes
        },
        Attack("a ContentInfo.plist that is none", "ContentInfo.plist") { _ in
            ZipBytes([Entry("ContentInfo.plist", "<plist/>"), Entry("Contents/a")]).bytes
        },
        Attack("a ContentInfo.plist that is too long", "is too long") { _ in
            ZipBytes([
                Entry("ContentInfo.plist", SampleArchive.info + String(repeating: " ", count: 70_000)),
                Entry("Contents/a"),
            ]).bytes
        },
    ]

    private static let listed: [Attack] = [
        Attack(
            "a file that is not listed", #""Contents/evil" is not in the manifest"#, code: .wrongContent,
            manifest: SampleArchive.manifest()
        ) { _ in zip(Entry("Contents/evil")) },
        Attack(
            "a folder that is not listed", #"the folder "Contents/evil" is not in the manifest"#, code: .wrongContent,
            manifest: SampleArchive.manifest()
        ) { _ in zip(Entry("Contents/evil/", mode: 0o040755)) },
        Attack(
            "a file of a Mac's that is not listed", #""Contents/.DS_Store" is not in the manifest"#,
            code: .wrongContent,
            manifest: SampleArchive.manifest()
        ) { _ in zip(Entry("Contents/.DS_Store")) },
        Attack(
            "a file that is missing", #""Contents/map.svg" is in the manifest, and not in it"#, code: .wrongContent,
            manifest: SampleArchive.manifest(SampleArchive.file("Contents/map.svg", "x"))
        ) { _ in zip() },
        Attack(
            "an empty folder that is missing", #""Contents/notes" is in the manifest, and not in it"#,
            code: .wrongContent, manifest: SampleArchive.manifest(emptyFolders: ["Contents/notes"])
        ) { _ in zip() },
        Attack(
            "a file that is longer", "is 3 bytes long, and 2 in the manifest", code: .wrongContent,
            manifest: SampleArchive.manifest(SampleArchive.file("Contents/map.svg", "xx"))
        ) { _ in zip(Entry("Contents/map.svg", "xxx")) },
        Attack(
            "a file that is shorter", "is 1 bytes long, and 2 in the manifest", code: .wrongContent,
            manifest: SampleArchive.manifest(SampleArchive.file("Contents/map.svg", "xx"))
        ) { _ in tar(TarBytes.entry("Contents/map.svg", "x")) },
        Attack(
            "a file with another byte", "is not what the manifest lists", code: .wrongContent,
            manifest: SampleArchive.manifest(SampleArchive.file("Contents/map.svg", "xx"))
        ) { _ in zip(Entry("Contents/map.svg", "xy")) },
        Attack(
            "a package for another product", "is for another product or version", code: .wrongContent,
            manifest: SampleArchive.manifest(product: "athens")
        ) { _ in zip() },
        Attack(
            "a package in a folder, with a manifest", "is not in the manifest", code: .wrongContent,
            manifest: SampleArchive.manifest()
        ) { _ in ZipBytes([Entry("rome/ContentInfo.plist", SampleArchive.info)]).bytes },
    ]

    @Test(arguments: places + kinds + lies + packages + listed)
    func `is refused with the reason, and nothing is written outside`(_ attack: Attack) throws {
        let archive = folder["archive"]
        try Data(try attack.make(folder["compressed"])).write(to: archive)
        let target = folder["target/inside"]
        try FileManager.default.createDirectory(at: target, withIntermediateDirectories: true)
        let before = try paths(in: folder.url)

        let error = #expect(throws: ContentError.self) {
            _ = try ContentUnpacker.unpack(archive, manifest: attack.manifest, into: target)
        }

        #expect(error?.code == attack.code)
        #expect(error?.reason.contains(attack.reason) == true, "\(error?.reason ?? "")")
        let after = try paths(in: folder.url)
        #expect(after.filter { !$0.hasPrefix("target/inside/") } == before)
        let strange = after.filter { path in
            let type =
                try? FileManager.default.attributesOfItem(atPath: folder[path].path())[.type] as? FileAttributeType
            return type != .typeRegular && type != .typeDirectory
        }
        #expect(strange.isEmpty)
    }
}
