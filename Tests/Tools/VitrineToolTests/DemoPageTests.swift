import Foundation
import Testing
import VitrineTestSupport

/// Page `Documentation/Demo.md`, which must show the commands of `Scripts/demo`.
@Suite(.blocksThreads, .hangLimit) struct DemoPageTests {
    private static func session() throws -> DocumentedSession {
        try DocumentedSession(page: "Documentation/Demo.md", from: "vitrine init")
    }

    /// Returns the exit status and command of each line of the script that runs a command.
    private static func script() throws -> [(status: Int32, command: String)] {
        try String(contentsOf: Repository.file("Scripts/demo"), encoding: .utf8)
            .replacing("\\\n    ", with: "").split(separator: "\n")
            .compactMap { $0.wholeMatch(of: /expect (?<status>[0-9]+) (?<command>.+)/) }
            .map { (Int32($0.status) ?? -1, String($0.command)) }
    }

    /// Returns the line with a difference added to each transaction number.
    private static func renumbered(_ line: String, by difference: Int) -> String {
        line.replacing(/[0-9]{7,}/) { String((Int($0.0) ?? 0) + difference) }
    }

    /// Returns a line without dates and without the padding of its columns, which depends on the store's numbers.
    private static func dateless(_ line: String) -> String {
        line.replacing(/[0-9]{4}-[0-9]{2}-[0-9]{2}/, with: "DATE").replacing(/[ ]{2,}/, with: "  ")
    }

    @Test func `the demo page lists the same commands as the demo script`() throws {
        let (steps, script) = (try Self.session().steps, try Self.script())

        #expect(steps.count == script.count)
        for (step, line) in zip(steps, script) where !line.command.contains("$") {
            #expect(step.command == line.command)
        }
    }

    @Test func `each command of the demo page prints the output shown on the page`() throws {
        let tool = try Tool()
        try DocumentedSession.copySamples(to: tool)
        let environment = ["VITRINE_HOME": ".build/demo"]
        var difference: Int?
        for (step, line) in zip(try Self.session().steps, try Self.script()) where step.command.hasPrefix("vitrine") {
            // Each store numbers its transactions from a start of its own.
            if step.command.hasPrefix("vitrine init") { difference = nil }
            let result = try tool.run(
                step.arguments.map { Self.renumbered($0, by: difference ?? 0) }, environment: environment)
            if difference == nil, let shown = Self.transaction(in: step.output) {
                difference = try #require(Self.transaction(in: result.lines)) - shown
            }
            let expected = step.output.map { Self.dateless(Self.renumbered($0, by: difference ?? 0)) }
            #expect(result.status == line.status, "\(step.command): \(result.errors)")
            #expect(result.lines.map(Self.dateless) == expected, "\(step.command)")
        }
        #expect(difference != nil)
        #if os(Linux)
            let last = try #require(try Self.session().steps.last)
            let listed = try PeerTool.shell.run(
                "-c", String(last.command.trimmingPrefix("sh -c ")), in: tool.folder.url)
            #expect(listed.output.split(separator: "\n").map(String.init).sorted() == last.output.sorted())
        #endif
    }

    private static func transaction(in lines: [String]) -> Int? {
        lines.lazy.compactMap { $0.firstMatch(of: /transaction ([0-9]+)/) }.first.flatMap { Int($0.1) }
    }
}
