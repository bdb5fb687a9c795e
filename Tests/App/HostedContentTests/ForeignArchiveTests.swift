import Foundation
import Testing
import VitrineHostedContent
import VitrineSupport
import VitrineTestSupport

/// Archives that other programs make, read by the library and by libarchive's bsdtar.
@Suite(.blocksThreads, .hangLimit, .enabled(if: PeerTool.bsdtar.isInstalled, "bsdtar is not installed"))
struct ForeignArchiveTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Way to make an archive of the working directory.
    struct Maker: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let tool: PeerTool
        /// Commands of a shell, to which `$1` is the archive.
        let script: String

        init(_ description: String, _ tool: PeerTool, _ script: String) {
            (testDescription, self.tool, self.script) = (description, tool, script)
        }
    }

    private static let pythonZip = """
        python3 - "$1" <<'END'
        import os, sys, zipfile
        options = dict(OPTIONS)
        with zipfile.ZipFile(sys.argv[1], "w", **options) as archive:
            for folder, folders, files in os.walk("."):
                for name in sorted(folders + files):
                    archive.write(os.path.join(folder, name)WHERE)
        END
        """
    private static let pythonTar = """
        python3 - "$1" <<'END'
        import sys, tarfile
        with tarfile.open(sys.argv[1], "MODE", format=tarfile.FORMAT) as archive:
            archive.add(".")
        END
        """
    /// What macOS adds: an AppleDouble file with a resource fork for each file, beside it or in a folder of its own.
    private static let likeMac = """
        find Contents -type f | while IFS= read -r file; do
            fork="PLACE/$(dirname "$file")/._$(basename "$file")"
            mkdir -p "$(dirname "$fork")"
            printf '\\000\\005\\026\\007\\000\\002\\000\\000Mac OS X' >"$fork"
        done
        printf x >Contents/.DS_Store

        """

    private static func python(
        _ name: String, zip options: String, where place: String = ""
    ) -> Maker {
        Maker(
            name, .python,
            pythonZip.replacing("OPTIONS", with: options).replacing("WHERE", with: place))
    }

    private static func python(_ name: String, tar format: String, mode: String = "w") -> Maker {
        Maker(name, .python, pythonTar.replacing("FORMAT", with: format).replacing("MODE", with: mode))
    }

    /// Makers whose programs are installed.
    static let makers = allMakers.filter(\.tool.isInstalled)

    private static let allMakers = [
        Maker("zip", .zip, #"zip -rq "$1" ."#), Maker("zip, stored", .zip, #"zip -rq -0 "$1" ."#),
        Maker("zip, fast", .zip, #"zip -rq -1 "$1" ."#), Maker("zip, best", .zip, #"zip -rq -9 "$1" ."#),
        Maker("zip with data descriptors", .zip, #"zip -rq -fd "$1" ."#),
        Maker("zip with zip64", .zip, #"zip -rq -fz "$1" ."#),
        Maker("zip without extra fields", .zip, #"zip -rqX "$1" ."#),
        Maker("zip without folders", .zip, #"zip -rqD "$1" ."#),
        Maker("bsdtar, zip", .bsdtar, #"bsdtar --format zip -cf "$1" ."#),
        Maker("bsdtar, stored zip", .bsdtar, #"bsdtar --format zip --options zip:compression=store -cf "$1" ."#),
        Maker("bsdtar, ustar", .bsdtar, #"bsdtar --format ustar -cf "$1" ."#),
        Maker("bsdtar, pax", .bsdtar, #"bsdtar --format pax -cf "$1" ."#),
        Maker("bsdtar, GNU", .bsdtar, #"bsdtar --format gnutar -cf "$1" ."#),
        Maker("bsdtar, v7", .bsdtar, #"bsdtar --format v7tar -cf "$1" ."#),
        Maker("bsdtar, gzip", .bsdtar, #"bsdtar -czf "$1" ."#),
        Maker("GNU tar, GNU", .tar, #"tar --format=gnu -cf "$1" ."#),
        Maker("GNU tar, old GNU", .tar, #"tar --format=oldgnu -cf "$1" ."#),
        Maker("GNU tar, pax", .tar, #"tar --format=posix -cf "$1" ."#),
        Maker("GNU tar, ustar", .tar, #"tar --format=ustar -cf "$1" ."#),
        Maker("GNU tar, v7", .tar, #"tar --format=v7 -cf "$1" ."#),
        Maker("GNU tar, gzip", .tar, #"tar -czf "$1" ."#),
        Maker("gzip, two members", .tar, #"tar -cf - . | (head -c 1000 | gzip; gzip) >"$1""#),
        python("Python, stored zip", zip: "{}"),
        python("Python, deflated zip", zip: "compression=zipfile.ZIP_DEFLATED"),
        python(
            "Python, zip in a folder", zip: "compression=zipfile.ZIP_DEFLATED",
            where: #", "Rome/" + os.path.join(folder, name)[2:]"#),
        python("Python, ustar", tar: "USTAR_FORMAT"), python("Python, GNU", tar: "GNU_FORMAT"),
        python("Python, pax", tar: "PAX_FORMAT"), python("Python, gzip", tar: "PAX_FORMAT", mode: "w:gz"),
        Maker("7-Zip, zip", .sevenZip, #"7z a -bd -tzip "$1.zip" . >/dev/null && mv "$1.zip" "$1""#),
        Maker("7-Zip, tar", .sevenZip, #"7z a -bd -ttar "$1.tar" . >/dev/null && mv "$1.tar" "$1""#),
        Maker("a Mac's zip", .zip, likeMac.replacing("PLACE", with: "__MACOSX") + #"zip -rq "$1" ."#),
        Maker("a Mac's tar", .tar, likeMac.replacing("PLACE", with: ".") + #"tar --format=posix -cf "$1" ."#),
    ]

    /// Files of a package, with their content.
    struct Tree: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var files: [String: String] = [:]
        var folders: [String] = []
        var executables: [String] = []
    }

    static let trees = [
        Tree(testDescription: "one file", files: ["guide.md": "# Rome\n"]),
        Tree(
            testDescription: "empty files and folders", files: ["empty": "", "a/empty": ""],
            folders: ["none", "b/none"]),
        Tree(
            testDescription: "names in other scripts",
            files: [
                "caf\u{e9}.txt": "1", "cafe\u{301}s.txt": "2", "東京/地下鉄.txt": "3", "🏛.md": "4", "Ελλάδα": "5",
                "مرحبا.txt": "6",
            ]),
        Tree(
            testDescription: "long names",
            files: [
                "\(String(repeating: "n", count: 150)).txt": "1",
                "\(Array(repeating: String(repeating: "d", count: 60), count: 5).joined(separator: "/"))/file": "2",
                "\(String(repeating: "é", count: 100))": "3", "\(String(repeating: "x", count: 89))": "4",
                "\(String(repeating: "y", count: 91))/z": "5",
            ]),
        Tree(
            testDescription: "a long file that compresses well",
            files: ["long.txt": (0..<60_000).map { "line \($0 &* 2_654_435_761 % 4_294_967_291)\n" }.joined()]),
        Tree(
            testDescription: "lengths at the borders of blocks",
            files: Dictionary(
                uniqueKeysWithValues: [1, 511, 512, 513, 1_024, 131_071, 131_072, 131_073].map { count in
                    ("\(count)", String((0..<count).map { Character(Unicode.Scalar(UInt8(97 + $0 % 23))) }))
                })),
        Tree(
            testDescription: "many files",
            files: Dictionary(uniqueKeysWithValues: (0..<120).map { ("\($0 % 7)/\($0).txt", "\($0)") })),
        Tree(
            testDescription: "executables", files: ["run.sh": "#!/bin/sh\n", "bin/tool": "\u{7f}ELF", "plain": "x"],
            executables: ["run.sh", "bin/tool"]),
        Tree(
            testDescription: "marks in names",
            files: [
                "a file.txt": "1", ".hidden": "2", "it's": "3", "a=b&c;d": "4", "-dash": "5", "#hash": "6", "100%": "7",
                "(a) [b] {c}": "8", "~tilde": "9", "a,b": "10",
            ]),
        Tree(testDescription: "files of Macs", files: ["guide.md": "1", ".DS_Store": "2", "._guide.md": "3"]),
    ]

    /// File or folder, as a reader has left it.
    private struct Item: Hashable {
        var digest: String?
        var isExecutable: Bool
    }

    @Test(arguments: makers, trees)
    func `an archive of another program has the same files for the library and for bsdtar`(maker: Maker, tree: Tree)
        throws
    {
        let package = try SamplePackage(in: folder, files: tree.files)
        for path in tree.folders {
            try FileManager.default.createDirectory(at: package[path], withIntermediateDirectories: true)
        }
        for path in tree.executables { #expect(chmod(package[path].path(percentEncoded: false), 0o755) == 0) }
        let (archive, theirs, ours) = (folder["archive.any"], folder["theirs"], folder["ours"])
        let environment = ["LC_ALL": "C.UTF-8"]
        let made = try PeerTool.shell.run(
            ["-c", maker.script, "sh", archive.path()], in: package.url, environment: environment)
        guard made.status == 0 else {
            // Some formats have no room for long names.
            #expect(tree.testDescription == "long names")
            return
        }
        for place in [theirs, ours] {
            try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        }
        let read = try PeerTool.bsdtar.run(
            "-xf", archive.path(), "-C", theirs.path(), environment: environment)
        #expect(read.status == 0)

        _ = try ContentUnpacker.unpack(archive, into: ours)
        #expect(try items(in: ours) == packageItems(in: theirs))
    }

    /// Returns what a package in a folder, or in its only folder, has, without what macOS adds.
    private func packageItems(in folder: URL) throws -> [String: Item] {
        let isInFolder = !FileManager.default.fileExists(atPath: folder.appending(path: "ContentInfo.plist").path())
        return try items(in: isInFolder ? folder.appending(path: "Rome") : folder).filter { path, _ in
            let names = path.split(separator: "/")
            return names.first != "__MACOSX" && names.last != ".DS_Store" && names.last?.hasPrefix("._") != true
        }
    }

    private func items(in folder: URL) throws -> [String: Item] {
        try paths(in: folder).reduce(into: [:]) { items, path in
            let url = folder.appending(path: path)
            let status = try FileManager.default.attributesOfItem(atPath: url.path(percentEncoded: false))
            guard status[.type] as? FileAttributeType == .typeRegular else {
                items[path] = Item(isExecutable: false)
                return
            }
            items[path] = Item(
                digest: SampleArchive.digest(Array(try Data(contentsOf: url))),
                isExecutable: (status[.posixPermissions] as? Int ?? 0) & 0o100 != 0)
        }
    }
}
