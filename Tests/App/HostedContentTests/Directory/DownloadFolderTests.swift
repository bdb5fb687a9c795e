import Foundation
import Testing
import VitrineCatalog
import VitrineHostedContent
import VitrineTestSupport

/// Folders for downloads of content.
@Suite(.hangLimit) struct DownloadFolderTests {
    private let folder: TemporaryFolder
    private let directory: ContentDirectory

    init() throws {
        folder = try TemporaryFolder()
        directory = ContentDirectory(url: folder["content"])
    }

    @Test func `the download folder of a product persists inside the directory that backups exclude`() throws {
        let first = try directory.downloadFolder(for: "rome")
        try Data("half".utf8).write(to: first.appending(path: "part"))
        let again = try directory.downloadFolder(for: "rome")

        #expect(again == first)
        #expect(try Data(contentsOf: again.appending(path: "part")) == Data("half".utf8))
        #expect(first.path().hasPrefix(directory.url.path()))
        #expect(try directory.downloads() == ["rome"])
        #if os(Linux)
            #expect(FileManager.default.fileExists(atPath: folder["content/CACHEDIR.TAG"].path()))
        #endif
    }

    @Test(arguments: ["a", "../../x", "/", "con", "a\u{301}", "x y\n", String(repeating: "ü", count: 2048)])
    func `a product identifier with any characters has its own download folder`(product: String) throws {
        let own = try directory.downloadFolder(for: product)
        let other = try directory.downloadFolder(for: product + "2".prefix(product.utf8.count > 4000 ? 0 : 1))

        #expect(try paths(in: own).isEmpty)
        #expect(own.pathComponents.dropLast(2) == other.pathComponents.dropLast(2))
        #expect(try directory.downloads().contains(product))
    }

    @Test(arguments: ["", String(repeating: "x", count: 4097)])
    func `an empty or too long product identifier has no download folder`(product: String) {
        #expect(throws: ContentError.self) { try directory.downloadFolder(for: product) }
    }

    @Test func `removing a download deletes its files and no other download`() throws {
        try directory.removeDownload(for: "rome")
        let download = try directory.downloadFolder(for: "rome")
        try Data("half".utf8).write(to: download.appending(path: "part"))
        _ = try directory.downloadFolder(for: "oslo")
        try directory.removeDownload(for: "rome")

        #expect(try directory.downloads() == ["oslo"])
        try directory.removeDownload(for: "oslo")
        #expect(try paths(in: directory.url) == ["CACHEDIR.TAG"])
    }

    @Test func `download folders of unknown products are removed unless they are locked`() throws {
        for product in ["rome", "oslo", "athens"] { _ = try directory.downloadFolder(for: product) }
        let lock = try ForeignLock(directory.downloadFolder(for: "oslo"))

        #expect(try directory.removeDownloads(exceptFor: ["rome"]) == ["athens"])
        lock.release()
        #expect(try directory.removeDownloads(exceptFor: ["rome"]) == ["oslo"])
        #expect(try directory.downloads() == ["rome"])
    }

    @Test(arguments: ["", "other", "rome\n"])
    func `a download folder whose product name is invalid is removed at the next launch`(said: String) throws {
        let download = try directory.downloadFolder(for: "rome")
        _ = try directory.downloadFolder(for: "oslo")
        try Data(said.utf8).write(to: download.deletingLastPathComponent().appending(path: "Product"))
        try folder.write("x", to: "content/.downloads/stray")
        try directory.prepareIfPresent()

        #expect(try directory.downloads() == ["oslo"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder["content/.downloads"].path()).count == 1)
    }

    @Test func `a symbolic link in place of the downloads folder is removed and not followed`() throws {
        try folder.write("precious", to: "outside/file")
        _ = try directory.downloadFolder(for: "rome")
        try FileManager.default.removeItem(at: folder["content/.downloads"])
        try FileManager.default.createSymbolicLink(
            at: folder["content/.downloads"], withDestinationURL: folder["outside"])
        try directory.prepareIfPresent()
        _ = try directory.downloadFolder(for: "rome")

        #expect(try paths(in: folder["outside"]) == ["file"])
    }

    @Test func `downloads can be listed while their folder is moved away concurrently`() async throws {
        _ = try directory.downloadFolder(for: "rome")
        let (downloads, aside) = (folder["content/.downloads"].path(), folder["aside"].path())
        let mover = Task {
            while !Task.isCancelled {
                #expect(rename(downloads, aside) == 0)
                #expect(rename(aside, downloads) == 0)
                await Task.yield()
            }
        }
        defer { mover.cancel() }
        for _ in 0..<3_000 {
            #expect([[], ["rome"]].contains(try directory.downloads()))
            await Task.yield()
        }
        mover.cancel()
        await mover.value

        #expect(try directory.downloads() == ["rome"])
    }
}
