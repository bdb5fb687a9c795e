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
        // The tool does the same by itself.
        #expect(try scene.sync(".vitrine").status == 0)
    }
}
