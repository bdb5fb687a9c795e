import Foundation
import Testing
import VitrineTestSupport

/// Example of `Documentation/Loading.md`: a catalog on Python's web server.
@Suite(.blocksThreads, .hangLimit, .enabled(if: PeerTool.python.isInstalled, "python3 is not installed"))
struct LoadingPageTests {
    /// Returns the line with placeholders for its times, and with the port of the page.
    private static func timeless(_ line: String, port: Substring) -> String {
        line.replacing(port, with: "8000")
            .replacing(#/[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9:]{8} UTC/#, with: "TIME")
            .replacing(#/[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9:]{8} GMT/#, with: "TIME")
    }

    @Test func `the example of the documentation page about loading works with Python's web server`() throws {
        let tool = try Tool()
        try DocumentedSession.copySamples(to: tool)
        let steps = try DocumentedSession(page: "Documentation/Loading.md", from: "python3 -m http.server").steps
        #expect(steps.count == 4)
        let arguments = try #require(steps.first).arguments.dropLast()
        let server = Process()
        let output = Pipe()
        server.executableURL = URL(filePath: "/usr/bin/env")
        server.arguments = ["python3", "-u"] + arguments.map { $0 == "8000" ? "0" : $0 }
        server.currentDirectoryURL = tool.folder.url
        server.standardOutput = output
        server.standardError = FileHandle.nullDevice
        try server.run()
        // A process that is started by a test has its signals blocked, so SIGTERM would not end it.
        defer { kill(server.processIdentifier, SIGKILL) }
        let greeting = try LineReader(output.fileHandleForReading).line(with: "Serving HTTP")
        let port = try #require(greeting.firstMatch(of: #/port ([0-9]+)/#)?.1)

        for step in steps.dropFirst() {
            let result = try tool.run(step.arguments.map { $0.replacing("8000", with: port) })
            #expect(result.status == 0, "\(result.errors)")
            #expect(
                result.lines.map { Self.timeless($0, port: port) }
                    == step.output.map { Self.timeless($0, port: "8000") })
        }
    }
}
