import Foundation
import TestSupport
import Testing

#if os(Linux)
    /// Content is installed, replaced and removed by processes that are struck at their durable system calls, one after the
    /// other.
    @Suite struct ContentCrashSweepTests {
        struct Scenario: Sendable, CustomTestStringConvertible {
            let testDescription: String
            /// What the helper is asked, without the directory.
            let command: [String]
            /// The first version was installed before.
            var isReplacing = true
            /// Where that was.
            var firstPlace = "g/rome"
            /// What the process has in its environment besides.
            var environment: [String: String] = [:]
            /// What is there once it has done it; `nil` for nothing.
            var version: String? = "2.0"
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

        /// What versions of the package hold, by paths in the installed folder.
        private static let files = [
            "1.0": ["guide.md": "# Rome\n", "maps/forum.svg": String(repeating: "<svg/>", count: 20_000)],
            "2.0": ["guide.md": "# Roma\n", "maps/new.svg": String(repeating: "<g/>", count: 90_000), "a/b/c": ""],
        ]

        private let folder: TemporaryFolder
        private let faults: FaultLibrary

        init() throws {
            folder = try TemporaryFolder()
            faults = try FaultLibrary()
            for (version, files) in Self.files {
                try folder.write(
                    PlistText.document(
                        """
                        <dict><key>IAPProductIdentifier</key><string>rome</string>
                        <key>ContentVersion</key><string>\(version)</string></dict>
                        """), to: "\(version)/ContentInfo.plist")
                for (path, text) in files { try folder.write(text, to: "\(version)/Contents/\(path)") }
                let archive = try PeerTool.zip.run(
                    "-qr", "../\(version).zip", "ContentInfo.plist", "Contents", in: folder[version])
                try #require(archive.status == 0)
            }
        }

        /// Runs the helper to its end.
        private func run(
            _ command: [String], in directory: URL, environment: [String: String] = [:]
        ) throws -> ContentHelperTool.Result {
            try ContentHelperTool(folder: folder.url).run(command, in: directory, environment: environment)
        }

        private func makeDirectory(_ scenario: Scenario, named name: String) throws -> URL {
            let directory = folder[name]
            guard scenario.isReplacing else { return directory }
            let result = try run(["install-package", "1.0", "rome", "1.0", scenario.firstPlace], in: directory)
            try #require(result.status == 0, "\(result.errors)")
            return directory
        }

        @Test(arguments: scenarios, FaultLibrary.Fault.allCases)
        func `there is the old version or the new one, whole`(
            _ scenario: Scenario, by fault: FaultLibrary.Fault
        ) throws {
            let counted = try makeDirectory(scenario, named: "counted")
            let count = try faults.count {
                try run(scenario.command, in: counted, environment: $0.merging(scenario.environment) { $1 }).status
            }
            #expect(count > 10)
            #expect(try version(in: counted, "counting") == scenario.version)
            let isWhole = ProcessInfo.processInfo.environment["CRASH_SWEEP"] == "all"
            var ends: Set<String?> = []
            for call in stride(from: 1, through: count, by: isWhole ? 1 : fault == .kill ? 5 : 17) {
                let place = Comment("call \(call) of \(count)")
                let directory = try makeDirectory(scenario, named: "\(call)")
                let environment = faults.environment(strikingAt: call, by: fault)
                    .merging(scenario.environment) { $1 }
                let struck = try run(scenario.command, in: directory, environment: environment)
                #expect(fault == .kill || [0, 74].contains(struck.status), place)
                #expect(fault == .kill || struck.status == 0 || !struck.errors.isEmpty, place)
                #expect(try run(["launch"], in: directory).status == 0, place)
                ends.insert(try checkAfterLaunch(scenario, directory, place))

                let again = try run(scenario.command, in: directory)
                #expect(again.status == 0, "\(place): \(again.errors)")
                #expect(try version(in: directory, place) == scenario.version, place)
                #expect(try names(in: directory).allSatisfy { $0 == "CACHEDIR.TAG" || $0 == "g" }, place)
                try FileManager.default.removeItem(at: directory)
            }
            #expect(fault != .kill || ends == [scenario.isReplacing ? "1.0" : nil, scenario.version])
        }

        /// - Returns: The version that is there.
        private func checkAfterLaunch(_ scenario: Scenario, _ directory: URL, _ place: Comment) throws -> String? {
            guard FileManager.default.fileExists(atPath: directory.path()) else {
                #expect(!scenario.isReplacing, place)
                return nil
            }
            let found = try version(in: directory, place)
            #expect(found == scenario.version || found == (scenario.isReplacing ? "1.0" : nil), place)
            #expect(try names(in: directory).allSatisfy { ["CACHEDIR.TAG", "g", ".downloads"].contains($0) }, place)
            let bytes = try Self.files(in: directory).values.reduce(0) { $0 + $1.count }
            let both = Self.files.values.flatMap(\.values).reduce(0) { $0 + $1.utf8.count }
            #expect(bytes <= both + 1024 * 1024, place)
            return found
        }

        private func names(in directory: URL) throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: directory.path())
        }

        /// What is installed, which has to be what was packed.
        private func version(in directory: URL, _ place: Comment) throws -> String? {
            let isAround = FileManager.default.fileExists(
                atPath: directory.appending(path: "g/.ContentInfo.plist").path())
            let content = directory.appending(path: isAround ? "g" : "g/rome")
            guard FileManager.default.fileExists(atPath: content.path()) else { return nil }
            var files = try Self.files(in: content)
            let (info, manifest) = (
                files.removeValue(forKey: ".ContentInfo.plist"), files.removeValue(forKey: ".ContentManifest.plist")
            )
            #expect(manifest != nil, place)
            let version = String(decoding: try #require(info, place), as: UTF8.self).contains("2.0") ? "2.0" : "1.0"
            #expect(files == Self.files[version]?.mapValues { Data($0.utf8) }, place)
            return version
        }

        private static func files(in folder: URL) throws -> [String: Data] {
            try FileManager.default.subpathsOfDirectory(atPath: folder.path()).reduce(into: [:]) { files, path in
                let file = folder.appending(path: path)
                if try file.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true {
                    files[path] = try Data(contentsOf: file)
                }
            }
        }
    }
#endif
