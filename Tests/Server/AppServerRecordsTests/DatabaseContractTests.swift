import Foundation
import Testing
import VitrineAppServerRecords
import VitrineSupport
import VitrineTestSupport

/// Contract of every database of a server.
@Suite(.hangLimit) struct DatabaseContractTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test(.enabled(if: DatabaseKind.obstacle == nil, "\(DatabaseKind.obstacle ?? "")"))
    func `the database tests include PostgreSQL if it is installed`() async throws {
        let database = try await DatabaseKind.postgresql.scene(in: folder).database
        let version = try await database.rows(SQLStatement("SELECT version()")).first?.first?.text
        #expect(version?.hasPrefix("PostgreSQL") == true)
        #expect(DatabaseKind.here == [.memory, .sqlite, .postgresql])
    }

    // MARK: Values

    struct StoredValues: Sendable, CustomTestStringConvertible {
        let id: String
        var note: SQLValue = .null
        var data: SQLValue = .null
        var mark: SQLValue = .null

        var testDescription: String { id }
    }

    static let values = [
        StoredValues(id: "nothing"),
        StoredValues(id: "empty", note: .text(""), data: .bytes(Data()), mark: .integer(0)),
        StoredValues(id: "unicode", note: .text("Zürich e\u{301} 🧭 \u{FFFF}\u{1}'\"\\$1"), mark: .integer(-1)),
        StoredValues(id: "least", data: .bytes(Data([0])), mark: .integer(.min)),
        StoredValues(id: "most", data: .bytes(Data(0...255)), mark: .integer(.max)),
        StoredValues(
            id: "large", note: .text(String(repeating: "ø", count: 300_000)),
            data: .bytes(Data(repeating: 0x5C, count: 1_000_000))),
        StoredValues(id: "slice", data: .bytes(Data([1, 2, 3, 4]).dropFirst())),
    ]

    @Test(arguments: DatabaseKind.here, values)
    func `values of all types are read from the database as they were stored`(
        _ kind: DatabaseKind, _ values: StoredValues
    ) async throws {
        let scene = try await kind.scene(in: folder)
        try await scene.makeTables()
        let database = scene.database

        let changes = try await database.write([
            SQLStatement(
                "INSERT INTO thing (id, count, note, data, mark) VALUES ($1, $2, $3, $4, $5)",
                .text(values.id), .integer(1), values.note, values.data, values.mark)
        ])

        #expect(changes == [1])
        let rows = try await database.rows(
            SQLStatement("SELECT id, note, data, mark FROM thing WHERE id = $1", .text(values.id)))
        #expect(rows == [[.text(values.id), values.note, values.data, values.mark]])
        let found = try await database.integer(
            "SELECT COUNT(*) FROM thing WHERE note = $1 OR data = $2 OR mark = $3", values.note, values.data,
            values.mark)
        #expect(found == (values.id == "nothing" ? 0 : 1))
    }

    @Test(arguments: DatabaseKind.here)
    func `null is stored in each type of column, also by a conditional insert`(_ kind: DatabaseKind) async throws {
        let scene = try await kind.scene(in: folder)
        try await scene.makeTables()
        let database = scene.database
        try await database.add(.thing("guard"))

        let changes = try await database.write([
            SQLStatement(
                """
                INSERT INTO thing (id, count, note, data, mark)
                SELECT $1, $2, $3, $4, $5 FROM thing WHERE id = $6 AND ($3 IS NULL OR count = $2)
                """, .text("copy"), .integer(7), .null, .null, .null, .text("guard")),
            SQLStatement("UPDATE thing SET note = $1, data = $1, mark = $1 WHERE id = $2", .null, .text("guard")),
        ])

        #expect(changes == [1, 1])
        let rows = try await database.rows(SQLStatement("SELECT id, count, note, data, mark FROM thing ORDER BY id"))
        #expect(
            rows == [
                [.text("copy"), .integer(7), .null, .null, .null], [.text("guard"), .integer(1), .null, .null, .null],
            ])
    }

    @Test(arguments: DatabaseKind.here)
    func `a statement parameter can be used several times and in any order`(_ kind: DatabaseKind) async throws {
        let scene = try await kind.scene(in: folder)
        try await scene.makeTables()
        let database = scene.database

        try await database.add(
            SQLStatement(
                "INSERT INTO thing (id, note, mark, count) VALUES ($2, '$1 ' || $2, $1, $1)", .integer(4), .text("a")))

        let sql = """
            SELECT id, note, mark + count, (SELECT COUNT(*) FROM thing WHERE id = $10), SUM(count) OVER (), count = mark
            FROM thing WHERE count = $1 AND mark = $1 AND id = $10
            """
        var values = Array(repeating: SQLValue.null, count: 10)
        (values[0], values[9]) = (.integer(4), .text("a"))
        #expect(
            try await database.rows(SQLStatement(sql, values: values))
                == [[.text("a"), .text("$1 a"), .integer(8), .integer(1), .integer(4), .integer(1)]])
    }

    @Test(arguments: DatabaseKind.here)
    func `a text with a null character is refused in writes, transactions and queries`(_ kind: DatabaseKind)
        async throws
    {
        let scene = try await kind.scene(in: folder)
        try await scene.makeTables()
        let database = scene.database

        await expect(throwing: .conflict) { try await database.add(.thing("a\0b")) }
        await expect(throwing: .conflict) { try await database.transact([SQLStep(.thing("a\0b"))]) }
        await expect(throwing: .conflict) {
            try await database.rows(SQLStatement("SELECT id FROM thing WHERE id = $1", .text("\0")))
        }

        #expect(try await database.integer("SELECT COUNT(*) FROM thing") == 0)
    }

    @Test(arguments: DatabaseKind.here)
    func `an invalid SQL statement does not affect other statements, and its error omits parameter values`(
        _ kind: DatabaseKind
    )
        async throws
    {
        let scene = try await kind.scene(in: folder)
        try await scene.makeTables()
        let database = scene.database

        async let good = database.write([.thing("good")])
        let error = await expect(throwing: .unavailable) {
            try await database.write([
                .thing("bad"), SQLStatement("INSERT INTO nowhere VALUES ($1)", .text("secret")),
            ])
        }

        #expect(error?.reason.contains("nowhere") == true)
        #expect(error?.reason.contains("secret") == false)
        #expect(try await good == [1])
        #expect(try await database.rows(SQLStatement("SELECT id FROM thing")) == [[.text("good")]])
    }
}
