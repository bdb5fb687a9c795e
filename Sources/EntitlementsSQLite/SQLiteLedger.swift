public import Entitlements
public import Foundation
internal import GRDB

/// Ledger in a SQLite file: durable once `append` returns, and shared by any number of processes.
///
/// SQLite runs in WAL mode with `synchronous=FULL`, so `append` returns only after the commit is on the disk. Facts
/// that are appended at the same time are committed together, each call with its own result. A process that finds the
/// file locked waits for up to thirty seconds.
public struct SQLiteLedger: Ledger {
    private let database: DatabaseQueue
    private let commits: GroupCommit
    private let damageMark: DamageMark

    /// Opens a ledger, and creates one if the file does not exist.
    ///
    /// - Throws: `LedgerError`: `unavailable` if the file cannot be opened or created, `damaged` if it is not a ledger,
    ///   `newerVersion` if a later version has written it.
    public init(url: URL) throws(LedgerError) {
        do {
            var configuration = Configuration()
            configuration.label = "Vitrine ledger"
            configuration.busyMode = .timeout(30)
            configuration.prepareDatabase(LedgerSchema.prepare)
            database = try DatabaseQueue(path: url.path(percentEncoded: false), configuration: configuration)
            try LedgerSchema.migrate(database)
        } catch {
            throw LedgerError(storage: error)
        }
        commits = GroupCommit(database)
        damageMark = DamageMark(ledger: url)
    }

    public func append(_ facts: [DatedFact]) async throws(LedgerError) -> [LedgerEntry] {
        do {
            return try await commits.append(facts)
        } catch {
            throw marked(error)
        }
    }

    public func entries(after sequence: Int64) async throws(LedgerError) -> [LedgerEntry] {
        try await read { try $0.entries(after: sequence) }
    }

    public func checkWritable() async throws(LedgerError) -> Int64 {
        do {
            return try await database.writeWithoutTransaction { [damageMark] database in
                try database.checkInPlace()
                guard !damageMark.isSet else {
                    throw LedgerError(
                        code: .damaged, reason: "the ledger is damaged, and is set aside when it is opened again")
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
        try await read { if case .revocation = try $0.revocationState(of: purchaseID) { true } else { false } }
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

    public func keep(_ data: Data, as name: String) async throws(LedgerError) {
        try StoredValue.check(data, name: name)
        try await write { try $0.keep(data, as: name) }
    }

    public func kept(_ name: String) async throws(LedgerError) -> Data? {
        try StoredValue.check(name: name)
        return try await read { try StoredValueTables(database: $0.database).kept(name) }
    }

    /// Returns the errors that SQLite's integrity check finds in the file, in SQLite's wording; empty for an intact
    /// file.
    ///
    /// - Throws: `LedgerError` if the file cannot be read.
    public func damage() async throws(LedgerError) -> [String] {
        try await read { try Self.integrityErrors($0.database) }
    }

    /// Returns the reason why a file is no intact ledger: the first error of SQLite's integrity check, in SQLite's
    /// wording, or a content that no ledger has. `nil` for an intact ledger.
    ///
    /// An error while the file is read is no damage, although SQLite may report it as such. The file counts as damaged
    /// only if it can be read to its end, and is found damaged before and after that.
    ///
    /// - Throws: `LedgerError` `unavailable` if the file cannot be read to its end.
    public static func damage(of url: URL) async throws(LedgerError) -> String? {
        guard try damageFoundOnce(in: url) != nil else { return nil }
        do {
            for suffix in ["", "-wal"] {
                let file = url.deletingLastPathComponent().appending(path: url.lastPathComponent + suffix)
                guard FileManager.default.fileExists(atPath: file.path(percentEncoded: false)) else { continue }
                let handle = try FileHandle(forReadingFrom: file)
                defer { try? handle.close() }
                while let block = try handle.read(upToCount: 1 << 20), !block.isEmpty {}
            }
        } catch {
            throw LedgerError(code: .unavailable, reason: "the ledger cannot be read: \(error)")
        }
        return try damageFoundOnce(in: url)
    }

    private static func damageFoundOnce(in url: URL) throws(LedgerError) -> String? {
        do {
            var configuration = Configuration()
            configuration.busyMode = .timeout(30)
            return try DatabaseQueue(path: url.path(percentEncoded: false), configuration: configuration).read {
                if let error = try integrityErrors($0).first { return "the ledger is damaged: \(error)" }
                if try LedgerSchema.isCurrent($0) { _ = try EntryTable(database: $0).summary() }
                return nil
            }
        } catch {
            let error = LedgerError(storage: error)
            guard error.code == .damaged else { throw error }
            return error.reason
        }
    }

    private static func integrityErrors(_ database: Database) throws -> [String] {
        try String.fetchAll(database, sql: "PRAGMA integrity_check(10)").filter { $0 != "ok" }
    }

    /// Marks the ledger as damaged, if that is the error.
    private func marked(_ error: LedgerError) -> LedgerError {
        if error.code == .damaged { damageMark.set() }
        return error
    }

    private func write<Value: Sendable>(
        _ body: @escaping @Sendable (StoredValueTables) throws -> Value
    ) async throws(LedgerError) -> Value {
        do {
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
        case let error as DatabaseError where [.SQLITE_NOTADB, .SQLITE_CORRUPT].contains(error.resultCode):
            self.init(code: .damaged, reason: "the ledger is damaged: \(error.message ?? "\(error)")")
        case let error as DatabaseError:
            self.init(code: .unavailable, reason: "the ledger cannot be used: \(error.message ?? "\(error)")")
        default: self.init(code: .unavailable, reason: "the ledger cannot be used: \(error)")
        }
    }
}
