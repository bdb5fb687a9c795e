import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)), .enabled(if: PeerTool.python.isInstalled, "python3 is not installed"))
struct ReadmeRemoteTests {
    /// A command of the README, and what it prints there.
    private struct Step {
        let command: String
        var output: [String] = []
    }

    /// The block that begins with Python's server.
    private static func steps() throws -> [Step] {
        let readme = try String(contentsOf: Repository.file("README.md"), encoding: .utf8)
        let start = try #require(readme.range(of: "$ python3 -m http.server"))
        let block = readme[start.lowerBound...].prefix { $0 != "`" }
        return block.split(separator: "\n").reduce(into: []) { steps, line in
            if line.hasPrefix("$ ") {
                steps.append(Step(command: String(line.dropFirst(2))))
            } else {
                steps[steps.count - 1].output.append(String(line))
            }
        }
    }

    /// The line with its times left out, and its port the README's.
    private static func timeless(_ line: String, port: Substring) -> String {
        line.replacing(port, with: "8000")
            .replacing(#/[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9:]{8} UTC/#, with: "TIME")
            .replacing(#/[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9:]{8} GMT/#, with: "TIME")
    }

    @Test func `Python's server is enough for the README's example`() throws {
        let tool = try Tool()
        for name in ["Catalogs", "HostedContent"] {
            try FileManager.default.copyItem(at: Repository.file(name), to: tool.folder[name])
        }
        let steps = try Self.steps()
        #expect(steps.count == 4)
        let command = try #require(steps.first).command.split(separator: " ").dropLast().map(String.init)
        let server = Process()
        let output = Pipe()
        server.executableURL = URL(filePath: "/usr/bin/env")
        server.arguments = ["python3", "-u"] + command.dropFirst().map { $0 == "8000" ? "0" : $0 }
        server.currentDirectoryURL = tool.folder.url
        server.standardOutput = output
        server.standardError = FileHandle.nullDevice
        try server.run()
        // What begins in a test begins with signals blocked.
        defer { kill(server.processIdentifier, SIGKILL) }
        let greeting = try LineReader(output.fileHandleForReading).line(with: "Serving HTTP")
        let port = try #require(greeting.firstMatch(of: #/port ([0-9]+)/#)?.1)

        for step in steps.dropFirst() {
            let arguments = step.command.split(separator: " ").dropFirst().map { $0.replacing("8000", with: port) }
            let result = try tool.run(arguments.map(String.init))
            #expect(result.status == 0, "\(result.errors)")
            #expect(
                result.lines.map { Self.timeless($0, port: port) }
                    == step.output.map { Self.timeless($0, port: "8000") })
        }
    }
}
