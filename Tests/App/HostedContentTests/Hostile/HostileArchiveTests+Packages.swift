import Testing
import VitrineHostedContent

extension HostileArchiveTests {
    @Test(arguments: packages)
    func `an archive without a valid package is refused, and no file is written outside the target`(
        _ attack: Attack
    ) async throws { try await check(attack) }

    private static let packages: [Attack] = [
        Attack("nothing", "is neither a zip nor a tar") { _ in [] },
        Attack("a text", "is neither a zip nor a tar") { _ in Array("Not Found".utf8) },
        Attack("a zip of nothing", "is neither a zip nor a tar") { _ in ZipBytes([]).bytes },
        Attack("an Apple package", "convert it to a tar with: bsdtar -cf NAME.tar @NAME.pkg") {
            try SampleArchive.compressed(.xar, "Contents/a", count: 10, in: $0)
        },
        Attack("no ContentInfo.plist", "the archive has no ContentInfo.plist") { _ in
            ZipBytes([Entry("Contents/a")]).bytes
        },
        Attack("no Contents", "the archive has no folder Contents") { _ in
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
        Attack("a package in one of two folders", #"is not in the folder "a" that contains the package"#) { _ in
            ZipBytes([Entry("a/ContentInfo.plist", SampleArchive.info), Entry("b/evil")]).bytes
        },
        Attack("a ContentInfo.plist that is none", "ContentInfo.plist") { _ in
            ZipBytes([Entry("ContentInfo.plist", "<plist/>"), Entry("Contents/a")]).bytes
        },
        Attack("a ContentInfo.plist that is too long", "is longer than 65536 bytes") { _ in
            ZipBytes([
                Entry("ContentInfo.plist", SampleArchive.info + String(repeating: " ", count: 70_000)),
                Entry("Contents/a"),
            ]).bytes
        },
    ]
}
