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
            if mayCreate { try queue.write { try $0.execute(sql: Self.tables) } }
            return queue
        }
    }

    private static let tables = """
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
        """

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

    // MARK: Transactions

    /// The transaction of a new purchase, or the one that answers it without a charge.
    func purchase(_ order: SimulatedTransaction) async throws(SimulatedStoreError) -> SimulatedTransaction {
        try await Self.mappingErrors {
            try await queue.write { database in
                let earlier = PurchaseRecord.order { $0.id }.filter { $0.productIdentifier == order.productIdentifier }
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

    func finish(_ id: String) async throws(SimulatedStoreError) {
        try await Self.mappingErrors {
            try await queue.write { database in
                try database.execute(sql: "UPDATE purchase SET isFinished = 1 WHERE id = ?", arguments: [Int64(id)])
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
