import Foundation
import Testing
import VitrineTestSupport

/// Progress of downloads: bars on a terminal, lines elsewhere.
@Suite(.blocksThreads, .hangLimit) struct TerminalTests {
    private static let rome = String.voyager("rome")
    private static let full = "[" + String(repeating: "#", count: 24) + "]"

    /// Runs the tool with its standard error on a terminal.
    private func run(
        _ tool: Tool, _ arguments: String..., on terminal: PseudoTerminal,
        meanwhile body: (Process) throws -> Void = { _ in }
    ) throws -> (status: Int32, screen: ScreenText) {
        let process = try tool.startShowing(arguments, errors: terminal.program)
        try body(process)
        let transcript = terminal.readToEnd()
        process.waitUntilExit()
        return (process.terminationStatus, try ScreenText(transcript))
    }

    @Test func `a download's progress bar on a terminal is redrawn in one line and remains when full`() async throws {
        let scene = try await DownloadScene("Rome")
        let (status, screen) = try run(scene.tool, "buy", Self.rome, on: PseudoTerminal())

        #expect(status == 0)
        #expect(screen.lines == ["\(Self.full) \(Self.rome): finished"])
        #expect(screen.redraws == screen.history.count - 1)
        #expect(screen.history.dropLast().allSatisfy { $0.wholeMatch(of: Self.bar) != nil }, "\(screen.history)")
    }

    /// Progress bar with the product, the received bytes and the percentage.
    private static var bar: Regex<(Substring, Substring, Substring, Substring?)> {
        /\[(#*)(-*)\] com\.example\.voyager\.[a-z]+: (?:paused, )?[^(]*(?:\((\d+) %\).*)?/
    }

    @Test func `a progress bar matches its percentage, and the bar of a paused download remains on the screen`()
        async throws
    {
        let scene = try await DownloadScene("Rome")
        scene.set(.stalling)
        let terminal = try PseudoTerminal(columns: 120)
        let (status, screen) = try run(scene.tool, "buy", Self.rome, on: terminal) { process in
            try terminal.wait(for: DownloadScene.stalledProgress)
            kill(process.processIdentifier, SIGINT)
        }

        #expect(status == 2)
        let last = try #require(screen.lines.first?.wholeMatch(of: Self.bar))
        #expect(screen.lines.count == 1)
        #expect(screen.lines.first?.contains(": paused, ") == true)
        let percent = try #require(last.3.flatMap { Double($0) })
        #expect(last.1.count + last.2.count == 24)
        #expect(Int(percent * 0.24)...Int((percent + 1) * 0.24) ~= last.1.count)
    }

    @Test func `a failed download prints its reason on one line of the terminal`() async throws {
        let scene = try await DownloadScene("Rome")
        scene.set(.ending)
        let (status, screen) = try run(scene.tool, "buy", Self.rome, on: PseudoTerminal())

        #expect(status == 2)
        #expect(screen.lines.count == 1)
        #expect(screen.lines.first?.contains("] \(Self.rome): failed: ") == true, "\(screen.lines)")
        #expect(screen.history.allSatisfy { $0.count <= 80 })
        #expect(screen.lines.first?.hasSuffix("…") == true)
    }

    @Test(arguments: [(columns: 80, rows: 24, bars: 2), (40, 24, 2), (1, 24, 2), (80, 3, 1), (80, 1, 1)])
    func `the progress bars of two downloads fit the width and height of the terminal`(
        columns: Int, rows: Int, bars: Int
    ) async throws {
        let scene = try await DownloadScene("Rome", "Athens")
        for name in ["rome", "athens"] {
            #expect(try scene.tool.run("buy", .voyager(name)).status == 0)
            #expect(try scene.tool.run("content", "remove", .voyager(name)).status == 0)
        }
        let terminal = try PseudoTerminal(columns: columns, rows: rows)
        let (status, screen) = try run(scene.tool, "content", "download", "--all", on: terminal)

        #expect(status == 0)
        #expect(screen.lines.count == bars)
        #expect(screen.history.allSatisfy { $0.count <= columns })
        let ends = ["rome", "athens"].map { name in
            let line = "\(Self.full) \(String.voyager(name)): finished"
            return line.count <= columns ? line : String(line.prefix(columns - 1)) + "…"
        }
        #expect(Set(screen.lines).isSubset(of: ends), "\(screen.lines)")
        #expect(bars == 1 || screen.lines.sorted() == ends.sorted())
    }

    @Test func `without a terminal, download progress is printed as plain lines without escape sequences`() async throws
    {
        let scene = try await DownloadScene("Rome", "Athens")
        let bought = try scene.tool.run("buy", Self.rome)
        scene.set(.ending)
        #expect(try scene.tool.run("content", "remove", Self.rome).status == 0)
        let failed = try scene.tool.run("content", "download", Self.rome)

        #expect(bought.status == 0)
        #expect(failed.status == 2)
        for result in [bought, failed] {
            let lines = result.errors.split(separator: "\n")
            #expect(lines.allSatisfy { $0.hasPrefix("vitrine: \(Self.rome): ") }, "\(result.errors)")
            #expect((1...13).contains(lines.count))
            #expect(!result.errors.contains("\u{1B}"))
        }
        #expect(bought.errors.hasSuffix("vitrine: \(Self.rome): finished\n"))
        #expect(failed.errors.split(separator: "\n").last?.contains(": failed: ") == true)
    }

    @Test func `vitrine load --watch draws a table that fits the terminal, and redraws it`() async throws {
        let tool = try Tool.voyager()
        let terminal = try PseudoTerminal(columns: 50, rows: 10)
        let process = try tool.startShowing(["load", "--watch"], output: terminal.program)
        try terminal.wait(for: "2 products")
        kill(process.processIdentifier, SIGINT)
        let screen = try ScreenText(terminal.readToEnd())
        process.waitUntilExit()

        #expect(process.terminationStatus == 0)
        #expect(screen.redraws > 0)
        #expect(screen.history.allSatisfy { $0.count <= 50 })
        #expect(screen.lines.count < 10)
        #expect(screen.lines.first?.hasPrefix("PRODUCT") == true)
        #expect(screen.lines.contains { $0.hasPrefix("… ") && $0.hasSuffix(" more") }, "\(screen.lines)")
    }

    @Test func `a table on a terminal without escape sequences is not redrawn`() throws {
        let tool = try Tool.voyager()
        let terminal = try PseudoTerminal()
        let process = try tool.startShowing(
            ["load", "--watch"], output: terminal.program, environment: ["TERM": "dumb"])
        try terminal.wait(for: "2 products")
        kill(process.processIdentifier, SIGINT)
        let transcript = terminal.readToEnd()
        process.waitUntilExit()

        #expect(process.terminationStatus == 0)
        #expect(!transcript.contains("\u{1B}"), "\(transcript)")
    }

    @Test(arguments: [("", "xterm", true), ("1", "xterm", false), ("", "dumb", false)])
    func `findings are colored on a terminal, unless NO_COLOR is set or the terminal has no colors`(
        noColor: String, terminalType: String, isColored: Bool
    ) throws {
        let tool = try Tool()
        try tool.folder.write(PlistText.document("<array><dict/></array>"), to: "Shop.plist")
        let terminal = try PseudoTerminal()
        let process = try tool.startShowing(
            ["lint", "Shop.plist"], output: terminal.program, environment: ["NO_COLOR": noColor, "TERM": terminalType])
        let transcript = terminal.readToEnd()
        process.waitUntilExit()

        #expect(transcript.contains("\u{1B}[1;31merror\u{1B}[0m") == isColored, "\(transcript)")
        #expect(transcript.contains("Shop.plist:"))
    }

    @Test func `a command that runs longer than a second shows its progress on the terminal and clears the line`()
        throws
    {
        let tool = try Tool()
        let terminal = try PseudoTerminal()
        // The input never ends by itself.
        let input = Pipe()
        let process = try tool.startShowing(
            ["diff", "/dev/stdin", "/dev/null"], errors: terminal.program, input: input)
        try terminal.wait(for: "comparing catalogs, 1 s")
        try input.fileHandleForWriting.close()
        let transcript = terminal.readToEnd()
        process.waitUntilExit()

        #expect(transcript.contains("\r\u{1B}[Kcomparing catalogs, 1 s"))
        #expect(transcript.contains("\r\u{1B}[Kvitrine: error: "))
    }
}
