internal import Foundation
internal import GRDB
internal import ProductCatalog

/// State of a simulated store, in SQLite with its default of a synced rollback journal: state that an app has received
/// is on the disk.
struct StoreDatabase {
    private let queue: DatabaseQueue

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
            try StoreSchema.migrate(queue)
            return queue
        }
    }

    // MARK: Identity

    /// Creates the store's identity if it does not exist.
    func createIdentity(
        bundleIdentifier: String, seed: StoreSeed, makePEM: () throws -> String
    ) throws(SimulatedStoreError) {
        try Self.mappingErrors {
            try queue.write { database in
                guard try StoreIdentity.fetchOne(database) == nil else { return }
                try StoreIdentity(bundleIdentifier: bundleIdentifier, pem: try makePEM(), seed: seed)
                    .insert(database)
                try database.execute(
                    sql: "INSERT INTO sqlite_sequence (name, seq) VALUES ('purchase', ?)",
                    arguments: [seed.firstTransactionID - 1])
            }
        }
    }

    func identity() throws(SimulatedStoreError) -> StoreIdentity {
        try Self.mappingErrors { try queue.read { try StoreIdentity.fetch(from: $0) } }
    }

    /// Returns the key and certificates that sign receipts. They are created on first use, and stored.
    func receiptPEM(_ makePEM: () throws -> String) throws(SimulatedStoreError) -> String {
        try Self.mappingErrors {
            if let pem = try queue.read({ try StoreIdentity.fetch(from: $0).receiptPEM }) { return pem }
            return try queue.write { database in
                var identity = try StoreIdentity.fetch(from: database)
                if let pem = identity.receiptPEM { return pem }
                let pem = try makePEM()
                try identity.updateChanges(database) { $0.receiptPEM = pem }
                return pem
            }
        }
    }

    // MARK: The app

    func appPurchase() async throws(SimulatedStoreError) -> OriginalPurchase? {
        try await read { try AppPurchaseRecord.fetchOne($0)?.purchase }
    }

    func setAppPurchase(_ purchase: OriginalPurchase, at date: Date) async throws(SimulatedStoreError) {
        try await write { database in
            try AppPurchaseRecord(purchase).upsert(database)
            try DeviceReceipt.reissue(at: date, in: database)
        }
    }

    // MARK: Access

    func read<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(SimulatedStoreError) -> Value {
        try await Self.mappingErrors { try await queue.read(body) }
    }

    /// Commits all changes of a closure, or none.
    func write<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(SimulatedStoreError) -> Value {
        try await Self.mappingErrors { try await queue.write(body) }
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
        case let error as DatabaseError where [.SQLITE_NOTADB, .SQLITE_CORRUPT].contains(error.resultCode):
            self.init(
                code: .damaged, reason: "the state of the simulated store is damaged: \(error.message ?? "\(error)")")
        default: self.init(code: .storage, reason: "the state of the simulated store cannot be used: \(error)")
        }
    }
}
