#if PostgreSQL
    import VitrineAppServerRecords
    import VitrineAppServerPostgreSQL
    import VitrineSupport
    import Foundation
    import VitrineTestSupport
    import Testing

    /// Behavior of a server when PostgreSQL fails.
    @Suite(
        .blocksThreads, .hangLimit,
        .enabled(if: PostgreSQLServer.isInstalled, "PostgreSQL is not installed"))
    struct PostgreSQLCustomerDatabaseTests {
        private func impatient() -> PostgreSQLLimits {
            var limits = PostgreSQLLimits()
            (limits.patience, limits.lock, limits.statement) = (
                .milliseconds(50), .milliseconds(200), .milliseconds(500)
            )
            return limits
        }

        // MARK: Opening

        struct Address: Sendable, CustomTestStringConvertible {
            let id: String
            let connection: String
            let code: DatabaseErrorCode

            var testDescription: String { id }
        }

        static let addresses = [
            Address(id: "no server", connection: "host=/nowhere password=sesame user=a", code: .unavailable),
            Address(id: "no server at a port", connection: "postgresql://a:ses%61me@127.0.0.1:1/a", code: .unavailable),
            Address(id: "no host", connection: "host=sesame.invalid password=sesame", code: .unavailable),
            Address(id: "a word", connection: "sesame", code: .refused),
            Address(id: "an unknown option", connection: "sesame=1", code: .refused),
            Address(id: "an open quote", connection: "password='sesame", code: .refused),
            Address(id: "a wrong URL", connection: "postgresql://a:%sesame@127.0.0.1/a", code: .refused),
            Address(id: "a zero", connection: "password=sesame\0", code: .refused),
        ]

        @Test(arguments: addresses)
        func `the error for a database that cannot be opened omits the password`(_ address: Address) async {
            let error = await expect(throwing: address.code) {
                try await PostgreSQLCustomerDatabase.open(address.connection, limits: impatient())
            }
            #expect(error?.reason.contains("sesame") == false)
        }

        @Test func `the error for a wrong PostgreSQL password omits the password`() async throws {
            let server = try PostgreSQLServer.shared()
            let address = try server.makeDatabase()
            let error = await expect(throwing: .unavailable) {
                try await PostgreSQLCustomerDatabase.open(
                    "\(address) user=stranger password=sesame", limits: impatient())
            }
            #expect(error?.reason.contains("stranger") == true)
            #expect(error?.reason.contains("sesame") == false)
        }

        @Test func `a database of another program is refused`() async throws {
            let server = try PostgreSQLServer.shared()
            let address = try server.makeDatabase()
            try server.query("CREATE TABLE migration (name TEXT)", in: address)
            let database = try await PostgreSQLCustomerDatabase.open(address)

            await expect(throwing: .refused) { try await database.migrate([DatabaseScene.tables]) }

            await expect(throwing: .unavailable) { try await database.integer("SELECT COUNT(*) FROM thing") }
        }

        // MARK: Failures

        @Test func `a slow statement and a locked row fail within the time limit, and other statements succeed`()
            async throws
        {
            let address = try PostgreSQLServer.shared().makeDatabase()
            var limits = PostgreSQLLimits.unhurried
            limits.lock = .milliseconds(200)
            let database = try await PostgreSQLCustomerDatabase.open(address, connections: 2, limits: limits)
            let other = try await PostgreSQLCustomerDatabase.open(address, connections: 2, limits: .unhurried)
            let hasty = try await PostgreSQLCustomerDatabase.open(address, connections: 1, limits: impatient())
            try await database.migrate([DatabaseScene.tables])
            try await database.add(.thing("a"))

            let slow = await expect(throwing: .unavailable) {
                try await hasty.rows(SQLStatement("SELECT 1 FROM pg_sleep(3600)"))
            }
            #expect(slow?.reason == "a statement has taken too long")

            let gate = try await Gate(address)
            async let holder = other.write([SQLStatement("UPDATE thing SET count = 2 WHERE id = 'a'"), Gate.pass])
            try await gate.wait(for: 1)
            let locked = await expect(throwing: .unavailable) {
                try await database.write([SQLStatement("UPDATE thing SET count = 3 WHERE id = 'a'")])
            }
            #expect(locked?.reason.contains("locked") == true)
            #expect(try await database.write([.thing("b")]) == [1])
            try await gate.open()
            _ = try await holder
            #expect(try await database.integer("SELECT count FROM thing WHERE id = 'a'") == 2)
        }

        @Test func `a deadlock between two servers is resolved, and both changes are applied`() async throws {
            let address = try PostgreSQLServer.shared().makeDatabase()
            let one = try await PostgreSQLCustomerDatabase.open(address, connections: 1, limits: .unhurried)
            let other = try await PostgreSQLCustomerDatabase.open(address, connections: 1, limits: .unhurried)
            try await one.migrate([DatabaseScene.tables])
            for id in ["a", "b"] { try await one.add(.thing(id, count: 0)) }
            /// Returns statements that lock one row, wait until the other transaction has locked the other row, and
            /// then change that row.
            func changes(_ ids: String...) -> [SQLStatement] {
                let raise = ids.map { SQLStatement("UPDATE thing SET count = count + 1 WHERE id = $1", .text($0)) }
                return [raise[0], Gate.pass, raise[1]]
            }

            let gate = try await Gate(address)
            async let written = one.write(changes("a", "b"))
            async let isDone = other.transact(changes("b", "a").map { SQLStep($0, changing: 1) })
            try await gate.wait(for: 2)
            try await gate.open()

            #expect(try await written == [1, 1, 1])
            #expect(try await isDone)
            #expect(try await one.integer("SELECT SUM(count) FROM thing") == 4)
            let deadlocks = "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()"
            while try await one.integer(deadlocks) == 0 {}
        }

        @Test func `connections that PostgreSQL has closed are reopened before their next use`() async throws {
            let server = try PostgreSQLServer.shared()
            let address = try server.makeDatabase()
            let database = try await PostgreSQLCustomerDatabase.open(address, connections: 2)
            try await database.migrate([DatabaseScene.tables])
            var announcements = database.announcements().makeAsyncIterator()
            for number in 0..<5 {
                try await database.add(.thing("t\(number)"))
                try server.query(
                    """
                    SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
                    WHERE datname = current_database() AND pid <> pg_backend_pid()
                    """, in: address)
                #expect(await announcements.next() == .missed)
                #expect(try await database.integer("SELECT COUNT(*) FROM thing") == Int64(number + 1))
            }
            // The highest number counts, in whatever order the changes are announced.
            for sequence: Int64 in [1, 3, 2] { database.announce([ChangedCustomer("customer", sequence: sequence)]) }
            #expect(await announcements.next() == .changed([ChangedCustomer("customer", sequence: 3)]))
        }

        @Test func `a read whose connection ends is repeated, and a write is not`() async throws {
            let server = try PostgreSQLServer.shared()
            let address = try server.makeDatabase()
            let database = try await PostgreSQLCustomerDatabase.open(address, connections: 2, limits: .unhurried)
            try await database.migrate([DatabaseScene.tables])
            try await database.add(.thing("a"))
            let gate = try await Gate(address)

            async let read = database.integer(
                "SELECT count FROM thing, pg_advisory_xact_lock_shared(1) WHERE id = 'a'")
            try await gate.endWaiting()
            try await gate.open()
            #expect(try await read == 1)

            try await gate.close()
            async let error = expect(throwing: .unavailable) {
                try await database.write([SQLStatement("UPDATE thing SET count = 2 WHERE id = 'a'"), Gate.pass])
            }
            try await gate.endWaiting()
            try await gate.open()
            _ = await error
            #expect(try await database.integer("SELECT count FROM thing WHERE id = 'a'") == 1)
        }

        @Test func `calls wait for PostgreSQL during a short outage, and fail during a longer one`() async throws {
            let server = try PostgreSQLServer()
            let address = try server.makeDatabase()
            let database = try await PostgreSQLCustomerDatabase.open(address)
            try await database.migrate([DatabaseScene.tables])
            try await database.add(.thing("a"))

            try server.stop()
            async let patient = database.integer("SELECT COUNT(*) FROM thing")
            async let writer = database.write([.thing("b")])
            try server.restart()
            #expect(try await writer == [1])
            #expect([1, 2].contains(try await patient))

            let hasty = try await PostgreSQLCustomerDatabase.open(address, limits: impatient())
            try server.stop()
            let error = await expect(throwing: .unavailable) { try await hasty.integer("SELECT 1") }
            #expect(error?.reason.contains("PostgreSQL cannot be reached") == true)
            await expect(throwing: .unavailable) { try await hasty.write([.thing("c")]) }
            await hasty.close()
        }

        @Test func `acknowledged writes survive when PostgreSQL is killed repeatedly`() async throws {
            let server = try PostgreSQLServer()
            let address = try server.makeDatabase()
            let database = try await PostgreSQLCustomerDatabase.open(address)
            try await database.migrate([DatabaseScene.tables])
            var announcements = database.announcements().makeAsyncIterator()
            let written = Recorder<String>()
            let failed = Recorder<String>()

            let writers = Task {
                await withTaskGroup(of: Void.self) { group in
                    for writer in 0..<200 {
                        group.addTask {
                            var number = 0
                            while !Task.isCancelled {
                                number += 1
                                let id = "\(writer)-\(number)"
                                do throws(DatabaseError) {
                                    let changes = try await database.write([.thing(id), .part(of: id, 1)])
                                    if changes == [1, 1] { written.record(id) }
                                } catch {
                                    #expect(error.code == .unavailable, "\(error)")
                                    failed.record(id)
                                }
                            }
                        }
                    }
                }
            }
            for round in 1...3 {
                while written.values.count < round * 1_000 { await Task.yield() }
                try server.kill()
                try server.restart()
                #expect(await announcements.next() == .missed)
            }
            let before = written.values.count
            while written.values.count < before + 1_000 { await Task.yield() }
            writers.cancel()
            await writers.value

            let ids = try server.query("SELECT id FROM thing JOIN part ON thing = id", in: address)
            let stored = Set(ids.split(separator: "\n").map(String.init))
            #expect(Set(written.values).subtracting(stored).isEmpty)
            // A write of which nothing is known may have happened.
            #expect(stored.subtracting(written.values).subtracting(failed.values).isEmpty)
            #expect(try server.query("SELECT COUNT(*) FROM thing", in: address) == "\(stored.count)")
        }
    }

    extension PostgreSQLLimits {
        /// Limits that only a statement without an end reaches.
        fileprivate static var unhurried: PostgreSQLLimits {
            var limits = PostgreSQLLimits()
            (limits.patience, limits.lock, limits.statement) = (.seconds(3600), .seconds(3600), .seconds(3600))
            return limits
        }
    }

    /// Lock of PostgreSQL at which statements wait until a test lets them pass.
    private struct Gate {
        /// Waits at the gate until it is open.
        static let pass = SQLStatement("SELECT 1 FROM pg_advisory_xact_lock_shared(1)")

        private let session: PostgreSQLCustomerDatabase

        /// Creates a closed gate.
        init(_ address: String) async throws {
            session = try await PostgreSQLCustomerDatabase.open(address, connections: 1, limits: .unhurried)
            try await close()
        }

        func close() async throws { _ = try await session.rows(SQLStatement("SELECT 1 FROM pg_advisory_lock(1)")) }

        func open() async throws { _ = try await session.rows(SQLStatement("SELECT 1 WHERE pg_advisory_unlock(1)")) }

        /// Waits until a number of statements wait at the gate.
        func wait(for count: Int64) async throws {
            while try await session.integer("SELECT COUNT(*) \(Self.waiting)") ?? 0 < count {}
        }

        /// Ends the connections whose statements wait at the gate, as soon as there is one.
        func endWaiting() async throws {
            while try await session.integer("SELECT COUNT(pg_terminate_backend(pid)) \(Self.waiting)") == 0 {}
        }

        private static let waiting =
            "FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'advisory'"
    }
#endif
