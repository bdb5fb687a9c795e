import Foundation
import Testing
import VitrineCommandSupport
import VitrineTestSupport

/// Output of commands in a workflow of GitHub, whose runner carries out lines that look like commands.
@Suite(.blocksThreads, .hangLimit) struct RunnerCommandTests {
    struct Line: Sendable, CustomTestStringConvertible {
        let id: String
        let text: String
        let printed: String

        var testDescription: String { id }
    }

    static let lines = [
        Line(id: "a command", text: "::set-output name=x::y", printed: #"\u{3A}:set-output name=x::y"#),
        Line(id: "a command after spaces", text: " \u{A0} ::error::x", printed: " \u{A0} " + #"\u{3A}:error::x"#),
        Line(id: "an older command", text: "##[add-mask]x", printed: #"##\u{5B}add-mask]x"#),
        Line(
            id: "an older command in a line", text: "the key \"##[error]x\"", printed: ###"the key "##\u{5B}error]x""###
        ),
        Line(
            id: "a command of Azure Pipelines", text: "##vso[task.prependpath]/tmp",
            printed: #"##vso\u{5B}task.prependpath]/tmp"#),
        Line(
            id: "a command of Azure Pipelines in a line", text: "x[1] ###VsO[task.setvariable variable=a]b",
            printed: #"x[1] ###VsO\u{5B}task.setvariable variable=a]b"#),
        Line(id: "a word before a bracket", text: "# vso[1] #vso[2] ##a-b[3]", printed: "# vso[1] #vso[2] ##a-b[3]"),
        Line(id: "colons in a line", text: "A.plist:1:2: a::b", printed: "A.plist:1:2: a::b"),
        Line(id: "one colon", text: ":x", printed: ":x"),
        Line(id: "a colon with an accent", text: "::\u{301}x", printed: #"\u{3A}:"# + "\u{301}x"),
        Line(id: "a heading", text: "## [x]", printed: "## [x]"),
    ]

    @Test(arguments: lines) func `a printed line contains no command of a runner`(_ line: Line) {
        #expect(line.text.withoutControlCharacters == line.printed)
    }

    @Test func `lint prints no source line or file name as a command, except those of its format github`() throws {
        let tool = try Tool()
        try tool.folder.write(
            PlistText.document(
                """
                <array><dict><key>productIdentifier</key><string>guide</string>
                ::set-output name=x::pwned<key>colour</key><true/></dict></array>
                """), to: "::add-mask::x/a.plist")
        for format in ["text", "xcode", "github"] {
            let result = try tool.run("lint", "--format", format, "::add-mask::x/a.plist")
            let commands = result.lines.filter { $0.drop { $0 == " " }.hasPrefix("::") }
            #expect(!result.lines.isEmpty)
            #expect(
                commands.allSatisfy {
                    format == "github" && $0.firstMatch(of: /^::(error|warning|notice) file=/) != nil
                })
            #expect(commands.isEmpty == (format != "github"), "\(format): \(result.output)")
        }
    }
    @Test func `the diff of lint --dry-run contains no command in a job, and is unchanged elsewhere`() throws {
        let tool = try Tool()
        try tool.folder.write(
            PlistText.document(
                """
                <array><dict><key>productIdentifier</key><string>guide</string><key>longDescription</key><string>a
                ::error::pwned
                b</string><key>consumable</key><string>no</string></dict></array>
                """), to: "a.plist")
        func diff(_ variable: String, _ value: String) throws -> [String] {
            let none = ["GITHUB_ACTIONS": "", "TF_BUILD": ""]
            return try tool.run(
                "lint", "--fix", "--dry-run", "a.plist", environment: none.merging([variable: value]) { $1 }
            ).lines
        }
        #expect(try diff("GITHUB_ACTIONS", "").contains(" ::error::pwned"))
        for variable in ["GITHUB_ACTIONS", "TF_BUILD"] {
            let lines = try diff(variable, "true")
            #expect(lines.contains(#" \u{3A}:error::pwned"#), "\(variable)")
            #expect(!lines.contains { $0.holdsRunnerCommand }, "\(variable)")
        }
    }

    @Test(arguments: [("a\r::error::x", true), ("a\r\n", false), (" ::x", true), ("a::x", false)])
    func `a command after a carriage return is one of a runner`(text: String, isCommand: Bool) {
        #expect(text.holdsRunnerCommand == isCommand)
    }
}
