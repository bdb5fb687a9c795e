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
            var migrator = DatabaseMigrator()
            migrator.registerMigration("1") { try $0.execute(sql: Self.version1) }
            try migrator.migrate(queue)
            return queue
        }
    }

    private static let version1 = """
        CREATE TABLE identity (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            bundleIdentifier TEXT NOT NULL,
            pem TEXT NOT NULL
        ) STRICT;

        CREATE TABLE purchase (
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

        CREATE INDEX purchaseByProduct ON purchase (productIdentifier);
        """

    // MARK: Identity

    /// Makes the store's identity, once.
    func createIdentity(bundleIdentifier: String, makePEM: () throws -> String) throws(SimulatedStoreError) {
        try Self.mappingErrors {
            try queue.write { database in
                guard try Row.fetchOne(database, sql: "SELECT 1 FROM identity") == nil else { return }
                try database.execute(
                    sql: "INSERT INTO identity (id, bundleIdentifier, pem) VALUES (1, ?, ?)",
                    arguments: [bundleIdentifier, try makePEM()])
            }
        }
    }

    func identity() throws(SimulatedStoreError) -> (bundleIdentifier: String, pem: String) {
        let row = try Self.mappingErrors {
            try queue.read { try Row.fetchOne($0, sql: "SELECT bundleIdentifier, pem FROM identity") }
        }
        guard let row else { throw SimulatedStoreError(code: .damaged, reason: "the store has no signing identity") }
        return (row["bundleIdentifier"], row["pem"])
    }

    // MARK: Transactions

    /// The transaction of a new purchase, or the one that answers it without a charge.
    func purchase(_ order: SimulatedTransaction) async throws(SimulatedStoreError) -> SimulatedTransaction {
        try await Self.mappingErrors {
            try await queue.write { database in
                let freeOfCharge = order.kind == .consumable ? "isFinished = 0" : "TRUE"
                let earlier = try Row.fetchOne(
                    database,
                    sql: "SELECT * FROM purchase WHERE productIdentifier = ? AND \(freeOfCharge) ORDER BY id",
                    arguments: [order.productIdentifier])
                if let earlier { return SimulatedTransaction(row: earlier) }
                try database.execute(
                    sql: """
                        INSERT INTO purchase
                            (productIdentifier, kind, quantity, purchaseDate, price, currency, storefront)
                        VALUES (?, ?, ?, ?, ?, ?, ?)
                        """,
                    arguments: [
                        order.productIdentifier, order.kind.rawValue, order.quantity,
                        Int64((order.purchaseDate.timeIntervalSince1970 * 1_000).rounded()),
                        order.price, order.currency, order.storefront,
                    ])
                var transaction = order
                transaction.id = String(database.lastInsertedRowID)
                return transaction
            }
        }
    }

    func transactions() async throws(SimulatedStoreError) -> [SimulatedTransaction] {
        try await Self.mappingErrors {
            try await queue.read { database in
                try Row.fetchAll(database, sql: "SELECT * FROM purchase ORDER BY id").map(SimulatedTransaction.init)
            }
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

extension SimulatedTransaction {
    fileprivate init(row: Row) {
        self.init(
            id: String(row["id"] as Int64),
            productIdentifier: row["productIdentifier"],
            kind: ProductKind(rawValue: row["kind"]) ?? .unknown,
            quantity: row["quantity"],
            purchaseDate: Date(timeIntervalSince1970: Double(row["purchaseDate"] as Int64) / 1_000),
            price: row["price"],
            currency: row["currency"],
            storefront: row["storefront"],
            isFinished: row["isFinished"]
        )
    }
}
