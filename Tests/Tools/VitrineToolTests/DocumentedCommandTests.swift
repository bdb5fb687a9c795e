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

    /// Returns the commands of the programs in the examples of a program's help, in order.
    static func examples(in help: ToolDescription, of program: String) -> [DocumentedCommand] {
        help.command.discussions.flatMap { $0.replacing(#/\\\n\s*/#, with: "").split(separator: "\n") }
            .filter { $0.hasPrefix("  ") }
            .flatMap { commands(in: $0.trimmingCharacters(in: .whitespaces), of: "the help of \(program)") }
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
    private static let programs = ["vitrine", "vitrine-server", "vitrine-catalogs"]

    private func description(of program: String) throws -> ToolDescription {
        var tool = try Tool()
        tool.executable = Bundle.main.bundleURL.appending(path: program)
        return try ToolDescription.read(tool)
    }

    /// Returns the options of each command of a program by the command's name.
    private func options(of program: String) throws -> [String: Set<String>] {
        let description = try description(of: program)
        var options = Dictionary(
            uniqueKeysWithValues: description.commands.map { name, command in
                (name, (command.arguments ?? []).reduce(into: Set<String>()) { $0.formUnion($1.options) })
            })
        for (group, command) in description.defaults { options[group] = options[command] }
        options[""] = ["--version", "--help"]
        return options
    }

    @Test func `each command in a fenced block of a page exists and has the options that the page shows`() throws {
        let commands = try DocumentedBlock.pages.flatMap(DocumentedCommand.all)
        #expect(commands.count > 70)
        try expectToExist(commands)
    }

    @Test func `each command in an example of the help exists and has the options that the example shows`() throws {
        let commands = try Self.programs.flatMap {
            DocumentedCommand.examples(in: try description(of: $0), of: $0)
        }
        #expect(commands.count > 100)
        try expectToExist(commands)
    }

    @Test func `the help names the default of each option once`() throws {
        for program in Self.programs {
            for (name, command) in try description(of: program).commands {
                for argument in command.arguments ?? [] where argument.defaultValue != nil {
                    #expect(argument.abstract?.contains("(default:") != true, "\(program) \(name) \(argument.options)")
                }
            }
        }
    }

    private func expectToExist(_ commands: [DocumentedCommand]) throws {
        let programs = try Dictionary(uniqueKeysWithValues: Self.programs.map { ($0, try options(of: $0)) })
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
