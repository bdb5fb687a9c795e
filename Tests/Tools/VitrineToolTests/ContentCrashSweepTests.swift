import Foundation
import Testing
import VitrineTestSupport

#if os(Linux)
    /// Installation, replacement and removal of content. The process is killed, or its disk fails, at one durable
    /// system call after another.
    @Suite(.blocksThreads) struct ContentCrashSweepTests {
        struct Scenario: Sendable, CustomTestStringConvertible {
            let testDescription: String
            /// Arguments of the helper, without the directory.
            let command: [String]
            /// `true` if the first version is already installed.
            var isReplacing = true
            /// Path of the installed first version.
            var firstPlace = "g/rome"
            /// Additional environment variables of the process.
            var environment: [String: String] = [:]
            /// Version that is installed after the command; `nil` for none.
            var version: String? = "2.0"

            var installedPlace: String? { isReplacing ? firstPlace : nil }
        }

        static let scenarios = [
            Scenario(
                testDescription: "installing an archive",
                command: ["install-archive", "2.0.zip", "rome", "2.0", "g/rome"],
                isReplacing: false),
            Scenario(
                testDescription: "replacing by an archive",
                command: ["install-archive", "2.0.zip", "rome", "2.0", "g/rome"]),
            Scenario(
                testDescription: "replacing by an archive where nothing can be exchanged",
                command: ["install-archive", "2.0.zip", "rome", "2.0", "g/rome"],
                environment: ["FAULT_NO_EXCHANGE": "1"]),
            Scenario(
                testDescription: "installing in a folder where other content is",
                command: ["install-archive", "2.0.zip", "rome", "2.0", "g/rome"], firstPlace: "g"),
            Scenario(
                testDescription: "replacing by a package", command: ["install-package", "2.0", "rome", "2.0", "g/rome"]),
            Scenario(testDescription: "removing", command: ["remove", "g/rome"], version: nil),
            Scenario(testDescription: "evicting", command: ["evict"], version: nil),
        ]

        private static let versions = [
            "1.0": ["guide.md": "# Rome\n", "maps/forum.svg": String(repeating: "<svg/>", count: 20_000)],
            "2.0": ["guide.md": "# Roma\n", "maps/new.svg": String(repeating: "<g/>", count: 90_000), "a/b/c": ""],
        ].mapValues { files in files.mapValues { Data($0.utf8) } }

        private let sweep: ContentSweep

        init() throws {
            sweep = try ContentSweep(Self.versions)
            for version in Self.versions.keys {
                let archive = try PeerTool.zip.run(
                    "-qr", "../\(version).zip", "ContentInfo.plist", "Contents", in: sweep.folder[version])
                try #require(archive.status == 0)
            }
        }

        @Test(arguments: scenarios, FaultLibrary.Fault.allCases)
        func `after a crash or disk error, hosted content is completely the old version or completely the new one`(
            _ scenario: Scenario, by fault: FaultLibrary.Fault
        ) throws {
            let counted = try sweep.makeDirectory(named: "counted", installingAt: scenario.installedPlace)
            let count = try sweep.faults.count {
                try sweep.run(scenario.command, in: counted, environment: $0.merging(scenario.environment) { $1 })
                    .status
            }
            #expect(count > 10)
            #expect(try sweep.version(in: counted, "counting") == scenario.version)
            var ends: Set<String?> = []
            for call in stride(from: 1, through: count, by: ContentSweep.isWhole ? 1 : fault == .kill ? 5 : 17) {
                let place = Comment("call \(call) of \(count)")
                let directory = try sweep.makeDirectory(named: "\(call)", installingAt: scenario.installedPlace)
                let environment = sweep.faults.environment(strikingAt: call, by: fault)
                    .merging(scenario.environment) { $1 }
                let struck = try sweep.run(scenario.command, in: directory, environment: environment)
                #expect(fault == .kill || [0, 74].contains(struck.status), place)
                #expect(fault == .kill || struck.status == 0 || !struck.errors.isEmpty, place)
                #expect(try sweep.run(["launch"], in: directory).status == 0, place)
                ends.insert(try checkAfterLaunch(scenario, directory, place))

                let again = try sweep.run(scenario.command, in: directory)
                #expect(again.status == 0, "\(place): \(again.errors)")
                #expect(try sweep.version(in: directory, place) == scenario.version, place)
                #expect(try sweep.names(in: directory).allSatisfy { $0 == "CACHEDIR.TAG" || $0 == "g" }, place)
                try FileManager.default.removeItem(at: directory)
            }
            #expect(fault != .kill || ends == [scenario.isReplacing ? "1.0" : nil, scenario.version])
        }

        /// Checks the content directory after a launch.
        ///
        /// - Returns: The installed version.
        private func checkAfterLaunch(_ scenario: Scenario, _ directory: URL, _ place: Comment) throws -> String? {
            guard FileManager.default.fileExists(atPath: directory.path()) else {
                #expect(!scenario.isReplacing, place)
                return nil
            }
            let found = try sweep.version(in: directory, place)
            #expect(found == scenario.version || found == (scenario.isReplacing ? "1.0" : nil), place)
            try sweep.expectBounded(directory, place)
            return found
        }
    }
#endif
