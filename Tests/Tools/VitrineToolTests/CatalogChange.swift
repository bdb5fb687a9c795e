import Foundation
import Testing
import VitrineTestSupport

/// Repository with catalogs, and a branch with changed catalogs.
struct CatalogChange {
    let folder: TemporaryFolder

    /// Creates a repository with the sample catalog and an Info.plist on its branch main.
    init() throws {
        folder = try TemporaryFolder()
        try git("init", "--quiet", "--initial-branch", "main")
        try folder.write(Self.sample(), to: "Catalogs/Voyager.plist")
        try folder.write(
            PlistText.document("<dict><key>CFBundleName</key><string>Voyager</string></dict>"), to: "App/Info.plist")
        try commit("first")
        // The action compares with what the server has.
        try git("update-ref", "refs/remotes/origin/main", "main")
    }

    static func sample() throws -> String {
        try String(contentsOf: Repository.sample("Voyager.plist"), encoding: .utf8)
    }

    /// Replaces a text in the sample catalog, and commits the change.
    func change(_ text: String, to other: String) throws {
        let catalog = try Self.sample()
        #expect(catalog.contains(text))
        try folder.write(catalog.replacing(text, with: other), to: "Catalogs/Voyager.plist")
        try commit("change")
    }

    func commit(_ message: String) throws {
        try git("add", "--all")
        try git("commit", "--quiet", "--message", message)
    }

    func git(_ arguments: String...) throws {
        let identity = ["-c", "user.name=Test", "-c", "user.email=test@example.com", "-c", "commit.gpgsign=false"]
        let result = try PeerTool.git.run(identity + arguments, in: folder.url)
        try #require(result.status == 0, "git \(arguments)")
    }

    /// Runs the script of the action, with the tool on the path.
    ///
    /// - Returns: Exit status, output, and the comment; `nil` if none was written.
    func runAction(
        base: String = "main", paths: String = ".", isStrict: Bool = false
    ) throws -> (status: Int32, output: String, comment: String?) {
        let out = try TemporaryFolder()
        let result = try PeerTool.shell.run(
            Repository.file(".github/actions/lint-catalogs/run").path(), in: folder.url,
            environment: [
                "PATH": Self.path, "GITHUB_REF": "", "INPUT_BASE": base, "INPUT_PATHS": paths,
                "INPUT_STRICT": "\(isStrict)",
                "INPUT_COMMENT": out["comment.md"].path(), "GITHUB_STEP_SUMMARY": out["summary.md"].path(),
            ])
        let comment = try? String(contentsOf: out["comment.md"], encoding: .utf8)
        #expect(comment == (try? String(contentsOf: out["summary.md"], encoding: .utf8)))
        return (result.status, result.output, comment)
    }

    /// Search path for commands, with the built tool first.
    static var path: String {
        (Tool.path as NSString).deletingLastPathComponent + ":" + (ProcessInfo.processInfo.environment["PATH"] ?? "")
    }
}
