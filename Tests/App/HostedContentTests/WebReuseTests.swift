import Foundation
import Testing
import VitrineHostedContent
import VitrineNetworking
import VitrineTestSupport

/// Updates of content whose versions share files, from a server that also serves each file separately.
@Suite(.hangLimit) struct WebReuseTests {
    private let installed: TemporaryFolder
    private static let map = Data.random(300_000)
    private static let guide = Data.random(50_000, seed: 9)
    private static let info = Data(
        PlistText.document(
            """
            <dict><key>IAPProductIdentifier</key><string>rome</string>
            <key>ContentVersion</key><string>2.0</string></dict>
            """
        ).utf8)
    private static let archive = Data.random(200_000, seed: 10)

    init() throws {
        installed = try TemporaryFolder()
        try Self.map.write(to: installed["map"])
    }

    private static func file(_ path: String, _ data: Data, isExecutable: Bool = false) -> ContentManifest.File {
        ContentManifest.File(
            path: path, isExecutable: isExecutable, length: data.count, digest: data.digestText)
    }

    private static let manifest = ContentManifest(
        productIdentifier: "rome", version: "2.0",
        archive: .init(name: "rome.zip", length: archive.count, digest: archive.digestText),
        files: [
            file("ContentInfo.plist", info), file("Contents/guide.md", guide),
            file("Contents/maps/forum.svg", map, isExecutable: true), file("Contents/maps/old/forum.svg", map),
            file("Contents/texts/guide.md", guide),
        ], emptyFolders: ["Contents/notes"], filesFolder: "files")

    private func server(
        of manifest: ContentManifest = manifest, hasFiles: Bool = true,
        fault: @escaping @Sendable (Int, RangeReply) -> ContentServer.Answer? = { _, _ in nil }
    ) async throws -> ContentServer {
        let manifest = Data(try manifest.bytes())
        let files = (hasFiles ? [Self.map, Self.guide, Self.info] : []).map { ("/files/\($0.digestText)", $0) }
        let all = Dictionary(
            files + [("/rome.plist", manifest), ("/rome.zip", Self.archive)], uniquingKeysWith: { $1 })
        return try await ContentServer({ _, path in all[path].map { ContentServer.File($0) } }, fault: fault)
    }

    private func fetch(
        from server: ContentServer, _ download: WebDownload,
        installedFile: @escaping @Sendable (String) -> URL?
    ) async throws(ContentError) -> FetchedContent {
        let request = ContentRequest(productIdentifier: "rome", urls: [server.url.appending(path: "rome.plist")])
        return try await download.content(installedFile: installedFile).fetch(request, in: download.folder.url) {
            [reported = download.reported] in reported.record($0)
        }
    }

    private func requested(_ server: ContentServer) -> [String] { server.requests.map(\.path) }

    private func expectArchive(_ fetched: FetchedContent) throws {
        guard case .archive(let archive, _) = fetched else {
            Issue.record("it is no archive")
            return
        }
        #expect(try Data(contentsOf: archive) == Self.archive)
    }

    private func expectWhole(_ fetched: FetchedContent) throws {
        guard case .package(let package) = fetched else {
            Issue.record("it is no package")
            return
        }
        for file in Self.manifest.files {
            let url = package.url.appending(path: file.path)
            #expect(try Data(contentsOf: url).digestText == file.digest)
            #expect(FileManager.default.isExecutableFile(atPath: url.path()) == file.isExecutable)
        }
        #expect(
            try paths(in: package.url) == [
                "ContentInfo.plist", "Contents", "Contents/guide.md", "Contents/maps", "Contents/maps/forum.svg",
                "Contents/maps/old", "Contents/maps/old/forum.svg", "Contents/notes", "Contents/texts",
                "Contents/texts/guide.md",
            ])
        #expect(package.info.version == "2.0")
    }

    @Test func `installed files are reused, and the other files are downloaded once each`() async throws {
        let server = try await server()
        let (map, url) = (Self.map.digestText, installed["map"])
        let download = try WebDownload()
        try expectWhole(await fetch(from: server, download) { $0 == map ? url : nil })

        let digests = [Self.info, Self.guide].map { "/files/\($0.digestText)" }
        #expect(requested(server) == ["/rome.plist"] + digests)
        let length = Self.info.count + Self.guide.count
        #expect(download.reported.values.last == ContentProgress(received: length, total: length))
    }

    @Test func `an installed file that was changed is not reused for a new download`() async throws {
        let (map, url) = (Self.map.digestText, installed["map"])
        for (change, path) in [(Data(count: 300_000), "/files/\(map)"), (Data(count: 5), "/rome.zip")] {
            try change.write(to: url)
            let server = try await server()
            let download = try WebDownload()
            let fetched = try await fetch(from: server, download) { $0 == map ? url : nil }
            #expect(requested(server).contains(path))
            if case .package = fetched { try expectWhole(fetched) }
            withExtendedLifetime(download) {}
        }
    }

    @Test(arguments: ["Contents/maps/z.svg", "Contents/texts/z.md"])
    func `a file that a manifest lists with the digest of a longer one is not copied, and the archive is downloaded`(
        path: String
    ) async throws {
        let longer = path.hasSuffix("svg") ? Self.map : Self.guide
        var manifest = Self.manifest
        manifest.files.append(ContentManifest.File(path: path, length: 0, digest: longer.digestText))
        let server = try await server(of: manifest)
        let (map, url) = (Self.map.digestText, installed["map"])
        let download = try WebDownload()
        let fetched = try await fetch(from: server, download) { $0 == map ? url : nil }
        try expectArchive(fetched)
        #expect(try download.names == ["archive.part", "state"])
    }

    @Test func `the whole archive is downloaded if no installed file can be reused`() async throws {
        let server = try await server()
        let download = try WebDownload()
        let fetched = try await fetch(from: server, download) { _ in nil }
        guard case .archive(let url, let manifest) = fetched else {
            Issue.record("it is no archive")
            return
        }
        #expect(try Data(contentsOf: url) == Self.archive)
        #expect(manifest == Self.manifest)
        #expect(try download.names == ["archive.part", "state"])
        #expect(requested(server) == ["/rome.plist", "/rome.zip"])
    }

    @Test func `an interrupted download of separate files continues with the incomplete file`() async throws {
        let server = try await server { number, reply in
            (2...6).contains(number) ? reply.broken(after: number == 2 ? 10_000 : 0, then: .close) : nil
        }
        let (map, url) = (Self.map.digestText, installed["map"])
        let download = try WebDownload()
        await #expect(throws: ContentError.self) {
            _ = try await fetch(from: server, download) { $0 == map ? url : nil }
        }
        try FileManager.default.removeItem(at: url)
        try expectWhole(await fetch(from: server, download) { $0 == map ? url : nil })
        #expect(server.requests.last?.headers["range"] == "bytes=10000-49999")
    }

    @Test func `an interrupted download of the archive continues after its bytes if the server has no separate files`()
        async throws
    {
        let server = try await server(hasFiles: false) { number, reply in
            (2...6).contains(number) ? reply.broken(after: number == 2 ? 10_000 : 0, then: .close) : nil
        }
        let (map, url) = (Self.map.digestText, installed["map"])
        let download = try WebDownload()
        await #expect(throws: ContentError.self) {
            _ = try await fetch(from: server, download) { $0 == map ? url : nil }
        }
        let count = server.requests.count
        try expectArchive(await fetch(from: server, download) { $0 == map ? url : nil })
        let last = Array(requested(server).dropFirst(count))
        #expect(last == ["/rome.plist", "/files/\(Self.info.digestText)", "/rome.zip"])
        #expect(server.requests.last?.headers["range"] == "bytes=10000-199999")
    }

    @Test func `partial files of another version are removed when the download of a new version begins`() async throws {
        let server = try await server { number, reply in number > 1 ? reply.broken(after: 0, then: .close) : nil }
        let (map, url) = (Self.map.digestText, installed["map"])
        let download = try WebDownload()
        let (old, stored) = (Self.archive.digestText, Self.guide.digestText)
        try download.folder.write("half", to: "files/\(old)/archive.part")
        try download.folder.write("half", to: "files/\(stored)/archive.part")
        await #expect(throws: ContentError.self) {
            _ = try await fetch(from: server, download) { $0 == map ? url : nil }
        }

        let files = download.folder["files"]
        #expect(try FileManager.default.contentsOfDirectory(atPath: files.path()) == [stored])
    }

    @Test func `an assembled package with a symbolic link is discarded, and the whole archive is downloaded`()
        async throws
    {
        let server = try await server()
        let (map, url) = (Self.map.digestText, installed["map"])
        let download = try WebDownload()
        let contents = "package-\(Self.archive.digestText)/Contents"
        try download.folder.write("# Rome", to: "\(contents)/other.md")
        try FileManager.default.createSymbolicLink(
            at: download.folder["\(contents)/link"], withDestinationURL: download.folder["\(contents)/other.md"])
        try expectArchive(await fetch(from: server, download) { $0 == map ? url : nil })
        #expect(try download.names == ["archive.part", "state"])
    }
}
