import Foundation
import Testing
import VitrineAppServerRecords
import VitrineSupport
import VitrineTestSupport

/// Creation of tables, notifications of changes, and the end of a database, the same for each kind of database.
@Suite(.hangLimit) struct DatabaseMigrationTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    static let second = SQLMigration(
        number: 2,
        statements: [
            "ALTER TABLE thing ADD COLUMN color TEXT", "{postgresql: COMMENT ON TABLE thing IS 'things'}",
            "UPDATE thing SET color = 'red'",
        ])

    @Test(arguments: DatabaseKind.here)
    func `each database migration is applied once`(_ kind: DatabaseKind) async throws {
        let database = try await kind.scene(in: folder).database

        try await database.migrate([])
        try await database.migrate([DatabaseScene.tables])
        try await database.add(.thing("a"))
        for _ in 0..<3 { try await database.migrate([DatabaseScene.tables, Self.second]) }

        #expect(try await database.rows(SQLStatement("SELECT id, color FROM thing")) == [[.text("a"), .text("red")]])
        #expect(try await database.integer("SELECT MAX(number) FROM migration") == 2)
    }

    @Test(arguments: DatabaseKind.here)
    func `SQL statements prepared before a database migration return the new columns`(_ kind: DatabaseKind) async throws
    {
        let scene = try await kind.scene(in: folder)
        try await scene.makeTables()
        let another = try await scene.another()
        let all = SQLStatement("SELECT * FROM thing")
        try await scene.database.add(.thing("a"))
        for _ in 0..<20 { #expect(try await another.rows(all).first?.count == 5) }

        try await scene.database.migrate([DatabaseScene.tables, Self.second])

        for _ in 0..<20 { #expect(try await another.rows(all).first?.count == 6) }
    }

    @Test(arguments: DatabaseKind.here)
    func `a failed database migration is rolled back, and the earlier migrations remain`(_ kind: DatabaseKind)
        async throws
    {
        let database = try await kind.scene(in: folder).database
        let half = SQLMigration(
            number: 2,
            statements: ["CREATE TABLE other (id TEXT PRIMARY KEY)", "CREATE TABLE thing (id TEXT PRIMARY KEY)"])

        await expect(throwing: .unavailable) { try await database.migrate([DatabaseScene.tables, half]) }

        #expect(try await database.integer("SELECT MAX(number) FROM migration") == 1)
        #expect(try await database.integer("SELECT COUNT(*) FROM thing") == 0)
        await expect(throwing: .unavailable) { try await database.integer("SELECT COUNT(*) FROM other") }
        try await database.migrate([DatabaseScene.tables, Self.second])
        #expect(try await database.integer("SELECT MAX(number) FROM migration") == 2)
    }

    @Test(arguments: DatabaseKind.here)
    func `a database of a later version is refused and not changed`(_ kind: DatabaseKind) async throws {
        let database = try await kind.scene(in: folder).database
        try await database.migrate([DatabaseScene.tables, Self.second])

        await expect(throwing: .newerVersion) { try await database.migrate([DatabaseScene.tables]) }

        #expect(try await database.integer("SELECT MAX(number) FROM migration") == 2)
    }

    @Test(arguments: DatabaseKind.here)
    func `servers that start at the same time apply each database migration once`(_ kind: DatabaseKind) async throws {
        let scene = try await kind.scene(in: folder)
        var servers = [scene.database]
        for _ in 0..<3 { servers.append(try await scene.another()) }

        try await withThrowingTaskGroup(of: Void.self) { group in
            for server in servers {
                group.addTask { try await server.migrate([DatabaseScene.tables, Self.second]) }
            }
            try await group.waitForAll()
        }

        #expect(try await scene.database.integer("SELECT COUNT(*) FROM thing") == 0)
        #expect(try await scene.database.integer("SELECT MAX(number) FROM migration") == 2)
    }

    // MARK: Announcements

    @Test(arguments: DatabaseKind.here)
    func `all servers on one database receive announcements of changed customers`(_ kind: DatabaseKind) async throws {
        let scene = try await kind.scene(in: folder)
        let another = try await scene.another()
        let streams = [scene.database.announcements(), scene.database.announcements(), another.announcements()]
        // More than one message of PostgreSQL holds.
        let customers = (0..<1_000).map { number in
            ChangedCustomer(
                "customer-\(number)-\(String(repeating: "x", count: number % 40))",
                sequence: number.isMultiple(of: 7) ? nil : Int64(number))
        }

        for place in stride(from: 0, to: 1_000, by: 10) {
            (place.isMultiple(of: 20) ? scene.database : another).announce(Array(customers[place..<place + 10]))
        }

        for stream in streams {
            var missing = Set(customers)
            for await announcement in stream {
                guard case .changed(let some) = announcement else {
                    Issue.record("a message was lost")
                    break
                }
                #expect(!some.isEmpty)
                missing.subtract(some)
                if missing.isEmpty { break }
            }
            #expect(missing.isEmpty)
        }
    }

    @Test(arguments: DatabaseKind.here)
    func `a closing server still announces its last changes to the other servers`(_ kind: DatabaseKind) async throws {
        let scene = try await kind.scene(in: folder)
        let another = try await scene.another()
        var announcements = another.announcements().makeAsyncIterator()

        scene.database.announce([ChangedCustomer("customer", sequence: 7)])
        await scene.database.close()

        #expect(await announcements.next() == .changed([ChangedCustomer("customer", sequence: 7)]))
    }

    @Test func `a slow reader of change announcements is notified that it has missed some of them`() async {
        let streams = DatabaseAnnouncement.broadcast()
        let (slow, late) = (streams.stream(), streams.stream())

        func message(_ number: Int64) -> DatabaseAnnouncement {
            .changed([ChangedCustomer("customer", sequence: number)])
        }
        for number in 0..<1_000 { streams.send(message(Int64(number))) }
        var reader = late.makeAsyncIterator()
        for number in 0..<1_000 { #expect(await reader.next() == message(Int64(number))) }
        for number in 1_000..<2_000 { streams.send(message(Int64(number))) }
        streams.finish()

        var (stored, missed) = (0, 0)
        for await announcement in slow { (stored, missed) = (stored + 1, missed + (announcement == .missed ? 1 : 0)) }
        #expect(missed > 0)
        #expect(stored <= 1_024)
        for number in 1_000..<2_000 { #expect(await reader.next() == message(Int64(number))) }
        #expect(await reader.next() == nil)
    }

    @Test(arguments: DatabaseKind.here)
    func `a closed database ends its streams and fails all later calls`(_ kind: DatabaseKind) async throws {
        let scene = try await kind.scene(in: folder)
        try await scene.makeTables()
        let database = scene.database
        let stream = database.announcements()

        await database.close()
        await database.close()

        for await _ in stream {}
        for await _ in database.announcements() {}
        database.announce([ChangedCustomer("customer", sequence: 1)])
        await expect(throwing: .unavailable) { try await database.rows(SQLStatement("SELECT 1")) }
        await expect(throwing: .unavailable) { try await database.write([.thing("a")]) }
        await expect(throwing: .unavailable) { try await database.transact([SQLStep(.thing("a"))]) }
        await expect(throwing: .unavailable) { try await database.migrate([DatabaseScene.tables]) }
    }

    @Test(arguments: DatabaseKind.here)
    func `a write during the close of a database succeeds or fails as unavailable`(_ kind: DatabaseKind) async throws {
        let scene = try await kind.scene(in: folder)
        try await scene.makeTables()
        let database = scene.database

        let written = await withTaskGroup(of: Int?.self) { group in
            for number in 0..<200 {
                group.addTask {
                    if number == 50 { await database.close() }
                    do throws(DatabaseError) {
                        _ = try await database.write([.thing("t\(number)")])
                        return number
                    } catch {
                        #expect(error.code == .unavailable)
                        return nil
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }

        #expect(written.count == 200)
    }
}

@Suite struct SQLDialectTests {
    struct Template: Sendable, CustomTestStringConvertible {
        let id: String
        let sql: String
        let sqlite: String?
        let postgresql: String?

        var testDescription: String { id }
    }

    static let templates = [
        Template(id: "no place", sql: "DROP TABLE a", sqlite: "DROP TABLE a", postgresql: "DROP TABLE a"),
        Template(
            id: "types", sql: "a {bytes}, b {integer}", sqlite: "a BLOB, b INTEGER", postgresql: "a BYTEA, b BIGINT"),
        Template(
            id: "parts", sql: "T {sqlite: STRICT}{postgresql: BY (a)}", sqlite: "T STRICT", postgresql: "T BY (a)"),
        Template(id: "for one alone", sql: "{postgresql: COMMENT}", sqlite: nil, postgresql: "COMMENT"),
        Template(id: "an open bracket", sql: "a { b", sqlite: "a { b", postgresql: "a { b"),
    ]

    @Test(arguments: templates)
    func `a migration statement is translated into the SQL dialect of each database`(_ template: Template) {
        #expect(SQLDialect.sqlite.statement(template.sql) == template.sqlite)
        #expect(SQLDialect.postgresql.statement(template.sql) == template.postgresql)
    }
}
