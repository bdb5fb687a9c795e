import Foundation
import Testing
import VitrineTestSupport

/// Command of one of this package's programs in a fenced block of a page.
struct DocumentedCommand: Sendable {
    let page: String
    let program: String
    let words: [String]

    /// Returns the commands of the programs in the fenced blocks of a page, in order.
    static func all(on page: String) throws -> [DocumentedCommand] {
        try DocumentedBlock.all(on: page).flatMap(\.commands)
            .flatMap { commands(in: $0.replacing(#/\\\n\s*/#, with: ""), of: page) }
    }

    private static func commands(in line: String, of page: String) -> [DocumentedCommand] {
        line.matches(of: #/(?:^|[|(;&`]\s*)(vitrine(?:-server|-catalogs)?) ([^|;)&>#`]*)/#).map { match in
            DocumentedCommand(
                page: page, program: String(match.1), words: match.2.split(separator: " ").map(String.init))
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
        let commands = try DocumentedBlock.pages.flatMap(DocumentedCommand.all)
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
}
