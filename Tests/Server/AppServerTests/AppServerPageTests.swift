import Foundation
import Testing
import VitrineTestSupport

/// Shell commands in AppServer.md that turn a purchase into an entitlement.
@Suite(.blocksThreads, .hangLimit) struct AppServerPageTests {
    private static let hasPrograms =
        (try? PeerTool.shell.run("-c", "command -v curl && command -v jq"))?.status == 0

    @Test(.enabled(if: hasPrograms, "curl or jq is not installed"))
    func `the five shell lines in AppServer.md report a purchase to the server and read the credited balance`() throws {
        let scene = try EndToEndScene()
        let page = try String(contentsOf: Repository.file("Documentation/AppServer.md"), encoding: .utf8)
        let lines = try #require(
            page.components(separatedBy: "```\n").first { $0.hasPrefix("C=$(curl") && $0.contains("/v1/me/state") }
        )
        #expect(lines.split(separator: "\n").count == 5)
        let address = try #require(scene.url.absoluteString.components(separatedBy: "//").last)
        try scene.folder.write(lines.replacing("localhost:8080", with: address), to: "lines.sh")
        let shell = try StartedProcess("sh", ["-e", "lines.sh"], in: scene.folder).answer()
        #expect(shell.status == 0, "\(shell.errors)")
        // The store's notification may have been faster.
        let answer = shell.output.firstMatch(of: /\{"results":\[\{"result":"(accepted|known)"\}\]\}/)
        #expect(answer != nil, "\(shell.output)")
        #expect(shell.output.contains(#""wallets":{"coins":50}"#), "\(shell.output)")
        // The tool does the same by itself, and leaves nothing over.
        let synced = try scene.sync(".vitrine")
        #expect(synced.status == 0)
        #expect(!synced.output.contains("left for the next exchange"), "\(synced.output)")
        #expect(try scene.coins(".vitrine") == 50)
    }

    @Test func `the shell lines about the server in the README leave the device and the server with one balance`()
        async throws
    {
        let scene = try EndToEndScene()
        let readme = try String(contentsOf: Repository.file("README.md"), encoding: .utf8)
        let block = try #require(
            readme.components(separatedBy: "```\n").first { $0.hasPrefix("vitrine init ") && $0.contains("--server") })
        let lines = block.split(separator: "\n")
        #expect(lines.count == 6)
        // The scene has set up the home.
        let script = lines.dropFirst().joined(separator: "\n")
            .replacing("http://localhost:8080", with: scene.url.absoluteString)
        try scene.folder.write(script, to: "lines.sh")
        let shell = try StartedProcess("sh", ["-e", "lines.sh"], in: scene.folder).answer()

        #expect(shell.status == 0, "\(shell.errors)")
        #expect(!shell.output.contains("left for the next exchange"), "\(shell.output)")
        #expect(shell.output.hasSuffix("coins   30\n"), "\(shell.output)")
        #expect(try await scene.enroll("watch").customerState().wallets["coins"] == 30)
        #expect(readme.contains("The device and the server now have 30 coins."))
    }

    @Test(.enabled(if: hasPrograms, "curl or jq is not installed"))
    func `the shell lines in AppServer.md refund a purchase, and the store's notification revokes it at the server`()
        async throws
    {
        let scene = try EndToEndScene()
        let watch = try await scene.enroll("watch")
        try scene.buy("coins50", ".vitrine")
        _ = try await watch.wait { $0.wallets["coins"] == 50 }
        let page = try String(contentsOf: Repository.file("Documentation/AppServer.md"), encoding: .utf8)
        let lines = try #require(page.components(separatedBy: "```\n").first { $0.hasPrefix("N=$(vitrine") })
            .split(separator: "\n")
        #expect(lines.count == 4 && lines[3].hasPrefix("curl "))
        #expect(
            page.contains("\nvitrine store webhook http://localhost:8080/v1/apple/notifications/\(EndToEndScene.app)\n")
        )
        try scene.folder.write(lines[..<3].joined(separator: "\n"), to: "lines.sh")
        let shell = try StartedProcess("sh", ["-e", "lines.sh"], in: scene.folder).answer()
        #expect(shell.status == 0, "\(shell.errors)")
        #expect(shell.output.contains("REFUND"), "\(shell.output)")
        #expect(try await watch.wait { $0.wallets["coins"] == 0 }.wallets["coins"] == 0)
    }
}
