import Foundation
import Testing
import VitrineTestSupport

/// Commands in the fenced blocks of the pages, typed in the order of each page.
@Suite(.blocksThreads, .hangLimit) struct PageSessionTests {
    private static let programs = ["bsdtar", "curl", "git", "jq", "minisign", "openssl", "python3"]
    private static let hasPrograms =
        (try? PeerTool.shell.run("-c", programs.map { "command -v \($0)" }.joined(separator: " && ")))?.status == 0

    /// Pages whose commands another suite types.
    private static let othersPages = ["Documentation/Demo.md": "DemoPageTests"]

    #if os(Linux)
        @Test(
            .enabled(if: hasPrograms, "one of \(programs) is not installed"), arguments: PageSession.all.map(\.page))
        func `the commands of a page succeed in a new folder when they are typed in order`(page: String) throws {
            let session = try #require(PageSession.all.first { $0.page == page })
            let tool = try Tool()
            try DocumentedSession.copySamples(to: tool)
            try tool.folder.write("fail-with-body\nsilent\nshow-error\n", to: ".curlrc")
            if let example = try DocumentedBlock.all(on: page).first(where: { $0.language == "xml" }) {
                try tool.folder.write(example.lines.joined(separator: "\n"), to: "page.plist")
            }
            try tool.folder.write(session.script, to: "session.sh")
            let result = try tool.runOther("bash", "--norc", "session.sh")

            #expect(result.status == 0, "\(result.output)\(result.errors)")
        }
    #endif

    @Test func `each page with commands has a session that types them`() throws {
        let pages = try DocumentedBlock.pages.filter { page in
            try DocumentedBlock.all(on: page).flatMap(\.commands)
                .contains { command in !PageSession.untyped.keys.contains(where: command.hasPrefix) }
        }
        #expect(Set(pages) == Set(PageSession.all.map(\.page)).union(Self.othersPages.keys))
    }

    @Test(arguments: PageSession.untyped.keys.sorted())
    func `a command that no test types is on a page`(beginning: String) throws {
        let commands = try DocumentedBlock.pages.flatMap(DocumentedBlock.all).flatMap(\.commands)
        #expect(commands.contains { $0.hasPrefix(beginning) })
    }

    @Test func `each insertion and exit status of a session belongs to a command of its page`() throws {
        for session in PageSession.all {
            let commands = try DocumentedBlock.all(on: session.page).flatMap(\.commands)
            for beginning in Array(session.insertions.keys) + Array(session.statuses.keys) {
                #expect(commands.contains { $0.hasPrefix(beginning) }, "\(session.page): \(beginning)")
            }
        }
    }

    @Test func `each fenced block of a page has a known language, or is typed in a shell`() throws {
        let languages = ["", "swift", "objc", "python", "xml", "json", "yaml", "text", "resolved", "targets"]
        for page in try DocumentedBlock.pages {
            for block in try DocumentedBlock.all(on: page) {
                #expect(languages.contains(block.language), "\(page)")
                #expect(!block.language.isEmpty || !block.commands.isEmpty, "\(page)")
            }
        }
    }

    @Test func `each page of the documentation is in the table of the README`() throws {
        let readme = try String(contentsOf: Repository.file("README.md"), encoding: .utf8)
        let table = readme.components(separatedBy: "\n").filter { $0.hasPrefix("| [") }.joined(separator: "\n")
        let pages = try DocumentedBlock.pages.filter { $0.hasPrefix("Documentation/") }
        #expect(pages.count > 15)
        for page in pages + ["CHANGELOG.md", "Sources/App/Vitrine/Vitrine.docc/Vitrine.md"] {
            #expect(table.contains("](\(page))"), "\(page)")
        }
    }
}
