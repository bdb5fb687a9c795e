import Foundation
import Testing
import VitrineTestSupport

/// Comparison of the page about the tool with the tool, in both directions.
@Suite(.blocksThreads, .hangLimit) struct ToolPageTests {
    private let tool: Tool
    private let page: ToolPage
    private let description: ToolDescription

    init() throws {
        tool = try Tool()
        page = try ToolPage()
        description = try ToolDescription.read(tool)
    }

    @Test func `the tool documentation lists exactly the commands of vitrine`() throws {
        let names = description.commands.map(\.name)
        #expect(names.count > 50)
        for name in names {
            #expect(
                page.commands.contains { $0.commands.contains { $0 == name || $0.hasPrefix("\(name) ") } }, "\(name)")
        }
        for code in page.commands.flatMap(\.commands) {
            #expect(
                names.contains { code == $0 || code.hasPrefix("\($0) ") || $0.hasPrefix("\(code) ") }, "\(code)")
        }
    }

    @Test func `the tool documentation lists exactly the options of each command, with their values`() throws {
        let common: Set<String> = ["--home", "--json", "--verbose", "--version", "--help", "--device-clock"]
        for option in common { #expect(page.introduction.contains(option), "\(option)") }
        for (name, command) in description.commands {
            let documented = page.options(of: name)
            let arguments = command.arguments ?? []
            for argument in arguments where argument.kind != "positional" {
                // That of the whole tool; the version of a catalog is an option with a value.
                guard argument.kind != "flag" || argument.options.isDisjoint(with: common) else { continue }
                guard argument.options != ["--home"], argument.options != ["--device-clock"] else { continue }
                #expect(!documented.isDisjoint(with: argument.options), "\(name) \(argument.options.sorted())")
            }
            let all = arguments.reduce(into: Set<String>()) { $0.formUnion($1.options) }
            #expect(documented.isSubset(of: all), "\(name) \(documented.subtracting(all).sorted())")
            for value in arguments.flatMap({ $0.allValues ?? [] }) {
                #expect(page.words.contains(value), "\(name) \(value)")
            }
        }
    }

    @Test(arguments: ["vitrine", "vitrine-server", "vitrine-catalogs"])
    func `the help of each command shows its examples unbroken at 80 columns`(program: String) throws {
        var tool = tool
        tool.executable = Bundle.main.bundleURL.appending(path: program)
        let description = try ToolDescription.read(tool)
        for (name, command) in description.commands + [("", description.command)] {
            for line in (command.discussion ?? "").split(separator: "\n") where line.hasPrefix("  ") {
                #expect(line.count < 80, "\(name): \(line)")
            }
        }
    }

    @Test func `the tool documentation lists each option of vitrine-server`() throws {
        var server = tool
        server.executable = Bundle.main.bundleURL.appending(path: "vitrine-server")
        let commands = try ToolDescription.read(server).commands
        #expect(commands.map(\.name) == ["serve", "store", "preview"])
        for argument in commands.flatMap({ $0.command.arguments ?? [] }) where argument.kind != "positional" {
            guard argument.options.isDisjoint(with: ["--json", "--version", "--help"]) else { continue }
            #expect(page.serverOptions.isSuperset(of: argument.options), "\(argument.options.sorted())")
        }
    }
}
