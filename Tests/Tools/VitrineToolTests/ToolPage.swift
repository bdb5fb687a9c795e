import Foundation
import Testing
import VitrineTestSupport

/// Parts of `Documentation/Tool.md` that are compared with the tool.
struct ToolPage {
    struct Row {
        /// Commands in the first cell, each with its arguments.
        let commands: [String]
        /// Code spans in the other cells.
        let codes: [String]
        fileprivate let text: String
    }

    /// Text before the first table.
    let introduction: String
    /// Table of the commands with their options.
    let commands: [Row]
    /// Table of the keys of the JSON.
    let keys: [Row]
    /// Options of `vitrine-server`.
    let serverOptions: Set<String>
    /// All words in code spans of the page.
    let words: Set<String>

    init() throws {
        let text = try String(contentsOf: Repository.file("Documentation/Tool.md"), encoding: .utf8)
        introduction = try String(#require(text.components(separatedBy: "\n| command |").first))
        commands = try Self.rows(in: text, below: "| command | what it does | exit status other than 0 |")
        keys = try Self.rows(in: text, below: "| command | keys |")
        serverOptions = Set(
            try Self.rows(in: text, below: "| option | meaning |").flatMap(\.commands).flatMap(Self.words))
        words = Set(Self.codes(in: text.replacing("\\|", with: "|")).flatMap(Self.words))
    }

    private static func rows(in text: String, below heading: String) throws -> [Row] {
        let start = try #require(text.range(of: heading)).upperBound
        return text[start...].split(separator: "\n", omittingEmptySubsequences: false).dropFirst(2)
            .prefix { $0.hasPrefix("|") }.map { line in
                let cells = line.replacing("\\|", with: "¦").split(separator: "|").map {
                    String($0).replacing("¦", with: "|")
                }
                let rest = cells.dropFirst().joined(separator: " ")
                return Row(commands: codes(in: cells[0]), codes: codes(in: rest), text: rest)
            }
    }

    private static func codes(in text: String) -> [String] { text.matches(of: /`([^`]+)`/).map { String($0.1) } }

    private static func words(_ code: String) -> [String] {
        code.split { " []|…".contains($0) }.map(String.init)
    }

    /// Returns the options of a command in the table of commands.
    func options(of command: String) -> Set<String> {
        let codes = commands.flatMap(\.commands).filter { $0 == command || $0.hasPrefix("\(command) ") }
        return Set(codes.flatMap(Self.words).filter { $0.hasPrefix("-") && $0.count > 1 })
    }

    /// Returns the keys of a row in the table of keys, including the keys of rows to which it refers.
    func keys(of row: String) throws -> Set<String> {
        let row = try #require(keys.first { $0.commands.contains(row) }, "no row \(row)")
        let others = row.text.matches(of: /as of `([^`]+)`/).map { String($0.1) }
        return try others.reduce(into: Set(row.codes)) { $0.formUnion(try keys(of: $1)) }
    }
}

/// Description of the commands that the tool itself prints.
struct ToolDescription: Decodable {
    struct Command: Decodable {
        let commandName: String
        let discussion: String?
        let subcommands: [Command]?
        let defaultSubcommand: String?
        let arguments: [Argument]?

        /// Returns the commands without subcommands, by their full names.
        fileprivate func all(in group: String) -> [(name: String, command: Command)] {
            (subcommands ?? []).flatMap { command in
                let name = group.isEmpty ? command.commandName : "\(group) \(command.commandName)"
                return command.subcommands == nil ? [(name, command)] : command.all(in: name)
            }
        }

        /// Texts with examples in the help of the command and of those in it.
        var discussions: [String] {
            [discussion].compactMap(\.self) + (subcommands ?? []).flatMap(\.discussions)
        }
    }

    struct Argument: Decodable {
        struct Name: Decodable {
            let name: String
        }

        let kind: String
        let names: [Name]?
        let allValues: [String]?
        let abstract: String?
        let defaultValue: String?

        /// Options in the form in which they are typed.
        var options: Set<String> {
            Set((names ?? []).map { $0.name.count == 1 ? "-\($0.name)" : "--\($0.name)" })
        }
    }

    let command: Command

    /// All commands except `help`.
    var commands: [(name: String, command: Command)] {
        command.all(in: "").filter { $0.name.split(separator: " ").last != "help" }
    }

    /// Commands that run without their name, by the names of their groups.
    var defaults: [(group: String, command: String)] {
        (command.subcommands ?? []).compactMap { group in
            group.defaultSubcommand.map { (group.commandName, "\(group.commandName) \($0)") }
        }
    }

    static func read(_ tool: Tool) throws -> ToolDescription {
        try JSONDecoder().decode(Self.self, from: Data(tool.run("--experimental-dump-help").output.utf8))
    }
}
