import Foundation
import Testing
import VitrineTestSupport

/// Real browser, controlled by `Tests/Peers/preview.py`.
enum PreviewPeer {
    /// Input of the script, whose docstring explains the fields.
    struct Question: Encodable, Sendable {
        var url: URL?
        var chromium = "/usr/bin/chromium"
        var catalog: String?
        var count: Int?
        var texts: [String]?
        var files: [String]?
    }

    private struct Answer: Decodable, Sendable {
        struct Check: Decodable, Sendable {
            let id, note: String
            let ok: Bool
        }

        let checks: [Check]
    }

    /// `true` if the browser and its driver are installed.
    static var isInstalled: Bool { PeerTool.pythonWithPeers.isInstalled && PeerTool.chromium.isInstalled }
    static let missing: Comment = "Chromium is not installed, or Scripts/peers was not run"

    /// Runs a command of the script in the browser, and expects that all of its checks succeed.
    static func expect(_ command: String, _ question: Question) async throws {
        var question = question
        question.chromium = try PeerTool.shell.run("-c", "command -v chromium").output
            .trimmingCharacters(in: .whitespacesAndNewlines)
        let input = try JSONEncoder().encode(question)
        let script = Repository.file("Tests/Peers/preview.py").path(percentEncoded: false)
        let result = try PeerTool.pythonWithPeers.run(script, command, input: input)
        try #require(result.status == 0, "\(command): \(result.output)")
        let answer = try JSONDecoder().decode(Answer.self, from: Data(result.output.utf8))
        #expect(!answer.checks.isEmpty)
        for check in answer.checks { #expect(check.ok, "\(check.id): \(check.note)") }
    }
}
