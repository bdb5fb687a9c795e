import Foundation
import Testing
import VitrineReceipts
import VitrineStoreSimulator
import VitrineTestSupport

/// Server in a process of its own with an extreme number of idle connections.
@Suite(.blocksThreads, .hangLimit) struct IdleConnectionTests {
    /// Number of idle connections, or nearly the system's limit of open files if that is lower.
    private static let mostConnections = 10_000
    /// Maximum memory of a connection in KiB, in a debug build.
    private static let memoryOfConnection = 40

    /// Script that opens a number of connections to a port, prints the number of open ones, and waits for the end of
    /// its input.
    private static let clients = """
        ulimit -n $(($2 + 50)) || exit 1
        count=0
        while [ $count -lt $2 ] && { exec {connection}<>/dev/tcp/127.0.0.1/$1; } 2>/dev/null; do
            count=$((count + 1))
        done
        echo $count
        read -r line
        """

    @Test func `a server with thousands of idle connections answers requests and uses bounded memory`() async throws {
        let folder = try TemporaryFolder()
        let (store, key) = try await Self.makeStore(in: folder.url)
        let id = try await store.purchaseElsewhere("coins").id
        let server = try RunningEmulator(of: folder.url)
        defer { server.kill() }
        let client = AppStoreServerClient(server: .other(server.url), key: key, bundleIdentifier: ServedStore.bundle)
        #expect(try await client.subscriptionStatuses(of: id).groups.isEmpty)

        let before = try server.memory()
        let count = min(Self.mostConnections, try Self.openFiles() - 200)
        let idle = try RunningTool(
            "/bin/bash", "-c", Self.clients, "clients", "\(server.url.port ?? 0)", "\(count)")
        defer { idle.kill() }
        #expect(try idle.readLine() == "\(count)", "connections that were opened")
        for _ in 0..<3 { #expect(try await client.subscriptionStatuses(of: id).groups.isEmpty) }
        #expect(try server.openFiles() > count)
        let after = try server.memory()
        #expect(after - before < count * Self.memoryOfConnection, "from \(before) KiB to \(after) KiB with \(count)")
    }

    @Test func `a server at its limit of open files answers again when connections end`() async throws {
        let folder = try TemporaryFolder()
        let (store, key) = try await Self.makeStore(in: folder.url)
        let id = try await store.purchaseElsewhere("coins").id
        let first = try RunningEmulator(of: folder.url)
        defer { first.kill() }
        // The second server opens a file again and again, to find whether it may deliver notifications.
        let server = try RunningEmulator(of: folder.url, openFiles: 100)
        defer { server.kill() }
        func client(of server: RunningEmulator) -> AppStoreServerClient {
            AppStoreServerClient(server: .other(server.url), key: key, bundleIdentifier: ServedStore.bundle)
        }
        let (asked, others) = (client(of: server), client(of: first))
        #expect(try await asked.subscriptionStatuses(of: id).groups.isEmpty)

        let idle = try RunningTool("/bin/bash", "-c", Self.clients, "clients", "\(server.url.port ?? 0)", "200")
        #expect(try idle.readLine() == "200")
        let waiting = Task { try await asked.subscriptionStatuses(of: id).groups.isEmpty }
        for _ in 0..<20 { #expect(try await others.subscriptionStatuses(of: id).groups.isEmpty) }
        #expect(try server.openFiles() < 100)
        idle.kill()
        #expect(try await waiting.value)
    }

    private static func makeStore(in folder: URL) async throws -> (SimulatedStore, AppStoreServerKey) {
        try SimulatedStore.create(
            in: folder, configuration: Data(contentsOf: Repository.file("Catalogs/Club.storekit")),
            bundleIdentifier: ServedStore.bundle, seed: 7)
        let store = try SimulatedStore(folder: folder)
        return (store, try await store.addServerKey())
    }

    /// Returns the maximum number of files and connections that a process may have open.
    private static func openFiles() throws -> Int {
        let result = try PeerTool.shell.run("-c", "ulimit -Hn")
        return Int(result.output.trimmingCharacters(in: .whitespacesAndNewlines)) ?? mostConnections
    }
}
