import Foundation
import Testing
import VitrineCatalog
import VitrineHostedContent
import VitrineSupport
import VitrineTestSupport

/// Comparison of installed content with its manifest.
@Suite(.blocksThreads, .hangLimit) struct ContentCheckTests {
    private let folder: TemporaryFolder
    private let directory: ContentDirectory
    private let path: ContentPath

    init() async throws {
        folder = try TemporaryFolder()
        directory = ContentDirectory(url: folder["content"])
        path = try ContentPath("guides/rome")
        let sample = try SamplePackage(in: folder)
        try FileManager.default.createDirectory(at: sample["notes/empty"], withIntermediateDirectories: true)
        _ = try await directory.install(sample.open(), at: path)
    }

    private var installed: URL { folder["content/guides/rome"] }

    @Test func `undamaged installed content passes the integrity check`() async throws {
        let check = try await directory.check(at: path)

        #expect(check.isWhole && check.isListed)
        #expect(check.content == (try directory.installedContent(at: path)))
    }

    struct Damage: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// Shell command that changes files in the content's folder.
        let command: String
        var missing: [String] = []
        var changed: [String] = []
        var extra: [String] = []
    }

    @Test(arguments: [
        Damage(testDescription: "a byte", command: "printf '# Oslo\\n' > guide.md", changed: ["guide.md"]),
        Damage(testDescription: "a byte more", command: "echo >> guide.md", changed: ["guide.md"]),
        Damage(testDescription: "a lost file", command: "rm maps/forum.svg", missing: ["maps/forum.svg"]),
        Damage(testDescription: "a lost folder", command: "rm -r maps", missing: ["maps/forum.svg"]),
        Damage(testDescription: "a lost empty folder", command: "rmdir notes/empty", missing: ["notes/empty"]),
        Damage(
            testDescription: "a link in place of a file", command: "mv guide.md x; ln -s x guide.md",
            changed: ["guide.md"], extra: ["x"]),
        Damage(
            testDescription: "a folder in place of a file", command: "rm guide.md; mkdir guide.md",
            changed: ["guide.md"]),
        Damage(testDescription: "a pipe", command: "mkfifo maps/pipe", extra: ["maps/pipe"]),
        Damage(
            testDescription: "files that nobody installed", command: "touch z maps/a .hidden",
            extra: [".hidden", "maps/a", "z"]),
        Damage(
            testDescription: "the record", command: "sed -i.x 's/1\\.0/1.1/' .ContentInfo.plist; rm -f .*.x",
            changed: [".ContentInfo.plist"]),
        Damage(
            testDescription: "everything", command: "printf x > guide.md; rm maps/*; touch y",
            missing: ["maps/forum.svg"], changed: ["guide.md"], extra: ["y"]),
    ])
    func `the integrity check of installed content lists missing, changed and extra files`(_ damage: Damage)
        async throws
    {
        try shell(damage.command, in: installed)
        let check = try await directory.check(at: path)

        #expect(!check.isWhole && check.isListed)
        #expect(check.missing == damage.missing)
        #expect(check.changed == damage.changed)
        #expect(check.extra == damage.extra)
    }

    @Test(arguments: [
        "rm .ContentManifest.plist", "echo > .ContentManifest.plist", "sed -i.x 's/Files/File/' .*t.plist",
    ])
    func `content whose installed manifest is missing or unreadable does not pass the integrity check`(command: String)
        async throws
    {
        try shell(command, in: installed)
        let check = try await directory.check(at: path)

        #expect(!check.isListed && !check.isWhole)
        #expect(check.missing + check.changed + check.extra == [])
        #expect(check.content.version == "1.0")
    }

    @Test func `the integrity check treats an installed manifest with a path outside the content folder as missing`()
        async throws
    {
        try folder.write("precious", to: "secret")
        try shell("sed -i.x 's|Contents/guide.md|Contents/../../../../secret|' .ContentManifest.plist", in: installed)

        #expect(try await !directory.check(at: path).isListed)
    }

    @Test func `the integrity check of a path without installed content throws a not-found error`() async throws {
        let elsewhere = try ContentPath("guides/oslo")
        let error = await #expect(throws: ContentError.self) { try await directory.check(at: elsewhere) }

        #expect(error?.code == .notFound)
    }

    @Test func `a canceled integrity check throws a cancellation error`() async throws {
        let (directory, path) = (directory, path)
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await directory.check(at: path)
        }

        await #expect(throws: ContentError(code: .cancelled, reason: "the installation was cancelled")) {
            try await task.value
        }
    }

    @Test func `installed files are found by their digests, unless they were changed`() async throws {
        let digest = try ZippedPackage.digest(of: installed.appending(path: "guide.md"))
        let unknown = String(repeating: "0", count: 64)
        let found = try directory.installedFiles().file(withDigest: digest)
        #expect(found?.standardizedFileURL == installed.appending(path: "guide.md").standardizedFileURL)
        #expect(try directory.installedFiles().file(withDigest: unknown) == nil)

        try shell("printf '# Oslo\\n' > guide.md", in: installed)
        #expect(try directory.installedFiles().file(withDigest: digest) == nil)
        let other = try SamplePackage(in: folder, named: "B", product: "other").open()
        _ = try await directory.install(other, at: ContentPath("other"))
        #expect(try directory.installedFiles().file(withDigest: digest) != nil)
    }
}

/// Runs a shell command in a folder.
func shell(_ command: String, in folder: URL) throws {
    let process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = ["-c", command]
    process.currentDirectoryURL = folder
    try process.run()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0, "\(command)")
}
