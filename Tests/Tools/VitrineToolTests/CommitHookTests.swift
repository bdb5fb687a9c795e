import Foundation
import Testing
import VitrineTestSupport

/// Hook for commits, run by pre-commit in a repository.
@Suite(
    .blocksThreads,
    .enabled(if: PeerTool.preCommit.isInstalled && PeerTool.git.isInstalled, "pre-commit is not installed"),
    .hangLimit)
struct CommitHookTests {
    private let repository: CatalogChange
    /// Repository with the files of the hook.
    private let hooks: CatalogChange

    init() throws {
        (repository, hooks) = (try CatalogChange(), try CatalogChange())
        for path in [".pre-commit-hooks.yaml", "Packaging/catalog-tool"] {
            try FileManager.default.createDirectory(
                at: hooks.folder[path].deletingLastPathComponent(), withIntermediateDirectories: true)
            try FileManager.default.copyItem(at: Repository.file(path), to: hooks.folder[path])
        }
        try hooks.commit("hooks")
        let commit = try PeerTool.git.run("rev-parse", "HEAD", in: hooks.folder.url).output
        try repository.folder.write(
            """
            repos:
              - repo: \(hooks.folder.url.path())
                rev: \(commit.trimmingCharacters(in: .whitespacesAndNewlines))
                hooks:
                  - id: lint-catalogs
            """, to: ".pre-commit-config.yaml")
        try repository.commit("hooks")
    }

    private func run(_ arguments: String...) throws -> (status: Int32, output: String) {
        let cache = try TemporaryFolder()
        let result = try PeerTool.preCommit.run(
            ["run", "--verbose"] + arguments, in: repository.folder.url,
            environment: ["PATH": CatalogChange.path, "PRE_COMMIT_HOME": cache.url.path()])
        return (result.status, result.output)
    }

    @Test func `the pre-commit hook lints staged catalogs, and a finding stops the commit`() throws {
        try repository.folder.write(
            try CatalogChange.sample().replacing("<key>storageKey</key>", with: "<key>storageKy</key>"),
            to: "Catalogs/Voyager.plist")
        try repository.git("add", "--all")
        let result = try run()

        #expect(result.status == 1)
        #expect(result.output.contains(#"warning: the key "storageKy" is unknown; did you mean "storageKey"?"#))
        #expect(result.output.contains("exit code: 1"))
    }

    @Test func `the pre-commit hook with --all-files passes valid catalogs and skips an Info.plist`() throws {
        let result = try run("--all-files")

        #expect(result.status == 0, "\(result.output)")
        #expect(result.output.contains("1 file passed over: no catalogs"))
    }

    @Test func `the pre-commit hook treats a file name that looks like an option as a file name`() throws {
        let catalog = try CatalogChange.sample()
        try repository.folder.write(catalog, to: "--stamp=Catalogs/Voyager.plist")
        try repository.git("add", "--all")
        let result = try run()

        #expect(result.status == 0, "\(result.output)")
        #expect(try String(contentsOf: repository.folder["Catalogs/Voyager.plist"], encoding: .utf8) == catalog)
    }
}
