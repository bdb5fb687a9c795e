import Foundation
import Testing
import VitrineAppServerRecords
import VitrineSupport
import VitrineTestSupport

/// Database file of SQLite.
@Suite(.hangLimit) struct SQLiteCustomerDatabaseTests {
    private let folder: TemporaryFolder
    private var file: URL { folder["data/customers.sqlite"] }

    init() throws { folder = try TemporaryFolder() }

    private func open() throws -> SQLiteCustomerDatabase { try SQLiteCustomerDatabase(file: file) }

    @Test func `a reopened SQLite database has the same contents, in WAL mode and with private file permissions`()
        async throws
    {
        let first = try open()
        try await first.migrate([DatabaseScene.tables])
        try await first.add(.thing("a"))
        await first.close()

        let second = try open()
        try await second.migrate([DatabaseScene.tables])

        #expect(try await second.integer("SELECT COUNT(*) FROM thing") == 1)
        #expect(try await second.rows(SQLStatement("PRAGMA journal_mode")) == [[.text("wal")]])
        #expect(try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int == 0o600)
    }

    static let settings: [(name: String, value: Int64)] = [
        ("synchronous", 2), ("temp_store", 2), ("wal_autocheckpoint", 4_000),
    ]

    @Test(arguments: settings)
    func `the SQLite connection that writes syncs each commit, and avoids further writes to files`(
        _ setting: (name: String, value: Int64)
    ) async throws {
        // A database in memory reads through the same connection.
        let database = try SQLiteCustomerDatabase.inMemory()
        #expect(try await database.integer("PRAGMA \(setting.name)") == setting.value)
    }

    @Test func `a SQLite database is refused to a second server until the first one closes it`() async throws {
        let first = try open()

        let error = await expect(throwing: .refused) { try open() }
        #expect(error?.reason.contains("another server") == true)

        await first.close()
        _ = try open()
    }

    @Test func `a file that is not a SQLite database is refused and not changed`() async throws {
        let text = Data(String(repeating: "not a database. ", count: 500).utf8)
        try folder.write(text, to: "data/customers.sqlite")
        await expect(throwing: .refused) { try open() }
        #expect(try Data(contentsOf: file) == text)

        try FileManager.default.removeItem(at: file)
        try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
        let error = await expect(throwing: .refused) { try open() }
        #expect(error?.reason.contains("it is not a file") == true)

        try FileManager.default.removeItem(at: folder["data"])
        try folder.write("", to: "data")
        await expect(throwing: .refused) { try open() }
    }

    @Test func `a database of another program is refused`() async throws {
        let first = try open()
        try await first.migrate([DatabaseScene.tables])
        _ = try await first.write([SQLStatement("PRAGMA application_id = 77")])
        await first.close()

        let error = await expect(throwing: .refused) { try open() }

        #expect(error?.reason.contains("another program") == true)
    }

    @Test func `a server can start while its database is checked`() async throws {
        let first = try open()
        try await first.migrate([DatabaseScene.tables])
        await first.close()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<2 {
                group.addTask { [file] in for _ in 0..<50 { try await SQLiteCustomerDatabase.check(file: file) } }
            }
            for _ in 0..<20 { await (try open()).close() }
            try await group.waitForAll()
        }
    }

    @Test func `a database is checked also while a server uses its folder, and is not changed`() async throws {
        let database = try open()
        try await database.migrate([DatabaseScene.tables])
        try await SQLiteCustomerDatabase.check(file: file)
        _ = try await database.write([SQLStatement("PRAGMA application_id = 77")])
        let error = await expect(throwing: .refused) { try await SQLiteCustomerDatabase.check(file: file) }
        #expect(error?.reason.contains("another program") == true)
        await database.close()

        let content = try Data(contentsOf: file)
        await expect(throwing: .refused) { try await SQLiteCustomerDatabase.check(file: file) }
        #expect(try Data(contentsOf: file) == content)
        try await SQLiteCustomerDatabase.check(file: folder["data/other.sqlite"])
        #expect(!folder.has("data/other.sqlite"))
    }

    @Test func `the data folder is not created if its parent folder does not exist`() async throws {
        await expect(throwing: .unavailable) { try SQLiteCustomerDatabase(file: folder["a/b/customers.sqlite"]) }
        #expect(!folder.has("a"))
    }

    @Test func `a write fails after the database file was moved away`() async throws {
        let database = try open()
        try await database.migrate([DatabaseScene.tables])
        try await database.add(.thing("a"))

        try FileManager.default.moveItem(at: file, to: folder["data/moved.sqlite"])

        let error = await expect(throwing: .unavailable) { try await database.write([.thing("b")]) }
        #expect(error?.reason.contains("removed or replaced") == true)
    }

    @Test func `a write that exceeds the disk space fails, and reads still succeed`() async throws {
        let database = try open()
        try await database.migrate([DatabaseScene.tables])
        try await database.add(.thing("a"))
        _ = try await database.write([SQLStatement("PRAGMA max_page_count = 20")])

        let error = await expect(throwing: .unavailable) {
            try await database.write([
                SQLStatement(
                    "INSERT INTO thing (id, count, data) VALUES ('large', 1, $1)", .bytes(Data(count: 1_000_000)))
            ])
        }

        #expect(error?.reason.contains("the disk is full") == true)
        #expect(try await database.integer("SELECT COUNT(*) FROM thing") == 1)
        try await database.add(.thing("b"))
    }
}
