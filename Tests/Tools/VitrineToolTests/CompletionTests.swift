#if os(Linux)
    import Foundation
    import Testing
    import VitrineTestSupport

    /// Completions of the tool in bash, and the manual pages of both programs.
    @Suite(.blocksThreads, .hangLimit) struct CompletionTests {
        /// Function of a script that completes the last of its arguments as bash does when Tab is pressed.
        private static let complete = """
            source ./completions
            COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE="$*" COMP_POINT=${#COMP_LINE}
            _vitrine "$1" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
            printf '%s\\n' "${COMPREPLY[@]}"
            """

        /// Returns what bash offers for the last word of a command line.
        private func completions(_ tool: Tool, _ words: [String]) throws -> Set<String> {
            try tool.folder.write(
                tool.succeed("--generate-completion-script", "bash").output, to: "completions")
            var bash = tool
            bash.executable = URL(filePath: "/bin/bash")
            let result = try bash.run(["--norc", "-c", Self.complete, "bash", Tool.path] + words)
            #expect(result.status == 0 && result.errors.isEmpty, "\(result.errors)")
            return Set(result.lines)
        }

        @Test(arguments: [
            (["buy", "com.example.voyager.l"], ["com.example.voyager.lisbon"]),
            (["store", "price", "com.example.voyager.l"], ["com.example.voyager.lisbon"]),
            (["wallet", "c"], ["coins"]), (["spend", "--home", ".vitrine", "c"], ["coins"]),
            (["wallet", "--home", "elsewhere", ""], []),
            (["init", "--catalog", "Sh"], ["Shop.plist", "Shops"]), (["lint", "Sh"], ["Shop.plist", "Shops"]),
            (["init", "--store", "Sh"], ["Shop.storekit", "Shops"]), (["init", "--content", "Sh"], ["Shops"]),
            (["new", "Made", "--from", "Sh"], ["Shop.plist", "Shop.storekit", "Shops"]),
            (["jws", "verify", "Sh"], ["Shop.plist", "Shop.storekit", "Shop.txt", "Shops"]),
            (["store", "adv"], ["advance"]),
        ])
        func `bash completes commands, files of the right kind, and the home's products and wallets`(
            words: [String], offered: [String]
        ) throws {
            let tool = try Tool.voyager()
            for name in ["Shop.plist", "Shop.storekit", "Shop.txt"] { try tool.folder.write("", to: name) }
            try FileManager.default.createDirectory(at: tool.folder["Shops"], withIntermediateDirectories: false)

            #expect(try completions(tool, words) == Set(offered))
        }

        @Test func `a wallet's name that bash would execute is not offered`() throws {
            let tool = try Tool.voyager()
            try tool.folder.write(
                PlistText.document(
                    """
                    <array><dict><key>productIdentifier</key><string>coins</string><key>consumable</key><true/>
                    <key>storageKey</key><string>$(touch executed)</string>
                    <key>productValue</key><integer>5</integer></dict>
                    <dict><key>productIdentifier</key><string>gems</string><key>consumable</key><true/>
                    <key>storageKey</key><string>gems</string><key>productValue</key><integer>5</integer></dict></array>
                    """), to: "Shop.plist")
            try tool.succeed("init", "--catalog", "Shop.plist")

            #expect(try completions(tool, ["wallet", ""]) == ["gems"])
            #expect(!FileManager.default.fileExists(atPath: tool.folder["executed"].path()))
        }

        @Test(
            .enabled(if: PeerTool.python.isInstalled, "Python is not installed"),
            arguments: ["vitrine", "vitrine-server"])
        func `the manual page of a program has its commands, exit statuses, environment and files`(name: String) throws
        {
            let tool = try Tool()
            let program = Bundle.main.bundleURL.appending(path: name)
            var script = tool
            script.executable = Repository.file("Packaging/make-manual")
            #expect(try script.run(program.path(), ".").status == 0)
            let page = try String(contentsOf: tool.folder["\(name).1"], encoding: .utf8)

            for section in ["NAME", "SYNOPSIS", "DESCRIPTION", "COMMANDS", "EXIT STATUS", "ENVIRONMENT", "FILES"] {
                #expect(page.contains("\n.SH \(section)\n"), "\(section)")
            }
            for status in ["0", "64", "65", "66", "74"] { #expect(page.contains("\n\\fB\(status)\\fR\n"), "\(status)") }
            #expect(page.contains("\n\\fBVITRINE_HOME\\fR\n"))
            var described = tool
            described.executable = program
            for (command, _) in try ToolDescription.read(described).commands {
                #expect(page.contains("\n.SS \("\(name) \(command)".replacing("-", with: "\\-"))\n"), "\(command)")
            }
        }
    }
#endif
