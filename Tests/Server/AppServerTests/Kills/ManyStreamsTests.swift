import Foundation
import Testing
import VitrineAppServerRecords
import VitrineTestSupport

/// Server with the maximum number of event streams that a process can have open.
@Suite(.blocksThreads, .hangLimit) struct ManyStreamsTests {
    /// Number of streams, or nearly the system's limit of open files if that is lower.
    private static let mostStreams = 10_000
    /// Maximum memory of a stream in KiB, in a debug build.
    private static let memoryOfStream = 60

    @Test func `thousands of open event streams use bounded memory, and all end cleanly when the server is shut down`()
        async throws
    {
        let (folder, data) = (try TemporaryFolder(), "data")
        let scene = try await ServerScene.make(in: folder, storage: "<key>data</key><string>\(data)</string>") {
            try SQLiteCustomerDatabase(file: folder[data].appending(path: "customers.sqlite"))
        }
        let server = try ServerProcess(scene.configuration, in: folder.url)
        let limit = try PeerTool.shell.run("-c", "ulimit -Hn").output
        let permitted = Int(limit.trimmingCharacters(in: .whitespacesAndNewlines)) ?? Self.mostStreams
        // Streams get half of the connections.
        let count = min(Self.mostStreams, permitted / 2 - 300)
        let before = try server.memory
        let clients = try StreamClients(
            [
                Repository.file("Tests/Peers/streams.py").path(percentEncoded: false), "\(server.url.port ?? 0)",
                "\(count)",
            ]
                + scene.clients.prefix(50).map(\.token))
        #expect(try clients.readLine() == "\(count)")
        let after = try server.memory
        #expect(after - before < count * Self.memoryOfStream, "from \(before) KiB to \(after) KiB with \(count)")

        #expect(server.end() == 0, "\(server.said)")
        #expect(try clients.readLine() == "\(count)", "streams that ended in order")
    }
}

/// Clients of event streams in a process of their own.
private final class StreamClients {
    private let process = Process()
    private let output = Pipe()

    init(_ arguments: [String]) throws {
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["python3"] + arguments
        process.standardOutput = output
        try process.run()
    }

    /// Waits for the next line that the clients print.
    func readLine() throws -> String {
        var line = ""
        while let byte = try output.fileHandleForReading.read(upToCount: 1)?.first, byte != UInt8(ascii: "\n") {
            line.unicodeScalars.append(Unicode.Scalar(byte))
        }
        return line
    }

    deinit { process.terminate() }
}
