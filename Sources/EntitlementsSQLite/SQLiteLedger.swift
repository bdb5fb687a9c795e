public import Entitlements
public import Foundation
internal import GRDB

/// A ledger in a SQLite file: durable once `append` returns, and shared by any number of processes.
///
/// SQLite runs in WAL mode with `synchronous=FULL`, so a commit is on the disk before it is answered. A process that
/// finds the file locked waits for up to thirty seconds.
public struct SQLiteLedger: Ledger {
    private let database: DatabaseQueue

    /// Opens a ledger, and makes one where there is none.
    ///
    /// - Throws: ``LedgerError``: `unavailable` where the file cannot be opened or made, `damaged` where it is no
    ///   ledger.
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
    }

    public func append(_ facts: [Fact], at date: Date) async throws(LedgerError) -> [LedgerEntry] {
        try await mappingErrors {
            try await database.write { database in
                var rules = LedgerRules(
                    storedBalance: { try EntryRecord.balance(of: $0, in: database) },
                    recorded: { try EntryRecord.find($0, key: $1, in: database)?.entry().fact }
                )
                for fact in facts { try rules.check(fact) }
                return try rules.accepted.map { fact in
                    var record = EntryRecord(fact: fact, recordedAt: date)
                    try record.insert(database)
                    return try record.entry()
                }
            }
        }
    }

    public func entries(after sequence: Int64) async throws(LedgerError) -> [LedgerEntry] {
        try await mappingErrors {
            try await database.read { try EntryRecord.entries(after: sequence, in: $0) }
        }
    }

    public func lastSequence() async throws(LedgerError) -> Int64 {
        try await mappingErrors {
            try await database.read { try Int64.fetchOne($0, sql: "SELECT MAX(sequence) FROM entry") ?? 0 }
        }
    }

    public func entry(of kind: Fact.Kind, key: String) async throws(LedgerError) -> LedgerEntry? {
        try await mappingErrors {
            try await database.read { try EntryRecord.find(kind, key: key, in: $0)?.entry() }
        }
    }

    private func mappingErrors<Value>(_ body: () async throws -> Value) async throws(LedgerError) -> Value {
        do {
            return try await body()
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
