import Foundation
import Testing
import VitrineTestSupport

/// Commands of a page, with the output that it shows for each.
struct DocumentedSession {
    struct Step {
        let command: String
        var output: [String] = []

        /// Arguments of the command, without the name of the program.
        var arguments: [String] { command.split(separator: " ").dropFirst().map(String.init) }
    }

    let steps: [Step]

    /// Reads the block of a page that begins with a command.
    init(page: String, from command: String) throws {
        let text = try String(contentsOf: Repository.file(page), encoding: .utf8)
        let start = try #require(text.range(of: "```\n$ \(command)")).lowerBound
        let block = text[start...].dropFirst(4)
        let end = try #require(block.range(of: "\n```")).lowerBound
        steps = block[..<end].split(separator: "\n").reduce(into: []) { steps, line in
            if line.hasPrefix("$ ") {
                steps.append(Step(command: String(line.dropFirst(2))))
            } else {
                steps[steps.count - 1].output.append(String(line))
            }
        }
    }

    /// Copies the sample catalogs and packages to the folder in which the tool runs.
    static func copySamples(to tool: Tool) throws {
        for name in ["Catalogs", "HostedContent"] {
            try FileManager.default.copyItem(at: Repository.file(name), to: tool.folder[name])
        }
    }
}
