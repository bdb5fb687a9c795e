public import Foundation
internal import GRDB
public import VitrineEntitlements
internal import VitrineFileSystem
public import VitrineSupport

/// Ledger in a SQLite file: durable once `append` returns, and shared by any number of processes.
///
/// SQLite runs in WAL mode with `synchronous=FULL`, so `append` returns only after the commit is on the disk. Facts
/// that are appended at the same time are committed together, each call with its own result. A process that finds the
/// file locked waits for up to thirty seconds.
///
/// The latest entries are in the write-ahead log beside the file until nothing was written for two seconds, until
/// ``checkpoint()``, or until the last process closes the ledger. A copy of a ledger that is in use must therefore
/// contain both the file and its log.
public struct SQLiteLedger: Ledger {
    private let database: DatabaseQueue
    private let commits: GroupCommit<[DatedFact], LedgerWriter.Answer>
    /// Checkpoint of the write-ahead log; `nil` for a copy in memory, which has none.
    private let log: LogCheckpoint?
    private let damageMark: DamageMark
    /// Error of opening the file if this ledger is a read-only copy in memory; `nil` if the ledger is the file itself.
    private let writeError: LedgerError?

    /// Maximum size of a ledger that is checked completely for damage each time it is opened, in pages: 4 MiB.
    private static let smallPageCount = 1_024

    /// Opens a ledger, and creates one that only its owner can read if the file does not exist. A ledger of up to 4 MiB is checked completely for
    /// damage. In a larger ledger, the balances and all entries that affect ownership are checked.
    ///
    /// - Throws: `LedgerError`: `unavailable` if the file cannot be opened or created, `damaged` if it is not a ledger
    ///   or has a format from before the first release, `newerVersion` if a later version of Vitrine has written it.
    public init(url: URL) throws(LedgerError) { try self.init(url: url, lockTimeout: 30) }

    /// Opens a ledger, as ``init(url:)`` does, with a given timeout.
    ///
    /// - Parameters:
    ///   - lockTimeout: Maximum time to wait for the lock of another process, in seconds.
    ///   - sleep: Function that waits for a duration; called before the write-ahead log is written into the ledger's
    ///     file.
    package init(
        url: URL, lockTimeout: TimeInterval = 30,
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) throws(LedgerError) {
        do {
            var configuration = Configuration()
            configuration.label = "Vitrine ledger"
            configuration.busyMode = .timeout(lockTimeout)
            configuration.prepareDatabase(LedgerSchema.prepare)
            OwnerAccess.createFile(url)
            database = try DatabaseQueue(path: url.path(percentEncoded: false), configuration: configuration)
            try LedgerSchema.create(in: database)
            try database.read(Self.examineIfSmall)
        } catch {
            throw LedgerError(storage: error)
        }
        commits = LedgerWriter.commits(to: database, lockTimeout: lockTimeout)
        log = LogCheckpoint(database, lockTimeout: lockTimeout, sleep: sleep)
        damageMark = DamageMark(ledger: url)
        writeError = nil
        log?.noteWrite()
    }

    /// Opens a read-only copy of a ledger in memory, because SQLite cannot open the file while its folder is not
    /// writable.
    ///
    /// - Parameter error: The error of opening the ledger, which is thrown by every function that writes to the copy.
    /// - Throws: `LedgerError` if the copy is not an intact ledger.
    package init(readOnlyCopyOf url: URL, because error: LedgerError) throws(LedgerError) {
        do {
            guard let image = try DatabaseImage(of: url) else { throw error }
            database = try image.open()
            guard try database.read(LedgerSchema.isCreated) else { throw error }
            try database.read(Self.examineIfSmall)
        } catch {
            throw LedgerError(storage: error)
        }
        commits = LedgerWriter.commits(to: database, lockTimeout: 0)
        log = nil
        damageMark = DamageMark(ledger: url)
        writeError = error
    }

    /// `true` if the ledger is a read-only copy in memory.
    package var isReadOnly: Bool { writeError != nil }

    public func append(_ facts: [DatedFact]) async throws(LedgerError) -> [LedgerEntry] {
        if let writeError { throw writeError }
        do {
            defer { log?.noteWrite() }
            return try await commits.answer(to: facts).get()
        } catch {
            throw marked(error)
        }
    }

    public func merge(
        _ facts: [ExchangedFact], adjusting wallets: Set<String>, overdrafts policy: OverdraftPolicy?, at date: Date
    ) async throws(LedgerError) -> LedgerMerge {
        try await write { values in
            let table = EntryTable(database: values.database)
            var rules = LedgerRules(table)
            var merge = LedgerMerge()
            merge.problems = try rules.merge(facts, adjusting: wallets, overdrafts: policy, at: date)
            merge.entries = try table.record(rules)
            return merge
        }
    }

    public func entries(after sequence: Int64) async throws(LedgerError) -> [LedgerEntry] {
        try await read { try $0.entries(after: sequence) }
    }

    public func checkWritable() async throws(LedgerError) -> Int64 {
        if let writeError { throw writeError }
        do {
            return try await database.writeWithoutTransaction { [damageMark] database in
                try database.checkInPlace()
                guard !damageMark.isSet else {
                    throw LedgerError(
                        code: .damaged, reason: "the ledger is damaged; opening it again repairs or replaces it")
                }
                return try EntryTable(database: database).checkWritable()
            }
        } catch {
            throw marked(LedgerError(storage: error))
        }
    }

    public func entry(of kind: Fact.Kind, key: String) async throws(LedgerError) -> LedgerEntry? {
        try await read { try $0.entry(of: kind, key: key) }
    }

    public func isRevoked(_ purchaseID: String) async throws(LedgerError) -> Bool {
        try await read { try $0.revocationState(of: purchaseID)?.revocation != nil }
    }

    public func summary() async throws(LedgerError) -> LedgerSummary {
        try await read { try $0.summary() }
    }

    public func advance(_ name: String, to value: Int64) async throws(LedgerError) -> Int64 {
        try StoredValue.check(name: name)
        return try await write { try $0.advance(name, to: value) }
    }

    public func highest(_ name: String) async throws(LedgerError) -> Int64? {
        try StoredValue.check(name: name)
        return try await read { try StoredValueTables(database: $0.database).highest(name) }
    }

    public func setValue(_ data: Data, for name: String) async throws(LedgerError) {
        try StoredValue.check(data, name: name)
        try await write { try $0.setValue(data, for: name) }
    }

    public func value(for name: String) async throws(LedgerError) -> Data? {
        try StoredValue.check(name: name)
        return try await read { try StoredValueTables(database: $0.database).value(for: name) }
    }

    private static func examineIfSmall(_ database: Database) throws {
        guard try Int.fetchOne(database, sql: "PRAGMA page_count") ?? 0 <= smallPageCount else { return }
        if let reason = try reason(in: database) { throw LedgerError(code: .damaged, reason: reason) }
    }

    /// Checks the whole ledger for damage, and returns the errors; empty for an intact ledger.
    ///
    /// - Throws: `LedgerError` if the file cannot be read.
    public func damage() async throws(LedgerError) -> [String] {
        do {
            return try await database.read { try LedgerExamination(database: $0).errors() }
        } catch {
            throw marked(LedgerError(storage: error))
        }
    }

    /// Writes the content of the write-ahead log into the file, so that the file alone is the whole ledger until the
    /// next write. Does nothing while another process reads or writes the ledger.
    public func checkpoint() async { await log?.checkpoint() }

    /// Marks the ledger as damaged, so that all of it is checked, and repaired, when it is opened again.
    package func markAsDamaged() { damageMark.set() }

    /// Writes a repaired copy of a damaged ledger, if each damaged part of the entries has an intact copy in an index.
    ///
    /// - Parameter copy: The location of the copy, where no file exists yet.
    /// - Returns: `true` if the copy is an intact ledger with all entries.
    /// - Throws: `LedgerError` `unavailable` if the ledger cannot be read or the copy cannot be written.
    package static func repair(_ url: URL, to copy: URL) async throws(LedgerError) -> Bool {
        do {
            return try await reader(of: url).writeWithoutTransaction { database in
                try LedgerSchema.isCreated(in: database)
                    && LedgerExamination(database: database).writeRepairedCopy(to: copy)
            }
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
            // The file has entries that no ledger would record.
            return false
        } catch {
            let error = LedgerError(storage: error)
            guard error.code == .damaged else { throw error }
            return false
        }
    }

    private static func reader(of url: URL) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.busyMode = .timeout(30)
        return try DatabaseQueue(path: url.path(percentEncoded: false), configuration: configuration)
    }

    /// Checks a whole ledger file for damage, and returns the first error, or that the file is not a ledger at all;
    /// `nil` for an intact ledger.
    ///
    /// SQLite may report a read error as damage (`SQLITE_IOERR_CORRUPTFS`). A file that SQLite calls damaged is
    /// therefore read into memory and checked there. A file that is too large for that counts as damaged if two checks
    /// find damage.
    ///
    /// - Throws: `LedgerError` `unavailable` if the file cannot be read to its end.
    public static func damage(of url: URL) async throws(LedgerError) -> String? {
        guard try damageFoundOnce(in: url) != nil else { return nil }
        do {
            guard let image = try DatabaseImage(of: url) else { return try damageFoundOnce(in: url) }
            return try await image.open().read(reason)
        } catch {
            let error = LedgerError(storage: error)
            guard error.code == .damaged else { throw error }
            return error.reason
        }
    }

    private static func reason(in database: Database) throws -> String? {
        try LedgerExamination(database: database).errors().first.map { "the ledger is damaged: \($0)" }
    }

    private static func damageFoundOnce(in url: URL) throws(LedgerError) -> String? {
        do {
            return try reader(of: url).read(reason)
        } catch {
            let error = LedgerError(storage: error)
            guard error.code == .damaged else { throw error }
            return error.reason
        }
    }

    /// Marks the ledger as damaged if an error has the code `damaged`, and returns the error.
    private func marked(_ error: LedgerError) -> LedgerError {
        if error.code == .damaged, !isReadOnly { damageMark.set() }
        return error
    }

    private func write<Value: Sendable>(
        _ body: @escaping @Sendable (StoredValueTables) throws -> Value
    ) async throws(LedgerError) -> Value {
        if let writeError { throw writeError }
        do {
            defer { log?.noteWrite() }
            return try await database.write { database in
                let value = try body(StoredValueTables(database: database))
                try database.checkInPlace()
                return value
            }
        } catch {
            throw marked(LedgerError(storage: error))
        }
    }

    private func read<Value: Sendable>(
        _ body: @escaping @Sendable (EntryTable) throws -> Value
    ) async throws(LedgerError) -> Value {
        do {
            return try await database.read { try body(EntryTable(database: $0)) }
        } catch {
            throw marked(LedgerError(storage: error))
        }
    }
}

extension LedgerError {
    init(storage error: any Error) {
        switch error {
        case let error as LedgerError: self = error
        case is CancellationError:
            self.init(code: .unavailable, reason: "the ledger was not used, because the calling task was cancelled")
        // `SQLITE_ERROR` means damage: the statements match the tables, unless the SQL of a table was changed in the
        // file.
        case let error as DatabaseError
        where [.SQLITE_NOTADB, .SQLITE_CORRUPT, .SQLITE_ERROR].contains(error.resultCode):
            self.init(code: .damaged, reason: "the ledger is damaged: \(Self.reason(for: error))")
        case let error as DatabaseError:
            self.init(code: .unavailable, reason: "the ledger cannot be used: \(Self.reason(for: error))")
        default:
            self.init(code: .unavailable, reason: "the ledger cannot be used: \(BoundedFile.reason(for: error))")
        }
    }

    /// Returns the description of an error of SQLite. The messages of the ledger's own triggers are used as they are.
    private static func reason(for error: DatabaseError) -> String {
        let isOwn = error.extendedResultCode == .SQLITE_CONSTRAINT_TRIGGER
        return isOwn ? error.message ?? "" : DatabaseReason.reason(forCode: error.resultCode.rawValue)
    }
}
