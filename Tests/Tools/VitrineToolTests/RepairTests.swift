import Foundation
import Testing
import VitrineTestSupport

/// Installed content with missing or changed files, and the files that are downloaded again.
@Suite(.blocksThreads, .hangLimit) struct RepairTests {
    private let scene: DownloadScene
    private var tool: Tool { scene.tool }

    init() async throws {
        scene = try await DownloadScene("Rome", "Athens", withFiles: true)
        for name in ["rome", "athens"] { #expect(try tool.run("buy", .voyager(name)).status == 0) }
    }

    private func installed(_ path: String) -> URL { tool.home.appending(path: "HostedContent/guides/\(path)") }

    private func packed(_ path: String) throws -> Data { try Data(contentsOf: tool.folder["packages/\(path)"]) }

    /// Returns the path of a separate file of a package on the server.
    private func path(ofFile path: String) throws -> String {
        let (files, wanted) = (tool.folder["out/files"], try packed(path))
        let names = try FileManager.default.contentsOfDirectory(atPath: files.path())
        let name = try names.first { try Data(contentsOf: files.appending(path: $0)) == wanted }
        return "/files/\(try #require(name))"
    }

    /// Runs a command, and returns its requests to the server.
    private func requested(by arguments: String...) throws -> [String] {
        let asked = scene.server.requests.count
        #expect(try tool.run(arguments).status == 0)
        return requested(after: asked)
    }

    private func requested(after count: Int) -> [String] { scene.server.requests.dropFirst(count).map(\.path) }

    @Test func `vitrine content repair downloads only the damaged file if the server has individual files`() throws {
        try Data("# Rome!".utf8).write(to: installed("rome/guide.md"))
        let requested = try requested(by: "content", "repair")

        #expect(requested == ["/com.example.voyager.rome-1.0.plist", try path(ofFile: "Rome/Contents/guide.md")])
        #expect(try tool.run("content", "check").status == 0)
        #expect(try Data(contentsOf: installed("rome/guide.md")) == packed("Rome/Contents/guide.md"))
    }

    @Test func `downloading a new version of content fetches only the files that have changed`() throws {
        try Data("# Roma\n".utf8).write(to: tool.folder["packages/Rome/Contents/guide.md"])
        let info = tool.folder["packages/Rome/ContentInfo.plist"]
        let next = try String(contentsOf: info, encoding: .utf8).replacing("1.0</string>", with: "1.1</string>")
        try Data(next.utf8).write(to: info)
        try scene.pack("Rome")
        let requested = try requested(by: "content", "download", "--all")

        let changed = try ["Rome/ContentInfo.plist", "Rome/Contents/guide.md"].map { try path(ofFile: $0) }
        #expect(requested.first == "/com.example.voyager.rome-1.1.plist")
        #expect(requested.dropFirst().sorted() == changed.sorted())
        #expect(try tool.run("content", "check").lines.first == "com.example.voyager.rome: intact, version 1.1")
        #expect(try Data(contentsOf: installed("rome/maps/tiles")) == packed("Rome/Contents/maps/tiles"))
    }

    @Test func `vitrine content repair does not start with the next product after Ctrl-C`() throws {
        try Data("no tiles".utf8).write(to: installed("rome/maps/tiles"))
        try Data("# Athens!".utf8).write(to: installed("athens/guide.md"))
        scene.set(.stalling)
        let asked = scene.server.requests.count
        let (process, errors) = try tool.startReadingErrors("content", "repair", .voyager("rome"), .voyager("athens"))
        try errors.wait(for: DownloadScene.stalledProgress)
        kill(process.processIdentifier, SIGINT)
        process.waitUntilExit()

        #expect(process.terminationReason == .exit)
        #expect(process.terminationStatus == 2)
        #expect(!requested(after: asked).contains { $0.contains("athens") })
        let check = try tool.run("content", "check")
        #expect(check.lines.count { $0.contains("changed since it was installed") } == 2, "\(check.lines)")
    }
}
