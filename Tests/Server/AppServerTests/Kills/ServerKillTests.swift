import Foundation
import Testing
import VitrineAppServerPostgreSQL
import VitrineAppServerRecords
import VitrineTestSupport

/// Two hundred clients that write while servers and databases are killed. `SERVER_SOAK` is the duration in seconds.
@Suite(.blocksThreads, .serialized) struct ServerKillTests {
    private static let duration = Duration.seconds(
        ProcessInfo.processInfo.environment["SERVER_SOAK"].flatMap { Int($0) } ?? 20)

    @Test func `no debit is lost or recorded twice when a server with SQLite is killed repeatedly`() async throws {
        let folder = try TemporaryFolder()
        let (data, database) = (folder["data"], OutsideDatabase(sqliteIn: folder["data"]))
        let scene = try await ServerScene.make(in: folder, storage: database.setting) {
            try SQLiteCustomerDatabase(file: data.appending(path: "customers.sqlite"))
        }
        let tokens = try await Self.write(scene, servers: 1, in: folder) { $0[0].kill() }
        try Self.compare(tokens, database)
    }

    #if PostgreSQL
        @Test(.enabled(if: PostgreSQLServer.isInstalled, "PostgreSQL is not installed"))
        func `no debit is lost or recorded twice when one of two servers with PostgreSQL is killed repeatedly`()
            async throws
        {
            try await Self.run(servers: 2) { servers, _ in servers[Int.random(in: 0...1)].kill() }
        }

        @Test(.enabled(if: PostgreSQLServer.isInstalled, "PostgreSQL is not installed"))
        func `no debit is lost or recorded twice when the PostgreSQL database is killed and restarted`() async throws {
            try await Self.run(servers: 2) { _, database in
                try database.kill()
                try database.restart()
            }
        }

        private static func run(
            servers: Int, _ strike: @escaping ([ServerProcess], PostgreSQLServer) throws -> Void
        ) async throws {
            let (folder, database) = (try TemporaryFolder(), try PostgreSQLServer())
            let connection = try database.makeDatabase()
            let outside = OutsideDatabase(database, connection: connection)
            let scene = try await ServerScene.make(in: folder, storage: outside.setting) {
                try await PostgreSQLCustomerDatabase.open(connection)
            }
            let tokens = try await write(scene, servers: servers, in: folder) { try strike($0, database) }
            try compare(tokens, outside)
        }
    #endif

    /// Lets clients send requests for a while, and repeatedly kills servers or databases.
    private static func write(
        _ scene: ServerScene, servers count: Int, in folder: TemporaryFolder,
        _ strike: ([ServerProcess]) throws -> Void
    ) async throws -> Writers.Tokens {
        let running = RunningServers()
        var servers = try (0..<count).map { _ in try ServerProcess(scene.configuration, in: folder.url) }
        await running.set(servers.map(\.url))
        let writers = Writers { await running.url(for: $0) }
        let writing = Task { await writers.run(scene.clients) }
        let end = ContinuousClock.now + duration
        var strikes = 0
        repeat {
            await writers.acknowledged(Int.random(in: 100...600))
            try strike(servers)
            strikes += 1
            for index in servers.indices where !servers[index].isRunning {
                await running.set(servers.filter(\.isRunning).map(\.url))
                servers[index] = try ServerProcess(scene.configuration, in: folder.url)
                await running.set(servers.map(\.url))
            }
        } while ContinuousClock.now < end
        await writers.acknowledged(200)
        writers.stop()
        await writing.value
        for server in servers { #expect(server.end() == 0, "\(server.said)") }
        print("\(strikes) strikes, \(writers.known.acknowledged.count) debits")
        #expect(strikes > 1)
        return writers.known
    }

    /// Compares the debits that clients know with the debits in the database.
    private static func compare(_ tokens: Writers.Tokens, _ database: OutsideDatabase) throws {
        #expect(tokens.refusals.isEmpty)
        let rows = try database.rows("SELECT key FROM fact WHERE kind = 'debit'")
        let recorded = Set(rows)
        #expect(recorded.count == rows.count, "a debit is recorded twice")
        #expect(tokens.acknowledged.subtracting(recorded).isEmpty, "an acknowledged debit is lost")
        #expect(recorded.subtracting(tokens.sent).isEmpty, "a debit is recorded that was not sent")
        #expect(tokens.acknowledged.count > 500)
        // Facts are numbered without gaps, and balances are the sums of the facts.
        let gaps = try database.rows(
            """
            SELECT count(*) FROM customer WHERE sequence <> (SELECT count(*) FROM fact WHERE fact.customer = customer.id) \
            OR sequence <> (SELECT max(sequence) FROM fact WHERE fact.customer = customer.id)
            """)
        #expect(gaps == ["0"])
        let sum = try database.rows("SELECT sum(amount) FROM fact WHERE wallet = 'coins'")
        #expect(sum == ["\(ServerScene.customers * ServerScene.units - recorded.count)"])
    }
}
