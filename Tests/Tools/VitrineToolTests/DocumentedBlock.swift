import Foundation
import VitrineTestSupport

/// Fenced block of a page.
struct DocumentedBlock {
    /// Language after the fence; empty for what is typed in a shell.
    let language: String
    let lines: [String]

    /// Returns the fenced blocks of a page, in order.
    static func all(on page: String) throws -> [DocumentedBlock] {
        let text = try String(contentsOf: Repository.file(page), encoding: .utf8)
        // Every second part is the inside of a block, and begins with the block's language.
        return text.components(separatedBy: "\n```").enumerated().filter { $0.offset % 2 == 1 }.map { _, part in
            let lines = part.components(separatedBy: "\n")
            return DocumentedBlock(language: lines[0], lines: Array(lines.dropFirst()))
        }
    }

    /// Pages of the documentation.
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

    /// Commands of a shell in the block, in order, each with the lines in which it continues. In a block with prompts, the
    /// other lines are output. In a job of GitHub or GitLab, the commands are those of its steps.
    var commands: [String] {
        switch language {
        case "": hasPrompts ? typed(prompt: "$ ") : typed(prompt: "")
        case "yaml": jobCommands
        default: []
        }
    }

    private var hasPrompts: Bool { lines.contains { $0.hasPrefix("$ ") } }

    private func typed(prompt: String) -> [String] {
        var commands: [String] = []
        var continues = false
        for line in lines where continues || line.hasPrefix(prompt) && !line.isEmpty {
            if continues {
                commands[commands.count - 1] += "\n" + line
            } else {
                commands.append(String(line.dropFirst(prompt.count)))
            }
            continues = line.hasSuffix("\\") || line.hasSuffix("|")
        }
        return commands
    }

    private var jobCommands: [String] {
        var commands: [String] = []
        var rest = lines[...]
        var scriptIndentation: Int?
        while let line = rest.popFirst() {
            let indentation = line.indentation
            if let outer = scriptIndentation, indentation <= outer { scriptIndentation = nil }
            if line.hasSuffix("script:") { scriptIndentation = indentation }
            let item = scriptIndentation == nil ? nil : line.wholeMatch(of: #/ *- (.+)/#)?.1
            guard let command = line.wholeMatch(of: #/ *(?:- )?run: (.+)/#)?.1 ?? item else { continue }
            let block = command == "|" ? rest.prefix { $0.indentation > indentation } : []
            rest = rest.dropFirst(block.count)
            commands.append(block.isEmpty ? String(command) : block.joined(separator: "\n"))
        }
        return commands
    }
}

extension String {
    fileprivate var indentation: Int { prefix { $0 == " " }.count }
}
