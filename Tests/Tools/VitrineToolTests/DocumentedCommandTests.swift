import Foundation
import Testing
import VitrineTestSupport

/// Command of one of this package's programs in a fenced block of a page.
struct DocumentedCommand: Sendable {
    let page: String
    let program: String
    let words: [String]

    /// Returns the commands in the fenced blocks of a page, in order. In a block with prompts, only lines with a prompt
    /// contain commands.
    static func all(on page: String) throws -> [DocumentedCommand] {
        let text = try String(contentsOf: Repository.file(page), encoding: .utf8)
        return text.components(separatedBy: "\n```").enumerated().flatMap { index, part -> [DocumentedCommand] in
            let lines = part.split(separator: "\n", omittingEmptySubsequences: false)
            // Every second part is the inside of a block, and begins with the block's language.
            guard index % 2 == 1, let language = lines.first, ["", "sh"].contains(language) else { return [] }
            let block = lines.dropFirst().joined(separator: "\n").replacing(#/\\\n\s*/#, with: "")
                .split(separator: "\n").map(String.init)
            let typed = block.filter { $0.hasPrefix("$ ") }.map { String($0.dropFirst(2)) }
            return (typed.isEmpty ? block : typed).flatMap { commands(in: $0, of: page) }
        }
    }

    private static func commands(in line: String, of page: String) -> [DocumentedCommand] {
        line.matches(of: #/(?:^|[|(;&`]\s*)(vitrine(?:-server|-catalogs)?) ([^|;)&>#`]*)/#).map { match in
            DocumentedCommand(
                page: page, program: String(match.1), words: match.2.split(separator: " ").map(String.init))
        }
    }

    /// Pages with commands.
    static var pages: [String] {
        get throws {
            let folders = ["Documentation", "Sources/App/Vitrine/Vitrine.docc"]
            return try ["README.md"]
                + folders.flatMap { folder in
                    try FileManager.default.contentsOfDirectory(atPath: Repository.file(folder).path())
                        .filter { $0.hasSuffix(".md") }.sorted().map { "\(folder)/\($0)" }
                }
        }
    }
}

/// Commands in the fenced blocks of the pages.
@Suite(.blocksThreads, .hangLimit) struct DocumentedCommandTests {
    /// Returns the options of each command of a program by the command's name.
    private func options(of program: String) throws -> [String: Set<String>] {
        var tool = try Tool()
        tool.executable = Bundle.main.bundleURL.appending(path: program)
        let description = try ToolDescription.read(tool)
        var options = Dictionary(
            uniqueKeysWithValues: description.commands.map { name, command in
                (name, (command.arguments ?? []).reduce(into: Set<String>()) { $0.formUnion($1.options) })
            })
        for (group, command) in description.defaults { options[group] = options[command] }
        options[""] = ["--version", "--help"]
        return options
    }

    @Test func `each command in a fenced block of a page exists and has the options that the page shows`() throws {
        let programs = try Dictionary(
            uniqueKeysWithValues: ["vitrine", "vitrine-server", "vitrine-catalogs"].map { ($0, try options(of: $0)) })
        // The comment in a signature begins with the name of the tool.
        let commands = try DocumentedCommand.pages.flatMap(DocumentedCommand.all).filter { command in
            !command.words.contains { $0.hasPrefix("issued=") }
        }
        #expect(commands.count > 70)
        for command in commands {
            let known = try #require(programs[command.program])
            let names = (0...command.words.count).reversed().map { command.words.prefix($0).joined(separator: " ") }
            let name = try #require(names.first { known[$0] != nil })
            let used = command.words.prefix { $0 != "--" }.filter { $0.hasPrefix("--") }
                .map { String($0.prefix { $0 != "=" }) }
            #expect(
                !name.isEmpty || !used.isEmpty, "\(command.page): there is no command \(command.words)")
            #expect(
                Set(used).isSubset(of: known[name] ?? []), "\(command.page): \(name) does not have all of \(used)")
        }
    }

    @Test(arguments: ["README.md", "Documentation/Preview.md"])
    func `the two commands for a new package on a page make it and show its shop`(page: String) throws {
        let commands = try DocumentedCommand.all(on: page)
        let index = try #require(commands.firstIndex { $0.words == ["new", "Shop"] })
        let preview = commands[index + 1].words
        #expect(preview.first == "preview")
        let tool = try Tool()
        #expect(try tool.run(commands[index].words).status == 0)

        let pipe = Pipe()
        let process = try tool.startShowing(preview, output: pipe.fileHandleForWriting)
        try LineReader(pipe.fileHandleForReading).wait(for: "the shop is at http://127.0.0.1:")
        process.terminate()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
    }
}
