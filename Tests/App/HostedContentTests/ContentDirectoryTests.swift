import CVitrineSystem
import Foundation
import Testing
import VitrineCatalog
import VitrineHostedContent
import VitrineSupport
import VitrineTestSupport

@Suite(.blocksThreads, .hangLimit) struct ContentDirectoryTests {
    private let folder: TemporaryFolder
    private let directory: ContentDirectory
    private let path: ContentPath

    init() throws {
        folder = try TemporaryFolder()
        directory = ContentDirectory(url: folder["content"])
        path = try ContentPath("guides/rome")
    }

    private func text(_ path: String) throws -> String {
        try String(contentsOf: folder["content/\(path)"], encoding: .utf8)
    }

    @Test func `installed content consists of the files of the package's Contents folder and two descriptive files`()
        async throws
    {
        let installed = try await directory.install(SamplePackage(in: folder).open(), at: path)

        #expect(installed.productIdentifier == "rome")
        #expect(installed.version == "1.0")
        #expect(try directory.installedContent(at: path) == installed)
        #expect(try directory.size(of: installed) == 14)
        #expect(try text("guides/rome/guide.md") == "# Rome\n")
        #expect(
            try paths(in: directory.url).filter { !$0.hasPrefix("CACHEDIR") } == [
                "guides", "guides/rome", "guides/rome/.ContentInfo.plist", "guides/rome/.ContentManifest.plist",
                "guides/rome/guide.md", "guides/rome/maps", "guides/rome/maps/forum.svg",
            ])
    }

    #if os(Linux)
        @Test func `the content directory is marked as excluded from backups`() async throws {
            _ = try await directory.install(SamplePackage(in: folder).open(), at: path)

            #expect(try text("CACHEDIR.TAG").hasPrefix("Signature: 8a477f597d28d172789f06886806bc55\n"))
            var value = [CChar](repeating: 0, count: 16)
            let length = vitrine_get_attribute(
                directory.url.path(), "user.xdg.robots.backup", &value, value.count)
            #expect(length == 5)
            #expect(value.prefix(5).map(UInt8.init(bitPattern:)) == Array("false".utf8))
        }

        @Test(arguments: ["", "Signature: wrong", "text"])
        func `an invalid cache directory tag is rewritten at the next launch`(tag: String) async throws {
            _ = try await directory.install(SamplePackage(in: folder).open(), at: path)
            try folder.write(tag, to: "content/CACHEDIR.TAG")
            try directory.prepareIfPresent()

            #expect(try text("CACHEDIR.TAG").hasPrefix("Signature: 8a477f597d28d172789f06886806bc55\n"))
        }

        @Test func `a cache directory tag that is a symbolic link is replaced, and its target is unchanged`()
            async throws
        {
            let target = try folder.write("precious", to: "target")
            try FileManager.default.createDirectory(at: directory.url, withIntermediateDirectories: true)
            try FileManager.default.createSymbolicLink(
                at: folder["content/CACHEDIR.TAG"], withDestinationURL: target)
            _ = try await directory.install(SamplePackage(in: folder).open(), at: path)

            #expect(try String(contentsOf: target, encoding: .utf8) == "precious")
            #expect(try text("CACHEDIR.TAG").hasPrefix("Signature: "))
        }

        @Test func `tar with the option exclude-caches omits installed content and archives other files`() async throws
        {
            _ = try await directory.install(SamplePackage(in: folder).open(), at: path)
            try folder.write("ledger", to: "ledger.sqlite")
            let tar = Process()
            let output = Pipe()
            tar.executableURL = URL(filePath: "/usr/bin/env")
            tar.arguments = ["sh", "-c", "tar --exclude-caches -cf - . | tar -tf -"]
            tar.currentDirectoryURL = folder.url
            tar.standardOutput = output
            try tar.run()
            let names = try output.fileHandleForReading.readToEnd().map { String(decoding: $0, as: UTF8.self) } ?? ""
            tar.waitUntilExit()

            #expect(names.contains("./ledger.sqlite"))
            #expect(names.contains("./content/CACHEDIR.TAG"))
            #expect(!names.contains("guide.md\n./content") && !names.contains("content/guides"))
        }
    #endif

    @Test func `the content directory is not created before the first installation`() throws {
        try directory.prepareIfPresent()

        #expect(!FileManager.default.fileExists(atPath: directory.url.path()))
        #expect(try directory.installedContent(at: path) == nil)
    }

    @Test func `content that is installed in the requested version is not installed again`() async throws {
        let package = try SamplePackage(in: folder)
        _ = try await directory.install(package.open(), at: path)
        try folder.write("# Oslo\n", to: "content/guides/rome/guide.md")
        _ = try await directory.install(package.open(), at: path)

        #expect(try text("guides/rome/guide.md") == "# Oslo\n")
    }

    @Test(arguments: ["guide.md", "maps/forum.svg", "maps"])
    func `installed content with missing files is installed again`(path lost: String) async throws {
        let package = try SamplePackage(in: folder)
        _ = try await directory.install(package.open(), at: path)
        try FileManager.default.removeItem(at: folder["content/guides/rome/\(lost)"])
        _ = try await directory.install(package.open(), at: path)

        #expect(try paths(in: folder["content/guides/rome"]).count == 5)
        #expect(try text("guides/rome/guide.md") == "# Rome\n")
    }

    @Test func `content replaces other content in a parent folder or a subfolder of its path`() async throws {
        let (rome, athens) = (
            try SamplePackage(in: folder).open(), try SamplePackage(in: folder, named: "B", product: "athens").open()
        )
        _ = try await directory.install(rome, at: path)
        _ = try await directory.install(athens, at: ContentPath("guides/rome/maps"))

        #expect(try directory.installedContent(at: path) == nil)
        #expect(try directory.installedContent(at: ContentPath("guides/rome/maps"))?.productIdentifier == "athens")
        _ = try await directory.install(rome, at: path)
        #expect(try directory.installedContent(at: path)?.productIdentifier == "rome")
        #expect(try directory.installedContent(at: ContentPath("guides/rome/maps")) == nil)
        #expect(try paths(in: folder["content/guides/rome"]).count == 5)
        #expect(try paths(in: directory.url).allSatisfy { !$0.hasPrefix(".staging") })
    }

    @Test func `a new version of content replaces the whole folder of the old version`() async throws {
        _ = try await directory.install(SamplePackage(in: folder).open(), at: path)
        let newer = try SamplePackage(in: folder, named: "B", version: "1.1", files: ["other.md": "new"])
        let installed = try await directory.install(newer.open(), at: path)

        #expect(installed.version == "1.1")
        #expect(try paths(in: installed.url) == [".ContentInfo.plist", ".ContentManifest.plist", "other.md"])
        #expect(try paths(in: directory.url).allSatisfy { !$0.hasPrefix(".staging") })
    }

    @Test func `files at the install path that are not installed content are replaced`() async throws {
        try folder.write("x", to: "content/guides/rome/x")
        #expect(try directory.installedContent(at: path) == nil)
        _ = try await directory.install(SamplePackage(in: folder).open(), at: path)

        #expect(try directory.installedContent(at: path)?.version == "1.0")
        #expect(try paths(in: folder["content/guides/rome"]).contains("x") == false)
    }

    @Test(arguments: ["content", "content/guides"])
    func `a symbolic link in a parent folder of the install path is refused and not followed`(link: String) async throws
    {
        let outside = folder["outside"]
        try FileManager.default.createDirectory(at: outside, withIntermediateDirectories: true)
        let place = folder[link]
        try FileManager.default.createDirectory(
            at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(at: place, withDestinationURL: outside)
        // As if content were installed behind it.
        try folder.write("", to: "outside/.ContentInfo.plist")
        let package = try SamplePackage(in: folder).open()

        let error = await #expect(throws: ContentError.self) { try await directory.install(package, at: path) }
        #expect(error?.code == .invalidPlace)
        #expect(error?.reason.contains(link) == true)
        #expect(try paths(in: outside) == [".ContentInfo.plist"])
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: place.path()).hasSuffix("outside"))
    }

    #if os(Linux)
        @Test func `a folder in place of the cache directory tag is refused and left unchanged`() async throws {
            try folder.write("precious", to: "content/CACHEDIR.TAG/file")
            let package = try SamplePackage(in: folder).open()
            let error = await #expect(throws: ContentError.self) { try await directory.install(package, at: path) }

            #expect(error?.code == .invalidPlace)
            #expect(try text("CACHEDIR.TAG/file") == "precious")
        }
    #endif

    @Test func `a content directory that is a symbolic link is not followed, even if its URL ends with a slash`()
        async throws
    {
        try folder.write("precious", to: "outside/CACHEDIR.TAG/file")
        try FileManager.default.createSymbolicLink(at: folder["content"], withDestinationURL: folder["outside"])
        let linked = ContentDirectory(url: folder.url.appending(path: "content", directoryHint: .isDirectory))
        let package = try SamplePackage(in: folder).open()

        #expect(throws: ContentError.self) { try linked.prepareIfPresent() }
        await #expect(throws: ContentError.self) { try await linked.install(package, at: path) }
        #expect(try paths(in: folder["outside"]) == ["CACHEDIR.TAG", "CACHEDIR.TAG/file"])
    }

    @Test func `concurrent first installations into one content directory all succeed`() async throws {
        let package = try SamplePackage(in: folder).open()
        for round in 0..<20 {
            let directory = ContentDirectory(url: folder["content-\(round)"])
            try await withThrowingTaskGroup { group in
                for index in 0..<8 {
                    group.addTask { try await directory.install(package, at: ContentPath("guides/\(index)")) }
                }
                try await group.waitForAll()
            }
        }
    }

    @Test func `a symbolic link at the install path is replaced, and its target is unchanged`() async throws {
        try folder.write("precious", to: "outside/guide.md")
        try folder.write("", to: "content/guides/x")
        try FileManager.default.createSymbolicLink(
            at: folder["content/guides/rome"], withDestinationURL: folder["outside"])
        _ = try await directory.install(SamplePackage(in: folder).open(), at: path)

        #expect(try String(contentsOf: folder["outside/guide.md"], encoding: .utf8) == "precious")
        #expect(try text("guides/rome/guide.md") == "# Rome\n")
    }

    @Test func `the content directory itself is refused as an install path`() async throws {
        let package = try SamplePackage(in: folder).open()
        let error = await #expect(throws: ContentError.self) {
            try await directory.install(package, at: ContentPath("."))
        }
        #expect(error?.code == .invalidPlace)
    }

    @Test func `a package that cannot be read does not replace installed content`() async throws {
        _ = try await directory.install(SamplePackage(in: folder).open(), at: path)
        let newer = try SamplePackage(in: folder, named: "B", version: "1.1")
        let package = try newer.open()
        try FileManager.default.removeItem(at: newer["guide.md"])
        try FileManager.default.createSymbolicLink(atPath: newer["guide.md"].path(), withDestinationPath: "/etc/passwd")

        await #expect(throws: ContentError.self) { try await directory.install(package, at: path) }
        #expect(try directory.installedContent(at: path)?.version == "1.0")
        #expect(try paths(in: directory.url).allSatisfy { !$0.hasPrefix(".staging") })
    }

    @Test func `staging folders of a killed process are removed, and staging folders in use are not`() async throws {
        try folder.write("half", to: "content/.staging/abandoned/content/guide.md")
        try folder.write("a stray file", to: "content/.staging/stray")
        try FileManager.default.createDirectory(
            at: folder["content/.staging/used"], withIntermediateDirectories: true)
        let lock = try ForeignLock(folder["content/.staging/used"])
        try directory.prepareIfPresent()
        #expect(try paths(in: folder["content/.staging"]) == ["used"])

        lock.release()
        try directory.prepareIfPresent()
        #expect(!FileManager.default.fileExists(atPath: folder["content/.staging"].path()))
    }

    @Test func `concurrent installations of the same content leave it complete`() async throws {
        let package = try SamplePackage(in: folder).open()
        let (directory, path) = (directory, path)
        try await withThrowingTaskGroup { group in
            for _ in 0..<20 { group.addTask { try await directory.install(package, at: path) } }
            try await group.waitForAll()
        }

        #expect(try paths(in: folder["content/guides/rome"]).count == 5)
        #expect(try paths(in: directory.url).allSatisfy { !$0.hasPrefix(".staging") })
    }

    @Test func `a canceled installation leaves no installed content`() async throws {
        let package = try SamplePackage(in: folder).open()
        let (directory, path) = (directory, path)
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await directory.install(package, at: path)
        }
        let error = await #expect(throws: ContentError.self) { try await task.value }

        #expect(error?.code == .cancelled)
        #expect(try directory.installedContent(at: path) == nil)
    }

    @Test func `an empty package and a package with large files are installed whole`() async throws {
        let empty = try SamplePackage(in: folder, named: "E", files: [:])
        #expect(try await directory.install(empty.open(), at: ContentPath("empty")).version == "1.0")

        let large = String(repeating: "0123456789abcdef", count: 200_000)
        let package = try SamplePackage(in: folder, files: ["large": large])
        let installed = try await directory.install(package.open(), at: path)
        #expect(try directory.size(of: installed) == large.utf8.count)
        #expect(try text("guides/rome/large") == large)
    }
}
