import Foundation
import Testing
import VitrineTestSupport

/// Paths in reports, and baselines, from other folders than the one in which the tool is started.
@Suite(.blocksThreads, .hangLimit) struct LintWorkspaceTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try folder.write(
            PlistText.document("<array><dict><key>consumable</key><false/></dict></array>"),
            to: "App/Shop/Catalogs/c.plist")
    }

    /// Runs `lint` in a folder.
    private func lint(
        _ arguments: String, in subfolder: String, environment: [String: String] = [:]
    ) throws -> PeerTool.Result {
        let none = ["GITHUB_WORKSPACE": "", "CI_PROJECT_DIR": ""]
        return try PeerTool.shell.run(
            "-c", "cd \"$1\" && exec \"$0\" lint \(arguments)", Tool.path, subfolder, in: folder.url,
            environment: none.merging(environment) { $1 })
    }

    private func makeRepository(at path: String = ".git") throws {
        try FileManager.default.createDirectory(at: folder[path], withIntermediateDirectories: true)
    }

    struct Case: CustomTestStringConvertible, Sendable {
        let testDescription: String
        /// Folder that is a repository, and variable that names the workspace; relative to the test's folder.
        var repository: String?
        var variable: (name: String, folder: String)?
        let arguments: String
        let start: String
        let path: String
    }

    @Test(
        arguments: [
            Case(
                testDescription: "a repository, from a folder in it", repository: ".", arguments: "c.plist",
                start: "App/Shop/Catalogs", path: "App/Shop/Catalogs/c.plist"),
            Case(
                testDescription: "a repository, from outside", repository: "App", arguments: "App/Shop", start: ".",
                path: "Shop/Catalogs/c.plist"),
            Case(
                testDescription: "a path over a parent folder", repository: ".", arguments: "../Catalogs",
                start: "App/Shop/Catalogs", path: "App/Shop/Catalogs/c.plist"),
            Case(
                testDescription: "the workspace of GitHub", repository: "App", variable: ("GITHUB_WORKSPACE", "."),
                arguments: "Catalogs", start: "App/Shop", path: "App/Shop/Catalogs/c.plist"),
            Case(
                testDescription: "the workspace of GitLab", variable: ("CI_PROJECT_DIR", "App"), arguments: ".",
                start: "App/Shop/Catalogs", path: "Shop/Catalogs/c.plist"),
            Case(
                testDescription: "a workspace that does not contain the file", repository: "App",
                variable: ("GITHUB_WORKSPACE", "Elsewhere"), arguments: "c.plist", start: "App/Shop/Catalogs",
                path: "Shop/Catalogs/c.plist"),
            Case(
                testDescription: "no repository", arguments: "Catalogs", start: "App/Shop", path: "Catalogs/c.plist"),
        ]
    )
    func `paths in reports are relative to the workspace or the repository`(_ test: Case) throws {
        if let repository = test.repository { try makeRepository(at: "\(repository)/.git") }
        var environment: [String: String] = [:]
        if let (name, path) = test.variable {
            environment[name] = path == "." ? folder.url.path() : folder[path].path()
        }
        func report(_ format: String) throws -> String {
            try lint("--format \(format) \(test.arguments)", in: test.start, environment: environment).output
        }
        let github = try report("github")
        #expect(github.hasPrefix("::error file=\(test.path),line=4,"), "\(github)")
        let sarif = try report("sarif")
        #expect(sarif.contains("\"uri\" : \"\(test.path)\""), "\(sarif)")
        #expect(sarif.contains("%SRCROOT%"))
        let gitlab = try report("gitlab")
        #expect(gitlab.contains("\"path\" : \"\(test.path)\""), "\(gitlab)")
    }

    @Test func `a work tree is a repository too`() throws {
        try folder.write("gitdir: /elsewhere\n", to: "App/.git")
        #expect(try lint("--format github Shop", in: "App").output.hasPrefix("::error file=Shop/Catalogs/c.plist,"))
    }

    struct BaselineCase: CustomTestStringConvertible, Sendable {
        let testDescription: String
        var isRepository = true
        /// Arguments and folder with which the baseline is made, and its path in the test's folder.
        let made: (arguments: String, start: String)
        let baseline: String
        /// Arguments and folder with which it is used.
        let used: (arguments: String, start: String)
    }

    @Test(
        arguments: [
            BaselineCase(
                testDescription: "made at the root, used in a folder", made: ("App", "."), baseline: "baseline.json",
                used: ("c.plist --baseline ../../../baseline.json", "App/Shop/Catalogs")),
            BaselineCase(
                testDescription: "made in a folder, used at the root", made: ("Catalogs", "App/Shop"),
                baseline: "ci/baseline.json", used: (". --baseline ci/baseline.json", ".")),
            BaselineCase(
                testDescription: "made in a folder, used in another", made: ("c.plist", "App/Shop/Catalogs"),
                baseline: "ci/baseline.json", used: ("Shop --baseline ../ci/baseline.json", "App")),
            BaselineCase(
                testDescription: "in no repository, beside the folder that it is about", isRepository: false,
                made: ("Catalogs", "App/Shop"), baseline: "App/Shop/baseline.json",
                used: ("App --baseline App/Shop/baseline.json", ".")),
            BaselineCase(
                testDescription: "in no repository, made and used at the root", isRepository: false, made: ("App", "."),
                baseline: "ci/baseline.json", used: ("App --baseline ci/baseline.json", ".")),
        ]
    )
    func `a baseline matches the same findings from any folder`(_ test: BaselineCase) throws {
        if test.isRepository { try makeRepository() }
        let made = try lint("\(test.made.arguments) --format json", in: test.made.start)
        #expect(made.status == 1)
        try folder.write(made.output, to: test.baseline)
        #expect(try lint(test.used.arguments, in: test.used.start).status == 0)

        try folder.write(
            PlistText.document("<array><dict><key>consumable</key><false/></dict></array>"),
            to: "App/Shop/Catalogs/new.plist")
        let another = try lint(test.used.arguments.replacing("c.plist", with: "new.plist"), in: test.used.start)
        #expect(another.status == 1)
        #expect(another.output.contains("new.plist:4:8: error"))
    }
}
