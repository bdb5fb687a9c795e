import Foundation
import Testing
import VitrineHostedContent
import VitrineTestSupport

#if os(Linux)
    /// Download of content in three parts. The process is killed, or its disk fails, at one durable system call after
    /// another.
    @Suite(.blocksThreads) struct DownloadCrashSweepTests {
        struct Scenario: Sendable, CustomTestStringConvertible {
            let testDescription: String
            /// Command of the helper.
            let command: String
            /// Command of the helper after the next launch.
            let again: String
            /// `true` if the first version is already installed.
            var isReplacing = true
            /// Error of an automatic download after the download was paused or canceled; `nil` if the download
            /// completes.
            var refusal: String?
        }

        static let scenarios = [
            Scenario(testDescription: "fetching", command: "fetch", again: "fetch", isReplacing: false),
            Scenario(testDescription: "fetching another version", command: "fetch", again: "fetch"),
            Scenario(testDescription: "downloading another version", command: "download", again: "download"),
            Scenario(
                testDescription: "pausing a download", command: "pause", again: "download", isReplacing: false,
                refusal: "the download of rome is paused"),
            Scenario(
                testDescription: "cancelling a download", command: "cancel", again: "download", isReplacing: false,
                refusal: "the download of rome was cancelled"),
        ]

        private static let versions = [
            "1.0": ["guide.md": Data("# Rome\n".utf8)],
            "2.0": ["guide.md": Data("# Roma\n".utf8), "maps/tiles": .random(9_000_000)],
        ]

        /// Files of the servers, by path.
        private static let files = Result {
            let folder = try TemporaryFolder()
            try ContentSweep.write(versions["2.0", default: [:]], version: "2.0", to: folder)
            let packed = try ContentPacker.pack(ContentPackage(folder: folder["2.0"]), into: folder.url)
            return try ["/rome.plist": packed.manifestFile, "/\(packed.archive.lastPathComponent)": packed.archive]
                .mapValues { try Data(contentsOf: $0) }
        }

        private let sweep: ContentSweep
        private let server: ContentServer
        private let stallingServer: ContentServer

        init() async throws {
            sweep = try ContentSweep(Self.versions)
            let files = try Self.files.get()
            server = try await ContentServer { _, path in files[path].map { ContentServer.File($0) } }
            stallingServer = try await ContentServer {
                _, path in
                files[path].map { ContentServer.File($0) }
            } fault: { _, reply in
                guard let range = reply.headers["Content-Range"], !range.hasPrefix("bytes 0-") else { return nil }
                return reply.broken(after: 0, then: .silence)
            }
        }

        private func run(
            _ command: String, from server: ContentServer, in directory: URL, environment: [String: String] = [:]
        ) throws -> ContentHelperTool.Result {
            let url = server.url.appending(path: "rome.plist").absoluteString
            return try sweep.run([command, url, "rome", "2.0", "g/rome"], in: directory, environment: environment)
        }

        private func begin(
            _ scenario: Scenario, in directory: URL, environment: [String: String]
        ) throws -> ContentHelperTool.Result {
            try run(
                scenario.command, from: scenario.refusal == nil ? server : stallingServer, in: directory,
                environment: environment)
        }

        /// Returns the calls at which a fault is injected, at equal intervals, because most calls are similar writes of
        /// the archive.
        private static func calls(of count: Int, by fault: FaultLibrary.Fault) -> StrideThrough<Int> {
            let strikes = fault == .kill ? 16 : 5
            return stride(from: 1, through: count, by: ContentSweep.isWhole ? 1 : max(1, count / strikes))
        }

        @Test(arguments: scenarios, FaultLibrary.Fault.allCases)
        func `after a crash during a download, content is completely the old or new version, and the download resumes`(
            _ scenario: Scenario, by fault: FaultLibrary.Fault
        ) throws {
            let counted = try sweep.makeDirectory(named: "counted", installingAt: scenario.isReplacing ? "g/rome" : nil)
            let count = try sweep.faults.count { try begin(scenario, in: counted, environment: $0).status }
            #expect(count > 40)
            #expect(try sweep.version(in: counted, "counting") == (scenario.refusal == nil ? "2.0" : nil))
            for call in Self.calls(of: count, by: fault) {
                let place = Comment("call \(call) of \(count)")
                let directory = try sweep.makeDirectory(
                    named: "\(call)", installingAt: scenario.isReplacing ? "g/rome" : nil)
                let struck = try begin(
                    scenario, in: directory, environment: sweep.faults.environment(strikingAt: call, by: fault))
                #expect(fault == .kill || [0, 74].contains(struck.status), place)
                #expect(fault == .kill || struck.status == 0 || !struck.errors.isEmpty, place)
                #expect(try sweep.run(["launch"], in: directory).status == 0, place)
                if FileManager.default.fileExists(atPath: directory.path()) {
                    let found = try sweep.version(in: directory, place)
                    #expect(["2.0", scenario.isReplacing ? "1.0" : nil].contains(found), place)
                    try sweep.expectBounded(directory, place)
                }
                try goOn(scenario, after: struck, in: directory, place)
                try FileManager.default.removeItem(at: directory)
            }
        }

        /// Resumes the download, and checks that no byte is downloaded twice, and none at all if the content is
        /// installed.
        private func goOn(
            _ scenario: Scenario, after struck: ContentHelperTool.Result, in directory: URL, _ place: Comment
        ) throws {
            let (asked, stored) = (server.requests.count, try receivedCount(in: directory))
            let isInstalled = try sweep.version(in: directory, place) == "2.0"
            var isDownloaded = false
            if let refusal = scenario.refusal {
                let wanted = try run("want", from: server, in: directory)
                isDownloaded = wanted.status == 0
                // What the process has said that it has done is remembered.
                #expect(isDownloaded ? struck.status != 0 : wanted.errors.contains(refusal), "\(place): \(wanted)")
                #expect(isDownloaded || scenario.command == "pause" || stored == 0, place)
            }
            if !isDownloaded {
                let again = try run(scenario.again, from: server, in: directory)
                #expect(again.status == 0, "\(place): \(again.errors)")
            }
            #expect(try sweep.version(in: directory, place) == "2.0", place)
            #expect(try sweep.names(in: directory).allSatisfy { $0 == "CACHEDIR.TAG" || $0 == "g" }, place)
            let requests = server.requests.dropFirst(asked)
            // Whoever fetches without a download does not look.
            guard !isInstalled || scenario.again == "fetch" else {
                #expect(requests.isEmpty, place)
                return
            }
            let range = requests.compactMap { $0.headers["range"] }.first
            #expect(
                range?.hasPrefix("bytes=\(stored)-") ?? (stored > 9_000_000), "\(place): \(range ?? "") after \(stored)"
            )
        }

        /// Returns the number of downloaded bytes of the archive.
        private func receivedCount(in directory: URL) throws -> Int {
            let paths = FileManager.default.subpaths(atPath: directory.path()) ?? []
            guard let part = paths.first(where: { $0.hasSuffix("/archive.part") }) else { return 0 }
            let attributes = try FileManager.default.attributesOfItem(atPath: directory.appending(path: part).path())
            return try #require(attributes[.size] as? Int)
        }
    }
#endif
