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
    }

    public func append(_ facts: [DatedFact]) async throws(LedgerError) -> [LedgerEntry] {
        try await commits.append(facts)
    }

    public func entries(after sequence: Int64) async throws(LedgerError) -> [LedgerEntry] {
        try await read { try $0.entries(after: sequence) }
    }

    public func lastSequence() async throws(LedgerError) -> Int64 {
        try await read { try $0.lastSequence() }
    }

    public func entry(of kind: Fact.Kind, key: String) async throws(LedgerError) -> LedgerEntry? {
        try await read { try $0.entry(of: kind, key: key) }
    }

    public func isRevoked(_ purchaseID: String) async throws(LedgerError) -> Bool {
        try await read { if case .revocation = try $0.revocationState(of: purchaseID) { true } else { false } }
    }

    public func summary() async throws(LedgerError) -> LedgerSummary {
        try await read { table in
            LedgerSummary(
                lastSequence: try table.lastSequence(), entries: try table.entriesOfOwnership(),
                balances: try table.balances())
        }
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
        try await read { table in
            try String.fetchAll(table.database, sql: "PRAGMA integrity_check(10)").filter { $0 != "ok" }
        }
    }

    private func write<Value: Sendable>(
        _ body: @escaping @Sendable (StoredValueTables) throws -> Value
    ) async throws(LedgerError) -> Value {
        do {
            return try await database.write { try body(StoredValueTables(database: $0)) }
        } catch {
            throw LedgerError(storage: error)
        }
    }

    private func read<Value: Sendable>(
        _ body: @escaping @Sendable (EntryTable) throws -> Value
    ) async throws(LedgerError) -> Value {
        do {
            return try await database.read { try body(EntryTable(database: $0)) }
        } catch {
            throw LedgerError(storage: error)
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
