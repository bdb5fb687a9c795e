import Crypto
import Foundation
import Testing
import VitrineCatalog
import VitrineHostedContent
import VitrineSupport
import VitrineTestSupport

/// Installations of downloaded content, which succeed completely or change nothing.
@Suite(.hangLimit) struct InstallingTests {
    private let folder: TemporaryFolder
    private let directory: ContentDirectory
    private let path: ContentPath
    private let digest = String(repeating: "0a", count: 32)

    init() throws {
        folder = try TemporaryFolder()
        directory = ContentDirectory(url: folder["content"])
        path = try ContentPath("guides/rome")
    }

    private func request(_ product: String = "rome", version: String? = "1.0", digest: String? = nil) -> ContentRequest
    {
        ContentRequest(productIdentifier: product, version: version, digest: digest)
    }

    private func text(_ path: String) throws -> String {
        try String(contentsOf: folder["content/\(path)"], encoding: .utf8)
    }

    private func strayPaths() throws -> [String] {
        try paths(in: directory.url).filter { $0.hasPrefix(".") }
    }

    // MARK: Packages

    @Test func `a downloaded package is installed and recorded with the requested digest`() async throws {
        let package = try SamplePackage(in: folder).open()
        let installed = try await directory.install(
            .package(package), request: request(digest: digest), at: path)

        #expect(installed.digest == digest)
        #expect(try directory.installedContent(at: path) == installed)
        #expect(try directory.size(of: installed) == 14)
        #expect(try await directory.check(at: path).isWhole)
        #expect(try strayPaths().isEmpty)
    }

    @Test(arguments: [
        ("oslo", nil, "for rome, not for oslo"), ("rome", "1.1", "version 1.0, but version 1.1"), ("rome", "", ""),
    ])
    func `an installation refuses a package of another product or version`(
        product: String, version: String?, reason: String
    ) async throws {
        let package = try SamplePackage(in: folder).open()
        let request = request(product, version: version)
        let error = await #expect(throws: ContentError.self) {
            try await directory.install(.package(package), request: request, at: path)
        }

        #expect(error?.code == .wrongContent)
        #expect(error?.reason.contains(reason) == true || reason.isEmpty, "\(error?.reason ?? "")")
        #expect(try directory.installedContent(at: path) == nil)
    }

    @Test func `content is installed again only if its files or its digest have changed`() async throws {
        let package = try SamplePackage(in: folder).open()
        _ = try await directory.install(.package(package), request: request(), at: path)
        let before = try FileManager.default.attributesOfItem(atPath: folder["content/guides/rome"].path())
        _ = try await directory.install(.package(package), request: request(), at: path)
        let after = try FileManager.default.attributesOfItem(atPath: folder["content/guides/rome"].path())
        #expect(before[.systemFileNumber] as? Int == after[.systemFileNumber] as? Int)

        try folder.write("# Oslo\n", to: "content/guides/rome/guide.md")
        _ = try await directory.install(.package(package), request: request(), at: path)
        #expect(try text("guides/rome/guide.md") == "# Rome\n")
        _ = try await directory.install(.package(package), request: request(digest: digest), at: path)
        #expect(try directory.installedContent(at: path)?.digest == digest)
    }

    @Test func `installed files have mode 755 if they are executable, and 644 otherwise`() async throws {
        let sample = try SamplePackage(in: folder, files: ["run": "#!/bin/sh\n", "text": "x", "open": "y"])
        for (name, mode) in [("run", 0o4777), ("text", 0o600), ("open", 0o666)] {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: sample[name].path())
        }
        let installed = try await directory.install(.package(sample.open()), request: request(), at: path)
        let modes = try ["run", "text", "open"].map { name in
            try FileManager.default.attributesOfItem(atPath: installed.url.appending(path: name).path())[
                .posixPermissions] as? Int
        }

        #expect(modes == [0o755, 0o644, 0o644])
    }

    // MARK: Archives

    @Test(arguments: [true, false])
    func `an archive is unpacked to its install path, and its download folder is removed`(isListed: Bool) async throws {
        let download = try directory.downloadFolder(for: "rome")
        let archive = try ZippedPackage(of: SamplePackage(in: folder), at: download.appending(path: "archive.part"))
        let fetched = FetchedContent.archive(archive.url, isListed ? try archive.manifest() : nil)
        let digest = try archive.digest
        let installed = try await directory.install(fetched, request: request(digest: digest), at: path)

        #expect(installed.version == "1.0" && installed.digest == digest)
        #expect(try text("guides/rome/maps/forum.svg") == "<svg/>\n")
        #expect(try await directory.check(at: path).isWhole)
        #expect(try directory.downloads().isEmpty)
        #expect(try strayPaths().isEmpty)
    }

    @Test(arguments: [["a/b/run": "x"], [:]])
    func `an archive made by the packer is installed as its manifest lists it`(files: [String: String]) async throws {
        let sample = try SamplePackage(in: folder, files: files)
        try FileManager.default.createDirectory(at: folder["packed"], withIntermediateDirectories: true)
        let packed = try ContentPacker.pack(sample.open(), into: folder["packed"])
        let request = request(digest: packed.manifestDigest)
        let fetched = FetchedContent.archive(packed.archive, packed.manifest)
        let installed = try await directory.install(fetched, request: request, at: path)

        #expect(installed.digest == packed.manifestDigest)
        #expect(try directory.size(of: installed) == files.values.reduce(0) { $0 + $1.utf8.count })
        #expect(try await directory.check(at: path).isWhole)
    }

    @Test func `an archive outside the download folder is not removed by its installation`() async throws {
        let archive = try ZippedPackage(of: SamplePackage(in: folder), at: folder["rome.zip"])
        _ = try directory.downloadFolder(for: "rome")
        _ = try await directory.install(.archive(archive.url, nil), request: request(), at: path)

        #expect(FileManager.default.fileExists(atPath: archive.url.path()))
        #expect(try directory.downloads() == ["rome"])
    }

    @Test func `a file that is not an archive leaves the installed content and the download unchanged`() async throws {
        _ = try await directory.install(SamplePackage(in: folder).open(), at: path)
        let download = try directory.downloadFolder(for: "rome")
        let archive = download.appending(path: "archive")
        try Data("no archive".utf8).write(to: archive)

        await #expect(throws: ContentError.self) {
            try await directory.install(.archive(archive, nil), request: request(), at: path)
        }
        #expect(try text("guides/rome/guide.md") == "# Rome\n")
        #expect(try directory.downloads() == ["rome"])
        #expect(try strayPaths().allSatisfy { $0.hasPrefix(".downloads") })
    }

    @Test func `an archive of another version is refused, with or without a manifest`() async throws {
        let sample = try SamplePackage(in: folder)
        let archive = try ZippedPackage(of: sample, at: folder["rome.zip"])
        for fetched in [FetchedContent.archive(archive.url, nil), .archive(archive.url, try archive.manifest())] {
            let error = await #expect(throws: ContentError.self) {
                try await directory.install(fetched, request: request(version: "2.0"), at: path)
            }
            #expect(error?.code == .wrongContent)
        }
        #expect(try directory.contents().isEmpty)
        #expect(try strayPaths().isEmpty)
    }

    @Test func `content that exceeds the free storage is refused before it is unpacked`() async throws {
        let archive = try ZippedPackage(of: SamplePackage(in: folder), at: folder["rome.zip"])
        var manifest = try archive.manifest()
        manifest.files[0].length = .max / 2
        let error = await #expect(throws: ContentError.self) {
            try await directory.install(.archive(archive.url, manifest), request: request(), at: path)
        }

        #expect(error?.code == .noSpace)
        #expect(error?.reason.contains("are free") == true)
        #expect(try strayPaths().isEmpty)
    }

    @Test(arguments: [
        ".staging/x", ".downloads", ".Uses/rome", "CACHEDIR.TAG", "cachedir.tag/x", ".stag\u{200D}ing/x",
        "guides/.ContentInfo.plist", "guides/.contentManifest.plist/rome",
    ])
    func `an installation into a reserved path of the content directory is refused`(name: String) async throws {
        let package = try SamplePackage(in: folder).open()
        let place = try ContentPath(name)
        for isFetched in [true, false] {
            let error = await #expect(throws: ContentError.self) {
                isFetched
                    ? try await directory.install(.package(package), request: request(), at: place)
                    : try await directory.install(package, at: place)
            }
            #expect(error?.code == .invalidPlace)
        }
        #expect(!FileManager.default.fileExists(atPath: directory.url.path()))
    }

    @Test(arguments: [("before", false), ("after", true)])
    func `a download that a killed process had moved away stays until its content is installed`(
        id: String, isInstalled: Bool
    ) async throws {
        _ = try await directory.install(SamplePackage(in: folder).open(), at: path)
        let download = try directory.downloadFolder(for: "rome")
        try Data("received".utf8).write(to: download.appending(path: "archive"))
        let stored = download.deletingLastPathComponent()
        var status = stat()
        let result = stat(folder["content/guides/rome"].path(), &status)
        try #require(result == 0)
        let number = UInt64(status.st_ino)
        // The process has ended before or after the new content took its place.
        try folder.write("guides/rome", to: "content/.staging/abandoned/Path")
        try folder.write("\(isInstalled ? number : number + 1)", to: "content/.staging/abandoned/Number")
        try FileManager.default.moveItem(
            at: stored, to: folder["content/.staging/abandoned/\(stored.lastPathComponent)"])
        try directory.prepareIfPresent()

        #expect(try directory.downloads() == (isInstalled ? [] : ["rome"]))
        let bytes = try? Data(contentsOf: download.appending(path: "archive"))
        #expect(bytes == (isInstalled ? nil : Data("received".utf8)))
        #expect(try directory.installedContent(at: path)?.version == "1.0")
        #expect(!FileManager.default.fileExists(atPath: folder["content/.staging"].path()))
    }

    @Test func `a download that a killed process had moved away does not replace a newer one`() async throws {
        let download = try directory.downloadFolder(for: "rome")
        try Data("old".utf8).write(to: download.appending(path: "archive"))
        let stored = download.deletingLastPathComponent()
        try folder.write("guides/rome", to: "content/.staging/abandoned/Path")
        try FileManager.default.copyItem(
            at: stored, to: folder["content/.staging/abandoned/\(stored.lastPathComponent)"])
        try Data("new".utf8).write(to: download.appending(path: "archive"))
        try directory.prepareIfPresent()

        #expect(try text(".downloads/\(stored.lastPathComponent)/parts/archive") == "new")
        #expect(!FileManager.default.fileExists(atPath: folder["content/.staging"].path()))
    }

    @Test func `an install path blocked by a file is refused, and the download is retained`() async throws {
        let download = try directory.downloadFolder(for: "rome")
        let archive = try ZippedPackage(of: SamplePackage(in: folder), at: download.appending(path: "archive"))
        try folder.write("in the way", to: "content/guides")
        let error = await #expect(throws: ContentError.self) {
            try await directory.install(.archive(archive.url, nil), request: request(), at: path)
        }

        #expect(error?.code == .invalidPlace)
        #expect(try directory.downloads() == ["rome"])
        #expect(FileManager.default.fileExists(atPath: archive.url.path()))
    }
}
