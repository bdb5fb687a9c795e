import Foundation
import Testing
import VitrineTestSupport

#if os(Linux)
    /// Files that backup programs include, because they cannot be restored otherwise, and files that they exclude.
    @Suite(.blocksThreads) struct BackupTests {
        enum Program: String, CaseIterable, Sendable {
            case tar, borg, restic

            var tool: PeerTool {
                switch self {
                case .tar: .tar
                case .borg: .borg
                case .restic: .restic
                }
            }

            /// Shell command that prints the paths in the folder `home` that a backup program includes, one per line.
            var command: String {
                switch self {
                case .tar: "tar --exclude-caches -cf - home | tar -tf -"
                case .borg:
                    "borg init -e none repository && "
                        + "borg create --dry-run --list --exclude-caches repository::first home 2>&1 | sed -n 's/^- //p'"
                case .restic:
                    "restic -q init -r repository && "
                        + "restic backup -r repository --dry-run -vv --exclude-caches home 2>&1 | sed -n 's/^new *//p'"
                }
            }
        }

        @Test(arguments: Program.allCases)
        func `backup programs include the ledger and exclude downloaded content`(_ program: Program) throws {
            guard program.tool.isInstalled else {
                print("\(program.rawValue) is not installed: whether it leaves the content out was not looked at")
                return
            }
            let tool = try Tool.voyager()
            try #require(try tool.run("buy", .voyager("rome")).status == 0)
            let place = tool.folder
            try FileManager.default.moveItem(at: tool.home, to: place["home"])
            let shell = try PeerTool.shell.run(
                "-c", program.command, in: place.url,
                environment: [
                    "BORG_BASE_DIR": place["base"].path(), "BORG_UNKNOWN_UNENCRYPTED_REPO_ACCESS_IS_OK": "yes",
                    "RESTIC_PASSWORD": "x", "RESTIC_CACHE_DIR": place["cache"].path(), "HOME": place.url.path(),
                ])
            let names = shell.output.split(separator: "\n").map(String.init)

            #expect(shell.status == 0, "\(shell.output)")
            #expect(names.contains { $0.contains("home/ledger.sqlite") }, "\(shell.output)")
            #expect(!names.contains { $0.contains("guides") || $0.contains("guide.md") }, "\(shell.output)")
        }

        @Test func `a file system without extended attributes is reported and does not cause a failure`() throws {
            let (faults, folder) = (try FaultLibrary(), try TemporaryFolder())
            try folder.write("Signature: 8a477f597d28d172789f06886806bc55\n", to: "content/CACHEDIR.TAG")
            let helper = ContentHelperTool()
            // The first call makes the folder, which is there, and the second sets the attribute.
            let environment = faults.environment(strikingAt: 2, error: ENOTSUP)
            let struck = try helper.run(["launch"], in: folder["content"], environment: environment)
            #expect(struck.status == 0, "\(struck.errors)")
            #expect(struck.output.contains("has no extended attributes: backups that look for user.xdg.robots.backup"))

            let result = try helper.run(["launch"], in: folder["content"])
            #expect(result.status == 0 && result.output == "")
        }
    }
#endif
