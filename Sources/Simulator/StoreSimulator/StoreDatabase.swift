internal import Foundation
internal import GRDB
internal import GRDBSQLite
internal import VitrineCatalog
internal import VitrineFileSystem
internal import VitrineReceipts
internal import VitrineSupport

/// Database with the state of a simulated store. It uses SQLite's default journal mode, a synchronized rollback
/// journal, so that state that an app has received is on the disk.
struct StoreDatabase {
    private let queue: DatabaseQueue
    /// Number of changes that this process has made.
    private let changes = ChangeCounter()

    init(url: URL, mayCreate: Bool) throws(SimulatedStoreError) {
        let path = url.path(percentEncoded: false)
        guard mayCreate || FileManager.default.fileExists(atPath: path) else {
            throw SimulatedStoreError(
                code: .notFound,
                reason: "there is no simulated store in \(url.deletingLastPathComponent().relativePath)")
        }
        queue = try Self.mappingErrors {
            var configuration = Configuration()
            configuration.label = "Vitrine simulated store"
            configuration.busyMode = .timeout(30)
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            try StoreSchema.create(in: queue)
            return queue
        }
    }

    /// Creates a database in memory, empty or as a copy of another one.
    init(copyOf other: StoreDatabase? = nil) throws(SimulatedStoreError) {
        queue = try Self.mappingErrors {
            var configuration = Configuration()
            configuration.label = "Vitrine simulated store in memory"
            let queue = try DatabaseQueue(configuration: configuration)
            try other?.queue.backup(to: queue)
            try StoreSchema.create(in: queue)
            return queue
        }
    }

    // MARK: Identity

    /// Creates the signing keys and the seed of a new store, and copies the settings of the `.storekit` file that can
    /// change later. Has no effect for a store that already has them.
    ///
    /// - Parameter receiptIdentity: What signs app receipts; `nil` to create it with the first receipt.
    func createIdentity(
        bundleIdentifier: String, seed: StoreSeed, configuration: StoreConfiguration,
        receiptIdentity: ReceiptSigningIdentity? = nil, at date: Date
    ) throws(SimulatedStoreError) {
        try Self.mappingErrors {
            try writeNow { database in
                guard try StoreIdentity.fetchOne(database) == nil else { return }
                let identity = try SigningIdentity(commonName: "Vitrine Simulated Store", around: date)
                var stored = StoreIdentity(bundleIdentifier: bundleIdentifier, pem: try identity.pem, seed: seed)
                stored.receiptPEM = try receiptIdentity?.pem
                try stored.insert(database)
                try database.execute(
                    sql: "INSERT INTO sqlite_sequence (name, seq) VALUES ('purchase', ?)",
                    arguments: [seed.firstTransactionID - 1])
                let settings = configuration.settings
                try StoreSettings.change(in: database) { $0.asksToBuy = settings.isAskToBuyEnabled }
                let calls = StoreConfiguration.StoreKitCall.allCases.filter(settings.failingCalls.contains)
                let failures = calls.map { SimulatedFailure(configured: $0) }
                for failure in failures + (settings.failsTransactions ? [.unknown] : []) {
                    try ArmedFailure(failure, times: nil).upsert(database)
                }
            }
        }
    }

    /// Returns the identity of a device and its customer, by their names.
    ///
    /// - Parameters:
    ///   - mayAdd: `true` to add the device, and its customer, if they do not exist.
    ///   - machineNow: The clock of the machine.
    func identity(
        of device: String, of customer: String, mayAdd: Bool, machineNow: () -> Date
    ) throws(SimulatedStoreError) -> DeviceIdentity {
        guard !device.isEmpty, !customer.isEmpty else {
            throw SimulatedStoreError(
                code: .noSuchCustomer, reason: "the name of a customer or device cannot be empty")
        }
        return try Self.mappingErrors {
            if let found = try queue.read({
                try DeviceIdentity.find(device, of: customer, mayCreate: false, in: $0)
            }) {
                return found
            }
            guard mayAdd else {
                throw SimulatedStoreError(
                    code: .noSuchCustomer, reason: "the store has no device \(device) of a customer \(customer)")
            }
            guard
                let added = try writeNow({ database in
                    let added = try DeviceIdentity.find(device, of: customer, mayCreate: true, in: database)
                    try RecordedAction.record(adding: added, at: machineNow(), in: database)
                    return added
                })
            else {
                throw SimulatedStoreError(
                    code: .damaged, reason: "the device \(device) could not be added to the store")
            }
            return added
        }
    }

    func identity() throws(SimulatedStoreError) -> StoreIdentity {
        try Self.mappingErrors { try queue.read { try StoreIdentity.fetch(from: $0) } }
    }

    /// Returns the key and certificates that sign app receipts, in PEM. They are created on first use, and stored.
    func receiptPEM(_ makePEM: () throws -> String) throws(SimulatedStoreError) -> String {
        try Self.mappingErrors {
            if let pem = try queue.read({ try StoreIdentity.fetch(from: $0).receiptPEM }) { return pem }
            return try writeNow { database in
                var identity = try StoreIdentity.fetch(from: database)
                if let pem = identity.receiptPEM { return pem }
                let pem = try makePEM()
                try identity.updateChanges(database) { $0.receiptPEM = pem }
                return pem
            }
        }
    }

    // MARK: Access

    func read<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(SimulatedStoreError) -> Value {
        try await Self.mappingErrors {
            try await queue.unsafeRead { database in try database.readConsistently { try body(database) } }
        }
    }

    /// Reads the database without suspending the caller, because the clock is read synchronously.
    ///
    /// - Parameter body: Function that executes one statement, for which no transaction is necessary.
    func readNow<Value>(_ body: (Database) throws -> Value) throws(SimulatedStoreError) -> Value {
        try Self.mappingErrors { try queue.unsafeRead(body) }
    }

    /// Reads the database in one transaction, without suspending the caller. It is for reads that take less time than
    /// switching to another thread and back.
    ///
    /// - Parameter body: Function with the state that its transaction sees.
    func readInPlace<Value>(_ body: (Database, StoreState) throws -> Value) throws(SimulatedStoreError) -> Value {
        try Self.mappingErrors {
            try queue.unsafeRead { database in
                try database.readConsistently { try body(database, state(in: database)) }
            }
        }
    }

    /// Reads the database with one statement outside a transaction, because beginning and committing a transaction
    /// takes several times as long as the statement.
    func readOnce<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(SimulatedStoreError) -> Value {
        try await Self.mappingErrors { try await queue.unsafeRead(body) }
    }

    /// Commits all changes that a closure makes to the database, or none if it throws.
    func write<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(SimulatedStoreError) -> Value {
        let changes = changes
        return try await Self.mappingErrors {
            try await queue.write { database in try changes.counting { try body(database) } }
        }
    }

    /// Changes the database like ``write(_:)``, without suspending the caller.
    private func writeNow<Value>(_ body: (Database) throws -> Value) throws -> Value {
        try queue.write { database in try changes.counting { try body(database) } }
    }

    /// Checks that the database can be written, because SQLite opens a file read-only if it cannot open it for writing.
    func requireWriting() throws(SimulatedStoreError) {
        try readNow { database in
            guard sqlite3_db_readonly(database.sqliteConnection, "main") == 0 else {
                throw DatabaseError(resultCode: .SQLITE_READONLY)
            }
        }
    }

    /// State of the database, which differs after each change that this or another process has made.
    func state() throws(SimulatedStoreError) -> StoreState {
        try readNow { try state(in: $0) }
    }

    private func state(in database: Database) throws -> StoreState {
        let foreign = try Int64.fetchOne(database.cachedStatement(sql: "PRAGMA data_version")) ?? 0
        return StoreState(changes: changes.count.withLock { $0 }, foreignChanges: foreign)
    }

    private static func mappingErrors<Value>(_ body: () throws -> Value) throws(SimulatedStoreError) -> Value {
        do {
            return try body()
        } catch {
            throw SimulatedStoreError(storage: error)
        }
    }

    private static func mappingErrors<Value: Sendable>(
        _ body: () async throws -> Value
    ) async throws(SimulatedStoreError) -> Value {
        do {
            return try await body()
        } catch {
            throw SimulatedStoreError(storage: error)
        }
    }
}

extension SimulatedStoreError {
    fileprivate init(storage error: any Error) {
        switch error {
        case let error as SimulatedStoreError: self = error
        case let error as DatabaseError:
            let isDamaged = [.SQLITE_NOTADB, .SQLITE_CORRUPT].contains(error.resultCode)
            self.init(
                code: isDamaged ? .damaged : .storage,
                reason: "the state of the simulated store \(isDamaged ? "is damaged" : "cannot be used"): "
                    + DatabaseReason.reason(forCode: error.resultCode.rawValue))
        default:
            self.init(
                code: .storage,
                reason: "the state of the simulated store cannot be used: \(BoundedFile.reason(for: error))")
        }
    }
}

/// State of a store, which can be compared with an earlier one.
package struct StoreState: Sendable, Hashable {
    /// Number of changes that this process has made.
    let changes: Int
    /// Data version of SQLite, which changes when another process changes the database.
    let foreignChanges: Int64
}

private final class ChangeCounter: Sendable {
    let count = Locked(0)

    /// Calls a function in a transaction that changes the database, and counts the change before a reader can see it.
    func counting<Value>(_ body: () throws -> Value) rethrows -> Value {
        defer { count.withLock { $0 += 1 } }
        return try body()
    }
}

extension Database {
    /// Calls a function in a transaction that sees one state of the database. Unlike `DatabaseQueue.read(_:)`, it
    /// begins and commits with cached statements, because compiling them would take longer than the reads.
    fileprivate func readConsistently<Value>(_ body: () throws -> Value) throws -> Value {
        try cachedStatement(sql: "BEGIN DEFERRED TRANSACTION").execute()
        do {
            let value = try body()
            try cachedStatement(sql: "COMMIT TRANSACTION").execute()
            return value
        } catch {
            if isInsideTransaction { try cachedStatement(sql: "ROLLBACK TRANSACTION").execute() }
            throw error
        }
    }
}
