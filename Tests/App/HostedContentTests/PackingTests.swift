import Foundation
import Testing
import VitrineHostedContent
import VitrineSupport
import VitrineTarCodec
import VitrineTestSupport

/// Formats of packed content: the library's own, and the one that the tool adds.
enum PackedFormat: CaseIterable {
    case zip, tarZstandard

    var codec: (any TarCodec)? { self == .zip ? nil : LibArchiveCodec() }
    var fileExtension: String { self == .zip ? "zip" : "tar.zst" }
}

@Suite(.blocksThreads, .hangLimit) struct PackingTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static let files = [
        "guide.md": "# Rome\n", "maps/forum.svg": String(repeating: "<svg/>\n", count: 1_000),
        "maps/caf\u{e9} and cafe\u{301}s.txt": "accents", "empty.txt": "", ".hidden": "x",
    ]

    private func sample(_ name: String = "Rome", files: [String: String] = files) throws -> SamplePackage {
        let package = try SamplePackage(in: folder, named: name, files: files)
        try FileManager.default.createDirectory(at: package["notes/none"], withIntermediateDirectories: true)
        return package
    }

    private func makeFolder(_ name: String) throws -> URL {
        try FileManager.default.createDirectory(at: folder[name], withIntermediateDirectories: true)
        return folder[name]
    }

    /// Returns the content of every file in a folder, and `nil` for every subfolder.
    private func contents(of url: URL) throws -> [String: Data?] {
        try paths(in: url).reduce(into: [:]) { contents, path in
            contents[path] = .some(try? Data(contentsOf: url.appending(path: path)))
        }
    }

    @Test(arguments: PackedFormat.allCases)
    func `a packed archive unpacks to the files of its package`(format: PackedFormat) throws {
        let package = try sample()
        #expect(chmod(package["guide.md"].path(), 0o4775) == 0)
        let packed = try ContentPacker.pack(try package.open(), into: try makeFolder("out"), codec: format.codec)

        let manifest = try ContentManifest(bytes: Array(try Data(contentsOf: packed.manifestFile)))
        #expect(manifest == packed.manifest)
        #expect(manifest.emptyFolders == ["Contents/notes/none"])
        #expect(packed.archive.lastPathComponent == "rome-1.0.\(format.fileExtension)")
        for manifest in [manifest, nil] {
            let target = try makeFolder(UUID().uuidString)
            let unpacked = try ContentUnpacker.unpack(
                packed.archive, manifest: manifest, into: target, codec: format.codec)
            #expect(unpacked.info == (try package.open()).info)
            #expect(try contents(of: target).keys.sorted() == contents(of: package.url).keys.sorted())
            if manifest != nil { #expect(try contents(of: target) == contents(of: package.url)) }
            let guide = target.appending(path: "Contents/guide.md").path()
            let mode = try FileManager.default.attributesOfItem(atPath: guide)[.posixPermissions] as? Int
            #expect(mode.map { $0 & 0o7111 } == 0o111)
        }
    }

    @Test(arguments: PackedFormat.allCases)
    func `the same package is packed to the same bytes, regardless of file times and modes`(format: PackedFormat)
        throws
    {
        let one = try ContentPacker.pack(try sample().open(), into: try makeFolder("a"), codec: format.codec)
        let copy = try sample("Copy")
        let old = Date(timeIntervalSince1970: 1_000_000_000)
        for path in try paths(in: copy.url) {
            let path = copy.url.path(percentEncoded: false) + "/" + path
            try FileManager.default.setAttributes([.modificationDate: old], ofItemAtPath: path)
            if Self.files.keys.contains(where: { path.hasSuffix($0) }) { #expect(chmod(path, 0o600) == 0) }
        }
        try folder.write("", to: "packages/Copy/Contents/.DS_Store")
        let other = try ContentPacker.pack(try copy.open(), into: try makeFolder("b"), codec: format.codec)

        #expect(try Data(contentsOf: one.archive) == Data(contentsOf: other.archive))
        #expect(try Data(contentsOf: one.manifestFile) == Data(contentsOf: other.manifestFile))
        #expect(try paths(in: folder["a"]) == ["rome-1.0.\(format.fileExtension)", "rome-1.0.plist"].sorted())
    }

    @Test func `packing with separate files stores each file once under its digest`() throws {
        let out = try makeFolder("out")
        let first = try ContentPacker.pack(try sample().open(), into: out, withFiles: true)
        let second = try ContentPacker.pack(
            try SamplePackage(in: folder, named: "New", version: "1.1", files: Self.files).open(), into: out,
            withFiles: true)

        #expect(second.manifest.filesFolder == "files")
        let digests = Set((first.manifest.files + second.manifest.files).map(\.digest))
        #expect(Set(try paths(in: out.appending(path: "files"))) == digests)
        for file in second.manifest.files where file.path == "Contents/guide.md" {
            #expect(try Data(contentsOf: out.appending(path: "files/\(file.digest)")) == Data("# Rome\n".utf8))
        }
    }

    @Test func `a package that unpacking would refuse is not packed, and no files are left`() throws {
        let out = try makeFolder("out")
        #expect(throws: ContentError.self) {
            _ = try ContentPacker.pack(try sample(files: ["aux.txt": ""]).open(), into: out)
        }
        #expect(throws: ContentError.self) {
            _ = try ContentPacker.pack(
                try sample("Zeros", files: ["a": String(repeating: "\0", count: 4_000_000)]).open(), into: out)
        }
        #expect(try paths(in: out).isEmpty)
    }

    @Test(.enabled(if: PeerTool.unzip.isInstalled, "unzip is not installed"))
    func `the unzip tool finds no errors in a packed zip`() throws {
        let packed = try ContentPacker.pack(try sample().open(), into: try makeFolder("out"))
        #expect(try PeerTool.unzip.run("-tqq", packed.archive.path()).status == 0)
    }

    @Test(.enabled(if: PeerTool.bsdtar.isInstalled, "bsdtar is not installed"), arguments: PackedFormat.allCases)
    func `the bsdtar tool lists the files of a packed archive`(format: PackedFormat) throws {
        let packed = try ContentPacker.pack(
            try sample(files: ["guide.md": "# Rome\n"]).open(), into: try makeFolder("out"), codec: format.codec)
        let result = try PeerTool.bsdtar.run("-tf", packed.archive.path())
        #expect(result.status == 0)
        #expect(
            result.output.split(separator: "\n") == [
                "ContentInfo.plist", "Contents/notes/none/", "Contents/guide.md",
            ])
    }

    @Test(
        .enabled(if: PeerTool.zip.isInstalled, "zip is not installed"),
        arguments: [
            ["ContentInfo.plist", "Contents"], ["-fd", "ContentInfo.plist", "Contents"], ["-0", "."],
            ["-fz", "."], ["-X", "."],
        ])
    func `an archive made by the zip tool is unpacked without macOS metadata files`(arguments: [String]) throws {
        let package = try sample()
        try folder.write("x", to: "packages/Rome/Contents/.DS_Store")
        try folder.write("x", to: "packages/Rome/__MACOSX/Contents/._guide.md")
        #expect(try run(.zip, ["-rq", folder["a.zip"].path()] + arguments, in: package.url) == 0)

        let target = try makeFolder("target")
        let unpacked = try ContentUnpacker.unpack(folder["a.zip"], into: target)
        #expect(unpacked.info.productIdentifier == "rome")
        #expect(try String(contentsOf: target.appending(path: "Contents/guide.md"), encoding: .utf8) == "# Rome\n")
        #expect(try !paths(in: target).contains { $0.contains("DS_Store") || $0.contains("MACOSX") })
    }

    @Test(
        .enabled(if: PeerTool.bsdtar.isInstalled, "bsdtar is not installed"),
        arguments: [
            ["-c"], ["-c", "--format", "ustar", "-z"], ["-c", "--format", "pax", "-J"], ["-c", "--zstd"],
            ["-c", "--format", "gnutar"], ["-c", "--format", "zip"],
        ], [".", "Rome"])
    func `an archive made by bsdtar is unpacked, with the package at its top or in one folder`(
        arguments: [String], what: String
    ) throws {
        let package = try sample()
        let parent = what == "." ? package.url : package.url.deletingLastPathComponent()
        let status = try run(.bsdtar, arguments + ["-f", folder["archive"].path(), "-C", parent.path(), what])
        #expect(status == 0)

        let target = try makeFolder("target")
        _ = try ContentUnpacker.unpack(folder["archive"], manifest: nil, into: target, codec: LibArchiveCodec())
        #expect(try paths(in: target).count == paths(in: package.url).count)
        #expect(
            try Data(contentsOf: target.appending(path: "Contents/maps/forum.svg"))
                == Data(contentsOf: package["maps/forum.svg"]))
    }

    @Test(.enabled(if: PeerTool.bsdtar.isInstalled, "bsdtar is not installed"))
    func `an Apple package is refused, and is accepted after the conversion that the error suggests`() throws {
        let name = "Führer/東京の地下鉄.txt"
        let package = try sample(files: [name: "x"])
        let (apple, tar) = (folder["a.pkg"], folder["a.tar"])
        #expect(try run(.bsdtar, ["-c", "--format", "xar", "-f", apple.path(), "-C", package.url.path(), "."]) == 0)

        let error = #expect(throws: ContentError.self) { _ = try ContentArchive.verify(apple) }
        #expect(error?.code == .invalidPackage)
        #expect(error?.reason.hasSuffix("convert it to a tar with: bsdtar -cf NAME.tar @NAME.pkg") == true)

        #expect(try run(.bsdtar, ["-cf", tar.path(), "@\(apple.path())"]) == 0)
        #expect(try ContentArchive.verify(tar).files.map(\.path).contains("Contents/\(name)"))
    }

    @Test func `archives of different products or versions never have the same name`() throws {
        let names = try [("com.x.pack", "2-1"), ("com.x.pack-2", "1")].map { product, version in
            try ContentPacker.pack(
                try SamplePackage(in: folder, named: version, product: product, version: version).open(),
                into: try makeFolder("out")
            ).archive.lastPathComponent
        }

        #expect(names == ["com.x.pack-2_2d1.zip", "com.x.pack-2-1.zip"])
    }

    @Test func `a zip with 65535 entries is read without a zip64 record`() throws {
        var archive = SampleArchive.zip()
        archive.entries += (archive.entries.count..<65_535).map { ZipBytes.Entry("Contents/\($0)") }
        try Data(archive.bytes).write(to: folder["a.zip"])

        #expect(try ContentArchive.verify(folder["a.zip"]).files.count > 65_000)
    }

    private func run(_ tool: PeerTool, _ arguments: [String], in folder: URL? = nil) throws -> Int32 {
        try tool.run(arguments, in: folder).status
    }

    @Test(arguments: [SampleArchive.Format.zip, .tarGzip, .tarZstandard])
    func `an archive that is truncated at any byte offset is refused`(format: SampleArchive.Format) throws {
        let bytes = try SampleArchive.compressed(format, "Contents/a", count: 10, in: folder["whole"])
        let archive = folder["archive"]
        _ = try ContentArchive.verify(folder["whole"], codec: LibArchiveCodec())
        for count in bytes.indices {
            try Data(bytes[..<count]).write(to: archive)
            #expect(throws: ContentError.self, "\(count) bytes") {
                _ = try ContentArchive.verify(archive, codec: LibArchiveCodec())
            }
        }
    }

    @Test(arguments: [SampleArchive.Filter.xz, .zstandard])
    func `an app refuses a tar with a compression that Apple's systems cannot read, and names it`(
        filter: SampleArchive.Filter
    ) throws {
        let archive = folder["archive"]
        _ = try SampleArchive.compressed(SampleArchive.tar(), filter, in: archive)
        #expect(try ContentArchive.verify(archive, codec: LibArchiveCodec()).productIdentifier == "rome")
        let error = #expect(throws: ContentError.self) { try ContentArchive.verify(archive) }
        #expect(error?.code == .invalidPackage)
        let name = filter == .xz ? "xz" : "zstd"
        #expect(
            error?.reason.contains(
                "is compressed with \(name), which apps on Apple's systems cannot read; pack the content as a zip")
                == true,
            "\(error?.reason ?? "")")
    }

    @Test(arguments: [SampleArchive.Filter.xz, .zstandard])
    func `a tool refuses a tar that decompresses to more than the limit, that has a tail or is damaged`(
        filter: SampleArchive.Filter
    ) throws {
        let bomb = SampleArchive.tar(TarBytes.entry("Contents/bomb", String(repeating: "\0", count: 4_000_000)))
        var turned = try SampleArchive.compressed(SampleArchive.tar(), filter, in: folder["whole"])
        turned[turned.count / 2] ^= 0x10
        let archives = [
            ("times as long as the archive", try SampleArchive.compressed(bomb, filter, in: folder["bomb"])),
            (
                "the end of the archive is too long",
                try SampleArchive.compressed(SampleArchive.tar(end: 16_000_000), filter, in: folder["end"])
            ),
            ("", turned),
            ("", try SampleArchive.compressed(SampleArchive.tar(), filter, in: folder["tail"]) + [1, 2, 3, 4, 5]),
        ]
        for (reason, bytes) in archives {
            try Data(bytes).write(to: folder["archive"])
            let error = #expect(throws: ContentError.self) {
                try ContentArchive.verify(folder["archive"], codec: LibArchiveCodec())
            }
            #expect(error?.reason.contains(reason) == true || reason.isEmpty, "\(error?.reason ?? "")")
            #expect(error?.code == .invalidPackage)
        }
    }

    @Test func `members of gzip that follow each other are read as one tar`() throws {
        let tar = SampleArchive.tar()
        let parts = [tar[..<700], tar[700..<1_300], tar[1_300...]]
        let members = try parts.flatMap { try SampleArchive.compressed(Array($0), .gzip, in: folder["member"]) }
        try Data(members).write(to: folder["archive"])
        #expect(try ContentArchive.verify(folder["archive"]).files.count == 2)
    }

    @Test func `a tar of the first Unix systems, whose headers have no magic, is read`() throws {
        let entries = [("ContentInfo.plist", SampleArchive.info), ("Contents/", ""), ("Contents/a", "1")]
        let tar = entries.flatMap { TarBytes.unix($0.0, $0.1) } + [UInt8](repeating: 0, count: 1_024)
        try Data(tar).write(to: folder["archive"])
        #expect(try ContentArchive.verify(folder["archive"]).files.map(\.path) == ["ContentInfo.plist", "Contents/a"])
    }

    @Test func `a zip with a flipped bit is refused or unpacked to the same files`() throws {
        let bytes = try SampleArchive.compressed(.zip, "Contents/a", count: 10, in: folder["whole"])
        let files = try ContentArchive.verify(folder["whole"]).files
        let archive = folder["archive"]
        for index in bytes.indices {
            var turned = bytes
            turned[index] ^= 1 << (index % 8)
            try Data(turned).write(to: archive)
            guard let found = try? ContentArchive.verify(archive).files else { continue }
            #expect(found.map(\.path) == files.map(\.path), "byte \(index)")
            #expect(found.map(\.digest) == files.map(\.digest), "byte \(index)")
        }
    }

    @Test func `an archive that differs from its manifest is reported as wrongContent`() throws {
        let packed = try ContentPacker.pack(try sample().open(), into: try makeFolder("out"))
        #expect(try ContentArchive.verify(packed.archive, manifest: packed.manifest).files == packed.manifest.files)
        var bytes = try Data(contentsOf: packed.archive)
        bytes[bytes.count - 1] ^= 1
        try bytes.write(to: packed.archive)

        let error = #expect(throws: ContentError.self) {
            _ = try ContentArchive.verify(packed.archive, manifest: packed.manifest)
        }
        #expect(error?.code == .wrongContent)
    }

    @Test(arguments: [
        (ContentLimits(entries: 1), "more than 1 files and folders"), (ContentLimits(size: 100), "more than 100 bytes"),
    ])
    func `an archive that exceeds the limits is refused before any file is written`(
        limits: ContentLimits, reason: String
    ) throws {
        for bytes in [SampleArchive.zip().bytes, SampleArchive.tar()] {
            try Data(bytes).write(to: folder["archive"])
            let target = try makeFolder(UUID().uuidString)
            let error = #expect(throws: ContentError.self) {
                _ = try ContentUnpacker.unpack(folder["archive"], into: target, limits: limits)
            }
            #expect(error?.reason.contains(reason) == true, "\(error?.reason ?? "")")
            #expect(try paths(in: target).isEmpty)
        }
    }

    @Test func `a path that is not a regular file is refused as an archive`() throws {
        let archive = folder["archive"]
        #expect(mkfifo(archive.path(), 0o644) == 0)
        try FileManager.default.createSymbolicLink(atPath: folder["link"].path(), withDestinationPath: "archive")
        let cases: [(String, ContentError.Code)] = [
            ("archive", .invalidPackage), ("link", .invalidPackage), ("none", .notFound), (".", .invalidPackage),
        ]
        for (name, code) in cases {
            let error = #expect(throws: ContentError.self) { _ = try ContentArchive.verify(folder[name]) }
            #expect(error?.code == code)
        }
    }
}
