import Foundation
import Testing
import VitrineAppServerRecords
import VitrineSupport
import VitrineTestSupport

/// Concurrent changes of a database, the same for each kind of database.
@Suite(.hangLimit) struct DatabaseChangeTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test(arguments: DatabaseKind.here)
    func `hundreds of concurrent database writers each receive the result of their own changes`(_ kind: DatabaseKind)
        async throws
    {
        let scene = try await kind.scene(in: folder)
        try await scene.makeTables()
        let database = scene.database
        try await database.add(.thing("taken"))

        // Each tenth contradicts a primary key, each tenth a deferred foreign key, each tenth a condition.
        let answers = await withTaskGroup(of: (Int, Result<[Int], DatabaseError>).self) { group in
            for number in 0..<400 {
                group.addTask {
                    let id = "t\(number)"
                    var statements = [SQLStatement.thing(id), .part(of: id, 1), .part(of: id, 2)]
                    switch number % 10 {
                    case 3: statements.append(.thing("taken"))
                    case 5: statements.append(.part(of: "nothing", Int64(number)))
                    case 7: statements.append(.thing("\(id)-less", count: -1))
                    default:
                        statements.append(
                            SQLStatement("UPDATE part SET number = number + 10 WHERE thing = $1", .text(id)))
                    }
                    do throws(DatabaseError) {
                        return (number, .success(try await database.write(statements)))
                    } catch {
                        return (number, .failure(error))
                    }
                }
            }
            return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }

        for (number, answer) in answers {
            if [3, 5, 7].contains(number % 10) {
                #expect(throws: DatabaseError.self, "caller \(number)") { try answer.get() }
                if case .failure(let error) = answer { #expect(error.code == .conflict, "\(error)") }
            } else {
                #expect(try answer.get() == [1, 1, 1, 2], "caller \(number)")
            }
        }
        #expect(answers.count == 400)
        #expect(try await database.integer("SELECT COUNT(*) FROM thing") == 1 + 280)
        #expect(try await database.integer("SELECT COUNT(*) FROM part WHERE number > 10") == 560)
        #expect(try await database.integer("SELECT COUNT(*) FROM part") == 560)
    }

    @Test(arguments: DatabaseKind.here)
    func `concurrent database updates based on a previously read value are never lost or applied twice`(
        _ kind: DatabaseKind
    )
        async throws
    {
        let scene = try await kind.scene(in: folder)
        try await scene.makeTables()
        let (database, another) = (scene.database, try await scene.another())
        try await database.add(.thing("account", count: 0))

        // Two servers with fifty callers each raise a number from what they have read.
        let wins = try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<100 {
                group.addTask {
                    let server = number.isMultiple(of: 2) ? database : another
                    var wins = 0
                    for _ in 0..<5 {
                        let count = try await server.integer("SELECT count FROM thing WHERE id = 'account'") ?? -1
                        let changes = try await server.write([
                            SQLStatement(
                                "UPDATE thing SET count = $2 + 1, note = $3 WHERE id = $1 AND count = $2",
                                .text("account"), .integer(count), .text("\(number)")),
                            SQLStatement(
                                "INSERT INTO part (thing, number) SELECT $1, $2 FROM thing WHERE id = $1 AND note = $3 AND count = $2 + 1",
                                .text("account"), .integer(count), .text("\(number)")),
                        ])
                        #expect(changes[0] == changes[1])
                        wins += changes[0]
                    }
                    return wins
                }
            }
            return try await group.reduce(0, +)
        }

        #expect(wins > 0)
        #expect(try await database.integer("SELECT count FROM thing WHERE id = 'account'") == Int64(wins))
        #expect(try await database.integer("SELECT COUNT(*) FROM part") == Int64(wins))
    }

    @Test(arguments: DatabaseKind.here)
    func `database rows written by one caller are visible to all other callers`(_ kind: DatabaseKind) async throws {
        let scene = try await kind.scene(in: folder)
        try await scene.makeTables()
        let (database, another) = (scene.database, try await scene.another())

        for number in 0..<50 {
            try await database.add(.thing("t\(number)"))
            async let here = database.integer("SELECT COUNT(*) FROM thing")
            async let there = another.integer("SELECT COUNT(*) FROM thing")
            #expect(try await [here, there] == [Int64(number + 1), Int64(number + 1)])
        }
    }

    @Test(arguments: DatabaseKind.here)
    func `callers that write the same database rows in different orders all succeed`(_ kind: DatabaseKind) async throws
    {
        let scene = try await kind.scene(in: folder)
        try await scene.makeTables()
        let (database, another) = (scene.database, try await scene.another())
        for id in ["a", "b", "c", "d"] { try await database.add(.thing(id, count: 0)) }

        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<60 {
                group.addTask {
                    let ids = number.isMultiple(of: 2) ? ["a", "b", "c", "d"] : ["d", "c", "b", "a"]
                    let statements = ids.map {
                        SQLStatement("UPDATE thing SET count = count + 1 WHERE id = $1", .text($0))
                    }
                    if number.isMultiple(of: 3) {
                        #expect(try await database.transact(statements.map { SQLStep($0, changing: 1) }))
                    } else {
                        _ = try await (number.isMultiple(of: 5) ? another : database).write(statements)
                    }
                }
            }
            try await group.waitForAll()
        }

        #expect(try await database.integer("SELECT SUM(count) FROM thing") == 240)
        #expect(try await database.integer("SELECT MIN(count) FROM thing") == 60)
    }

    // MARK: Transactions

    @Test(arguments: DatabaseKind.here)
    func `hundreds of concurrent database transactions each receive their own result`(_ kind: DatabaseKind) async throws
    {
        let scene = try await kind.scene(in: folder)
        try await scene.makeTables()
        let database = scene.database
        try await database.add(.thing("purse", count: 90))
        try await database.add(.thing("taken"))

        // More is asked of the purse than it holds; each seventh transaction contradicts a primary key.
        let answers = await withTaskGroup(of: (Int, Result<Bool, DatabaseError>).self) { group in
            for number in 0..<210 {
                group.addTask {
                    let spend = SQLStatement("UPDATE thing SET count = count - 1 WHERE id = 'purse' AND count >= 1")
                    var steps = [SQLStep(.thing("t\(number)"), changing: 1), SQLStep(spend, changing: 1)]
                    if number % 7 == 0 { steps.insert(SQLStep(.thing("taken"), changing: 1), at: 1) }
                    do throws(DatabaseError) {
                        return (number, .success(try await database.transact(steps)))
                    } catch {
                        return (number, .failure(error))
                    }
                }
            }
            return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }

        var done: Set<SQLRow> = []
        for (number, answer) in answers {
            switch answer {
            case .success(true): done.insert([.text("t\(number)")])
            case .success(false): #expect(number % 7 != 0)
            case .failure(let error): #expect(number % 7 == 0 && error.code == .conflict, "\(error)")
            }
        }
        #expect(answers.count == 210 && done.count == 90)
        #expect(try await database.integer("SELECT count FROM thing WHERE id = 'purse'") == 0)
        #expect(
            Set(try await database.rows(SQLStatement("SELECT id FROM thing WHERE id LIKE 't%' AND id <> 'taken'")))
                == done)
    }

    struct Transaction: Sendable, CustomTestStringConvertible {
        let id: String
        let steps: [SQLStep]
        /// Expected result of the transaction; `nil` for an error.
        let isDone: Bool?

        var testDescription: String { id }
    }

    static let transactions = [
        Transaction(id: "no steps", steps: [], isDone: true),
        Transaction(
            id: "all as required",
            steps: [
                SQLStep(.thing("a"), changing: 1), SQLStep(.part(of: "a", 1)),
                SQLStep(SQLStatement("UPDATE thing SET count = 9 WHERE id = 'taken'"), changing: 1),
                SQLStep(SQLStatement("DELETE FROM thing WHERE id = 'nothing'"), changing: 0),
            ], isDone: true),
        Transaction(
            id: "too few changes",
            steps: [
                SQLStep(.thing("a"), changing: 1),
                SQLStep(SQLStatement("UPDATE thing SET count = 9 WHERE count = 77"), changing: 1),
                SQLStep(.thing("b"), changing: 1),
            ], isDone: false),
        Transaction(
            id: "too many changes",
            steps: [
                SQLStep(.thing("a"), changing: 1), SQLStep(SQLStatement("UPDATE thing SET count = 9"), changing: 1),
            ],
            isDone: false),
        Transaction(
            id: "too few changes before a conflict",
            steps: [
                SQLStep(SQLStatement("UPDATE thing SET count = 9 WHERE count = 77"), changing: 1),
                SQLStep(.thing("taken"), changing: 1),
            ], isDone: false),
        Transaction(
            id: "a conflict", steps: [SQLStep(.thing("a"), changing: 1), SQLStep(.thing("taken"), changing: 1)],
            isDone: nil),
        Transaction(
            id: "a conflict at the end", steps: [SQLStep(.thing("a"), changing: 1), SQLStep(.part(of: "nothing", 1))],
            isDone: nil),
    ]

    @Test(arguments: DatabaseKind.here, transactions)
    func `a database transaction is applied completely or not at all`(_ kind: DatabaseKind, _ transaction: Transaction)
        async throws
    {
        let scene = try await kind.scene(in: folder)
        try await scene.makeTables()
        let database = scene.database
        try await database.add(.thing("taken"))
        let everything = SQLStatement(
            "SELECT id, count FROM thing UNION ALL SELECT thing, number FROM part ORDER BY 1, 2")
        let before = try await database.rows(everything)

        if let isDone = transaction.isDone {
            #expect(try await database.transact(transaction.steps) == isDone)
        } else {
            await expect(throwing: .conflict) { try await database.transact(transaction.steps) }
        }

        let after = try await database.rows(everything)
        #expect((after == before) == (transaction.isDone != true || transaction.steps.isEmpty))
        // The connection is as good as before.
        #expect(try await database.transact([SQLStep(.thing("next"), changing: 1)]))
    }
}
