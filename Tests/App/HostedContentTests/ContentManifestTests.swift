import Foundation
import Testing
import VitrineHostedContent
import VitrineSupport
import VitrineTestSupport

@Suite(.hangLimit) struct ContentManifestTests {
    @Test func `a content manifest that is written and read back is unchanged`() throws {
        var manifest = SampleArchive.manifest(
            SampleArchive.file("Contents/tool", "#!/bin/sh\n", isExecutable: true), emptyFolders: ["Contents/notes"])
        manifest.filesFolder = "files"

        let bytes = try manifest.bytes()
        #expect(try ContentManifest(bytes: bytes) == manifest)
        #expect(try ContentManifest(bytes: bytes).bytes() == bytes)
    }

    @Test func `the order of listed files does not change the bytes of a content manifest`() throws {
        let manifest = SampleArchive.manifest(SampleArchive.file("Contents/a", "a"))
        var other = manifest
        other.files.reverse()

        #expect(try other.bytes() == manifest.bytes())
    }

    struct Defect: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let reason: String
        let change: @Sendable (inout ContentManifest) -> Void

        init(_ description: String, _ reason: String, _ change: @escaping @Sendable (inout ContentManifest) -> Void) {
            (testDescription, self.reason, self.change) = (description, reason, change)
        }
    }

    @Test(arguments: [
        Defect("a path that leads out", "leads out of its folder") { $0.files[1].path = "Contents/../evil" },
        Defect("an absolute path", "is not a relative path") { $0.files[1].path = "/etc/passwd" },
        Defect("a path beside Contents", "is neither ContentInfo.plist nor in Contents") {
            $0.files[1].path = "META-INF/x"
        },
        Defect("Contents as a file", "is neither ContentInfo.plist nor in Contents") { $0.files[1].path = "Contents" },
        Defect("a backslash", "holds a control character or a backslash") { $0.files[1].path = "Contents/a\\b" },
        Defect("a file twice", "occurs twice") { $0.files.append($0.files[1]) },
        Defect("two spellings", "is not distinguished by some file systems from") {
            $0.files.append(SampleArchive.file("Contents/GUIDE.md", ""))
        },
        Defect("a file in a file", "is both a file and a folder") {
            $0.files.append(SampleArchive.file("Contents/guide.md/a", ""))
        },
        Defect("an empty folder that is a file", "is both a file and a folder") {
            $0.emptyFolders = ["Contents/guide.md"]
        },
        Defect("an empty folder beside Contents", "is neither ContentInfo.plist nor in Contents") {
            $0.emptyFolders = ["Notes"]
        },
        Defect("the record's name", "a reserved name") {
            $0.files[1].path = "Contents/.ContentInfo.plist"
        },
        Defect("a file in a folder with the name of the list of files", "a reserved name") {
            $0.files[1].path = "Contents/.ContentManifest.plist/x"
        },
        Defect("an empty folder in a folder with the name of the digest", "a reserved name") {
            $0.emptyFolders = ["Contents/.contentdigest/x"]
        },
        Defect("the record's name with a character that a file system ignores", "a reserved name") {
            $0.files[1].path = "Contents/.Content\u{200D}Info.plist"
        },
        Defect("an archive elsewhere", "is not the name of a file or folder beside the manifest") {
            $0.archive.name = "../a.zip"
        },
        Defect("files elsewhere", "leads out of its folder") { $0.filesFolder = ".." },
        Defect("no ContentInfo.plist", "lists no ContentInfo.plist") { $0.files.remove(at: 0) },
        Defect("no Contents", "lists no Contents") { $0.files.remove(at: 1) },
        Defect("lengths that no number has", "makes the total length of the files too large") {
            $0.files[0].length = .max
            $0.files[1].length = .max
        },
    ])
    func `a manifest that does not describe a valid package is refused when it is written`(_ defect: Defect) throws {
        var manifest = SampleArchive.manifest()
        defect.change(&manifest)

        let error = #expect(throws: ContentError.self) { _ = try manifest.bytes() }
        #expect(error?.code == .invalidPackage)
        #expect(error?.reason.contains(defect.reason) == true, "\(error?.reason ?? "")")
    }

    @Test(arguments: [
        ("<array/>", "Archive is missing"),
        ("<dict><key>Archive</key><string>a</string></dict>", "4:25: Archive must be a dictionary"),
        ("<dict><key>Archive</key><dict/></dict>", "IAPProductIdentifier is missing"),
        ("<dict><key>Archive</key><dict/><key>Archive</key><dict/></dict>", "Archive occurs twice"),
        ("<dict>", "the manifest: "),
    ])
    func `a property list that is not a content manifest is refused with the reason`(body: String, reason: String) {
        let error = #expect(throws: ContentError.self) {
            _ = try ContentManifest(bytes: Array(PlistText.document(body).utf8))
        }
        #expect(error?.code == .invalidPackage)
        #expect(error?.reason.contains(reason) == true, "\(error?.reason ?? "")")
    }

    @Test func `a manifest with an invalid digest, a negative length or a path outside the package is refused`() throws
    {
        let text = String(decoding: try SampleArchive.manifest().bytes(), as: UTF8.self)
        let changes = [
            (SampleArchive.digest(Array(SampleArchive.guide.utf8)), "abc"),
            ("<integer>7</integer>", "<integer>-7</integer>"), ("Contents/guide.md", "Contents/../guide.md"),
        ]
        for (before, after) in changes {
            #expect(text.contains(before))
            #expect(throws: ContentError.self) {
                _ = try ContentManifest(bytes: Array(text.replacingOccurrences(of: before, with: after).utf8))
            }
        }
    }
}
