internal import Foundation
internal import GRDB
internal import ProductCatalog

/// The state of a simulated store, in SQLite with its default of a synced rollback journal: what was answered to an
/// app is on the disk.
struct StoreDatabase {
    private let queue: DatabaseQueue

    init(url: URL, mayCreate: Bool) throws(SimulatedStoreError) {
        let path = url.path(percentEncoded: false)
        guard mayCreate || FileManager.default.fileExists(atPath: path) else {
            throw SimulatedStoreError(
                code: .notFound, reason: "there is no store in \(url.deletingLastPathComponent().relativePath)")
        }
        queue = try Self.mappingErrors {
            var configuration = Configuration()
            configuration.label = "Vitrine simulated store"
            configuration.busyMode = .timeout(30)
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            try Self.migrate(queue)
            return queue
        }
    }

    /// Each makes the next version out of the one before. A file's version is its `user_version`; it is 0 for a new one,
    /// and for one of the first version too.
    private static let migrations = [
        """
        CREATE TABLE IF NOT EXISTS identity (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            bundleIdentifier TEXT NOT NULL,
            pem TEXT NOT NULL
        ) STRICT;

        CREATE TABLE IF NOT EXISTS purchase (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            productIdentifier TEXT NOT NULL,
            kind TEXT NOT NULL,
            quantity INTEGER NOT NULL CHECK (quantity > 0),
            purchaseDate INTEGER NOT NULL,
            price INTEGER NOT NULL,
            currency TEXT NOT NULL,
            storefront TEXT NOT NULL,
            isFinished INTEGER NOT NULL DEFAULT 0 CHECK (isFinished IN (0, 1))
        ) STRICT;

        CREATE INDEX IF NOT EXISTS purchaseByProduct ON purchase (productIdentifier);
        """,
        """
        ALTER TABLE purchase ADD COLUMN revocationDate INTEGER;

        CREATE TABLE appPurchase (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            version TEXT NOT NULL,
            date INTEGER NOT NULL,
            platform TEXT
        ) STRICT;
        """,
    ]

    /// Brings a file up to this version, in one transaction.
    private static func migrate(_ queue: DatabaseQueue) throws {
        let read = { try Int.fetchOne($0, sql: "PRAGMA user_version") ?? 0 }
        guard try queue.read(read) < migrations.count else { return }
        try queue.write { database in
            for migration in migrations.dropFirst(try read(database)) { try database.execute(sql: migration) }
            try database.execute(sql: "PRAGMA user_version = \(migrations.count)")
        }
    }

    // MARK: Identity

    /// Makes the store's identity, once. Its transactions are numbered from `firstTransactionID`.
    func createIdentity(
        bundleIdentifier: String, firstTransactionID: Int64, makePEM: () throws -> String
    ) throws(SimulatedStoreError) {
        try Self.mappingErrors {
            try queue.write { database in
                guard try StoreIdentity.fetchOne(database) == nil else { return }
                try StoreIdentity(bundleIdentifier: bundleIdentifier, pem: try makePEM()).insert(database)
                try database.execute(
                    sql: "INSERT INTO sqlite_sequence (name, seq) VALUES ('purchase', ?)",
                    arguments: [firstTransactionID - 1])
            }
        }
    }

    func identity() throws(SimulatedStoreError) -> StoreIdentity {
        guard let identity = try Self.mappingErrors({ try queue.read { try StoreIdentity.fetchOne($0) } }) else {
            throw SimulatedStoreError(code: .damaged, reason: "the store has no signing identity")
        }
        return identity
    }

    // MARK: The app

    func appPurchase() async throws(SimulatedStoreError) -> OriginalPurchase? {
        try await Self.mappingErrors {
            try await queue.read { try AppPurchaseRecord.fetchOne($0)?.purchase }
        }
    }

    func setAppPurchase(_ purchase: OriginalPurchase) async throws(SimulatedStoreError) {
        try await Self.mappingErrors {
            try await queue.write { try AppPurchaseRecord(purchase).upsert($0) }
        }
    }

    // MARK: Transactions

    /// The transaction of a new purchase, or the one that answers it without a charge.
    func purchase(_ order: SimulatedTransaction) async throws(SimulatedStoreError) -> SimulatedTransaction {
        try await Self.mappingErrors {
            try await queue.write { database in
                let earlier = PurchaseRecord.order { $0.id }
                    .filter { $0.productIdentifier == order.productIdentifier && $0.revocationDate == nil }
                let freeOfCharge = order.kind == .consumable ? earlier.filter { $0.isFinished == false } : earlier
                if let transaction = try freeOfCharge.fetchOne(database) { return transaction.transaction }
                var record = PurchaseRecord(order)
                try record.insert(database)
                return record.transaction
            }
        }
    }

    func transactions() async throws(SimulatedStoreError) -> [SimulatedTransaction] {
        try await Self.mappingErrors {
            try await queue.read { try PurchaseRecord.order { $0.id }.fetchAll($0).map(\.transaction) }
        }
    }

    /// Marks a transaction as finished, unless it has been taken back since the app got it.
    ///
    /// - Parameter revocationDate: What the app was told about that, in milliseconds since 1970.
    func finish(_ id: String, revocationDate: Int64?) async throws(SimulatedStoreError) {
        try await Self.mappingErrors {
            try await queue.write { database in
                try database.execute(
                    sql: "UPDATE purchase SET isFinished = 1 WHERE id = ? AND revocationDate IS ?",
                    arguments: [Int64(id), revocationDate])
            }
        }
    }

    /// Takes a transaction back, unless it was, and has it sent again.
    ///
    /// - Returns: `nil` where there is no such transaction.
    func refund(_ id: String, at date: Date) async throws(SimulatedStoreError) -> SimulatedTransaction? {
        try await Self.mappingErrors {
            try await queue.write { database in
                try database.execute(
                    sql: """
                        UPDATE purchase SET revocationDate = COALESCE(revocationDate, ?), isFinished = 0 WHERE id = ?
                        """,
                    arguments: [date.milliseconds, Int64(id)])
                return try PurchaseRecord.fetchOne(database, key: Int64(id))?.transaction
            }
        }
    }

    // MARK: Errors

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
        case let error as DatabaseError where [.SQLITE_NOTADB, .SQLITE_CORRUPT].contains(error.resultCode):
            self.init(code: .damaged, reason: "the store's state is damaged: \(error.message ?? "\(error)")")
        default: self.init(code: .storage, reason: "the store's state cannot be used: \(error)")
        }
    }
}
