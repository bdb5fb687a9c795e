#if os(Linux)
    import Foundation
    import Testing
    import VitrineTestSupport

    /// Shell on a terminal that completes the commands of both programs.
    struct CompletingShell {
        let program: [String]
        /// Commands that read the completions of both programs, and bind Escape and an asterisk to the command that inserts
        /// all completions.
        let setup: [String]

        static let bash = CompletingShell(
            program: ["bash", "--norc", "--noprofile", "-i"],
            setup: ["for p in vitrine vitrine-server", "do . <($p --generate-completion-script bash)", "done"])

        static let zsh = CompletingShell(
            program: ["zsh", "-f", "-i"],
            setup: [
                "mkdir functions", "for p in vitrine vitrine-server",
                "do $p --generate-completion-script zsh > functions/_$p", "done",
                "fpath=($PWD/functions $fpath)", "autoload -Uz compinit", "compinit -u -D",
                "zle -C all-matches complete-word _generic", #"bindkey '\e*' all-matches"#,
                "zstyle ':completion:all-matches:*' completer _all_matches _complete",
                "zstyle ':completion:all-matches:*' insert true",
            ])

        /// Types command lines, and completes the last word of each.
        ///
        /// - Returns: For each line, the completions of its last word.
        func completions(of lines: [String], in tool: Tool) throws -> [Set<String>] {
            let terminal = try PseudoTerminal(columns: 240)
            // The terminal has to be that of the shell's session, as when a user starts it.
            let process = try tool.startOtherOnTerminal(["setsid", "--ctty", "--wait"] + program, terminal)
            // The quotes keep the echo of a command apart from the prompt that it sets.
            func type(_ keys: String, prompt: String) throws {
                try terminal.type("\(keys); PS1='rea''dy-\(prompt) '\r")
                try terminal.wait(for: "ready-\(prompt) ")
            }
            try type(setup.joined(separator: "; "), prompt: "start")
            // Control-A and Control-E go to the ends of the line.
            let print = "\u{1}printf '<%s>' \u{5}"
            for (number, line) in lines.enumerated() {
                try type("\(line)\u{1B}*\(print)", prompt: "all-\(number)")
                try type("\(line)\t\(print)", prompt: "tab-\(number)")
            }
            try terminal.type("exit\r")
            let transcript = terminal.readToEnd()
            process.waitUntilExit()

            return try lines.enumerated().map { number, line in
                let typed = line.split(separator: " ", omittingEmptySubsequences: false).count - 1
                let words = try ["all", "tab"].map { key in
                    let prompt = try #require(transcript.range(of: "ready-\(key)-\(number) "))
                    let printed = transcript[..<prompt.lowerBound].matches(of: #/(?:<[^<>%]+>)+/#).last
                    return try #require(printed).0.matches(of: #/<([^>]+)>/#).dropFirst(typed).map {
                        // Shells differ in the slash after the name of a folder.
                        $0.1.hasSuffix("/") ? String($0.1.dropLast()) : String($0.1)
                    }
                }
                // Tab completes a word that has one completion.
                #expect(words[0].count != 1 || words[0] == words[1], "\(line)")
                return Set(words[0])
            }
        }
    }

    /// Completions of both programs in shells on a terminal, and their manual pages.
    @Suite(.blocksThreads, .hangLimit) struct CompletionTests {
        private static let completions: [(line: String, offered: Set<String>)] = [
            ("vitrine sto", ["store"]), ("vitrine store adv", ["advance"]),
            ("vitrine buy com.example.voyager.l", ["com.example.voyager.lisbon"]),
            ("vitrine buy com.example.voyager.p", ["com.example.voyager.porto", "com.example.voyager.premium"]),
            ("vitrine store price com.example.voyager.l", ["com.example.voyager.lisbon"]),
            ("vitrine wallet c", ["coins"]), ("vitrine spend --home .vitrine c", ["coins"]),
            ("vitrine wallet --home elsewhere ", []),
            // A wallet's name that a shell would execute is not offered.
            ("vitrine wallet --home hostile ", ["gems"]),
            ("vitrine init --catalog Sh", ["Shop.plist", "Shops"]), ("vitrine lint Sh", ["Shop.plist", "Shops"]),
            ("vitrine init --store Sh", ["Shop.storekit", "Shops"]), ("vitrine init --content Sh", ["Shops"]),
            ("vitrine new Made --from Sh", ["Shop.plist", "Shop.storekit", "Shops"]),
            ("vitrine jws verify Sh", ["Shop.plist", "Shop.storekit", "Shop.txt", "Shops"]),
            ("vitrine-server serve --config Sh", ["Shop.plist", "Shops"]),
        ]

        private func expectCompletions(in shell: CompletingShell) throws {
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
            try tool.succeed("init", "--home", "hostile", "--catalog", "Shop.plist")
            for name in ["Shop.storekit", "Shop.txt"] { try tool.folder.write("", to: name) }
            try FileManager.default.createDirectory(at: tool.folder["Shops"], withIntermediateDirectories: false)

            let offered = try shell.completions(of: Self.completions.map(\.line), in: tool)
            for (expected, offered) in zip(Self.completions, offered) {
                #expect(offered == expected.offered, "\(expected.line)")
            }
            #expect(!tool.folder.has("executed"))
        }

        @Test func `bash completes commands, files of the right kind, and the home's products and wallets`() throws {
            try expectCompletions(in: .bash)
        }

        @Test(.enabled(if: PeerTool.zsh.isInstalled, "zsh is not installed"))
        func `zsh completes commands, files of the right kind, and the home's products and wallets`() throws {
            try expectCompletions(in: .zsh)
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
