import Foundation
import Testing
import VitrineTestSupport

/// Content that the tool downloads from a real web server.
@Suite(.blocksThreads, .hangLimit) struct DownloadTests {
    private let scene: DownloadScene
    private var tool: Tool { scene.tool }
    private var server: ContentServer { scene.server }

    init() async throws { scene = try await DownloadScene("Rome") }

    private var rome: URL { tool.home.appending(path: "HostedContent/guides/rome") }

    private func isInstalled() throws -> Bool {
        try Data(contentsOf: rome.appending(path: "maps/tiles"))
            == Data(contentsOf: tool.folder["packages/Rome/Contents/maps/tiles"])
    }

    private func transactions() throws -> [String] { Array(try tool.run("store", "transactions").lines.dropFirst()) }

    private func leftovers() throws -> [String] {
        try tool.files().keys.filter { $0.contains("HostedContent/.") }
    }

    /// Buys the guide, and calls a function while the download is stalled half-way.
    private func buyingWhenStalled(_ body: (Process) -> Void) throws -> Int32 {
        scene.set(.stalling)
        let (process, errors) = try tool.startReadingErrors("buy", .voyager("rome"))
        try errors.wait(for: DownloadScene.stalledProgress)
        body(process)
        process.waitUntilExit()
        scene.set(nil)
        return process.terminationStatus
    }

    @Test func `a purchase downloads content in parts, installs it, and then finishes the transaction`() throws {
        let bought = try tool.run("buy", .voyager("rome"))

        #expect(bought.output == "bought com.example.voyager.rome (transaction 1)\n")
        #expect(bought.errors.hasSuffix("vitrine: com.example.voyager.rome: finished\n"))
        #expect(try isInstalled())
        #expect(try transactions().allSatisfy { $0.hasSuffix(" finished") })
        #expect(try leftovers().isEmpty)
        // The first asks, before the purchase, whether the archive is there.
        #expect(server.requests.compactMap { $0.headers["range"] }.count == 4)
        #expect(try tool.run("history").output.contains("content"))
        #expect(try tool.run("content", "download", .voyager("rome")).status == 0)
        #expect(server.requests.compactMap { $0.headers["range"] }.count == 4)
    }

    @Test func `a download whose process is killed is resumed by the next command without starting over`() throws {
        _ = try buyingWhenStalled { kill($0.processIdentifier, SIGKILL) }
        #expect(!FileManager.default.fileExists(atPath: rome.path()))
        #expect(try tool.run("load").status == 0)

        #expect(try tool.run("content").lines[1].hasSuffix("  installed"))
        #expect(try isInstalled())
        #expect(try transactions().allSatisfy { $0.hasSuffix(" finished") })
        #expect(Double(server.sent) < 1.2 * Double(DownloadScene.length))
        #expect(try leftovers().isEmpty)
    }

    @Test
    func `an incomplete download of a killed process can be listed and canceled without waiting for the download`()
        throws
    {
        _ = try buyingWhenStalled { kill($0.processIdentifier, SIGKILL) }
        scene.set(.stalling)
        #expect(try tool.run("content").lines[1].contains("not installed"))
        #expect(try tool.run("content", "check").lines == ["no content is installed"])
        #expect(try tool.run("content", "path", .voyager("rome")).status == 1)
        let cancelled = try tool.run("content", "cancel", .voyager("rome"))
        #expect(cancelled.lines == ["com.example.voyager.rome: cancelled"], "\(cancelled.errors)")
        #expect(try !leftovers().contains { $0.contains("archive") })
        scene.set(nil)
        #expect(try tool.run("load").status == 0)
        #expect(!FileManager.default.fileExists(atPath: rome.path()))
        #expect(try transactions().allSatisfy { $0.hasSuffix(" finished") })

        #expect(try tool.run("content", "download", .voyager("rome")).status == 0)
        #expect(try isInstalled())
    }

    @Test func `a product whose content is missing on the server is not sold`() throws {
        scene.set(.missing)
        let bought = try tool.run("buy", .voyager("rome"))
        #expect(bought.status == 1)
        #expect(
            bought.output.hasPrefix(
                "not bought: com.example.voyager.rome is not offered: its content cannot be used: http://"))
        #expect(bought.output.hasSuffix(": the server answered with the status 404\n"), "\(bought.output)")
        #expect(try transactions().isEmpty)

        scene.set(nil)
        #expect(try tool.run("buy", .voyager("rome")).status == 0)
        #expect(try isInstalled())
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func `vitrine load --watch exits at the first signal after it has downloaded content`(signal: Int32) throws {
        _ = try buyingWhenStalled { kill($0.processIdentifier, SIGKILL) }
        let (process, errors) = try tool.startReadingErrors("load", "--watch")
        try errors.wait(for: "com.example.voyager.rome: finished")
        kill(process.processIdentifier, signal)
        process.waitUntilExit()

        #expect(process.terminationReason == .exit)
        #expect(process.terminationStatus == 0)
        #expect(try isInstalled())
    }

    @Test func `vitrine load --watch exits at the first signal during a download and pauses the download`() throws {
        _ = try buyingWhenStalled { kill($0.processIdentifier, SIGKILL) }
        scene.set(.stalling)
        let (process, errors) = try tool.startReadingErrors("load", "--watch")
        try errors.wait(for: DownloadScene.stalledProgress)
        kill(process.processIdentifier, SIGTERM)
        process.waitUntilExit()
        scene.set(nil)

        #expect(process.terminationReason == .exit)
        #expect(try tool.run("content").lines[1].contains("paused"))
    }

    @Test func `Ctrl-C pauses a download, and content resume continues it from the same position`() throws {
        #expect(try buyingWhenStalled { kill($0.processIdentifier, SIGINT) } == 2)
        let paused = try tool.run("content")
        #expect(paused.lines[1].contains("not installed; paused, 4.5 MB of 9.0 MB"), "\(paused.lines)")
        #expect(try transactions().allSatisfy { $0.hasSuffix("unfinished") })
        let asked = server.requests.count

        let resumed = try tool.run("content", "resume")
        #expect(resumed.status == 0)
        #expect(resumed.lines == ["com.example.voyager.rome: installed in \(rome.path(percentEncoded: false))"])
        #expect(try isInstalled())
        #expect(try transactions().allSatisfy { $0.hasSuffix(" finished") })
        let ranges = server.requests.dropFirst(asked).compactMap { $0.headers["range"] }
        #expect(ranges.first.map { !$0.hasPrefix("bytes=0-") } == true)
        #expect(try tool.run("content", "resume").lines == ["no download was interrupted"])
    }

    @Test func `Ctrl-C before the first byte pauses a download, and vitrine load does not restart it`() async throws {
        scene.set(.silent)
        let (process, errors) = try tool.startReadingErrors("buy", .voyager("rome"), "--verbose")
        try errors.wait(for: "download updated: \(String.voyager("rome")) (state active): 0 bytes")
        await server.arrival()
        kill(process.processIdentifier, SIGINT)
        process.waitUntilExit()
        #expect(process.terminationReason == .exit)
        #expect(process.terminationStatus == 2)
        #expect(server.sent == 0)
        scene.set(nil)

        let asked = server.requests.count
        #expect(try tool.run("load").status == 0)
        #expect(server.requests.count == asked)
        #expect(try tool.run("content", "resume").status == 0)
        #expect(try isInstalled())
        #expect(try transactions().allSatisfy { $0.hasSuffix(" finished") })
    }

    @Test func `a canceled download leaves no partial archive and restarts only on request`() throws {
        #expect(try buyingWhenStalled { kill($0.processIdentifier, SIGINT) } == 2)
        let cancelled = try tool.run("content", "cancel", .voyager("rome"))
        #expect(cancelled.lines == ["com.example.voyager.rome: cancelled"], "\(cancelled.errors)")
        #expect(try !leftovers().contains { $0.contains("archive") })
        let asked = server.requests.count
        #expect(try tool.run("load").status == 0)
        #expect(server.requests.count == asked)
        #expect(try transactions().allSatisfy { $0.hasSuffix(" finished") })

        #expect(try tool.run("content", "download", "--all").status == 0)
        #expect(try isInstalled())
        #expect(try tool.run("content", "cancel", .voyager("rome")).status == 1)
    }

    @Test
    func `vitrine content remove during a paused download cancels it, and vitrine retry downloads the content again`()
        throws
    {
        #expect(try buyingWhenStalled { kill($0.processIdentifier, SIGINT) } == 2)
        let rome = String.voyager("rome")
        let removed = try tool.run("content", "remove", rome)
        #expect(removed.lines == ["\(rome): nothing was installed; the download was cancelled"], "\(removed.errors)")
        #expect(try leftovers().isEmpty)

        #expect(try tool.run("retry").status == 0)
        #expect(try isInstalled())
        #expect(try transactions().allSatisfy { $0.hasSuffix(" finished") })
    }

    @Test
    func `a transaction stays unfinished while its content is missing on the server, and a later retry finishes it`()
        throws
    {
        _ = try buyingWhenStalled { kill($0.processIdentifier, SIGKILL) }
        scene.set(.missing)
        let retried = try tool.run("retry")
        #expect(retried.status == 2)
        #expect(retried.output.contains("the content is not installed"))
        #expect(retried.output.contains("404"))
        #expect(try transactions().allSatisfy { $0.hasSuffix("unfinished") })

        scene.set(nil)
        #expect(try tool.run("retry").status == 0)
        #expect(try isInstalled())
        #expect(try transactions().allSatisfy { $0.hasSuffix(" finished") })
    }

    @Test func `damaged content is detected and repaired, and removed content can be downloaded again`() throws {
        try tool.run("buy", .voyager("rome"))
        #expect(try tool.run("content", "check").lines == ["com.example.voyager.rome: intact, version 1.0"])
        try Data("# Rome!".utf8).write(to: rome.appending(path: "guide.md"))
        let check = try tool.run("content", "check")
        #expect(check.status == 1)
        #expect(check.lines == ["com.example.voyager.rome: changed since it was installed: guide.md has changed"])

        #expect(try tool.run("content", "repair").status == 0)
        #expect(try tool.run("content", "check").status == 0)
        #expect(try tool.run("content", "remove", .voyager("rome")).lines == ["com.example.voyager.rome: removed"])
        #expect(try tool.run("content", "path", .voyager("rome")).status == 1)
        #expect(try tool.run("content", "download", "--json", .voyager("rome")).status == 0)
        #expect(try isInstalled())
    }
}
