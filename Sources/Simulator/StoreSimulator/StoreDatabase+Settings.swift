internal import Foundation
internal import GRDB
internal import VitrineCatalog
internal import VitrineSupport

extension StoreDatabase {
    func settings() async throws(SimulatedStoreError) -> StoreSettings {
        try await readOnce { try StoreSettings.fetch(from: $0) }
    }

    // MARK: Failures

    func armedFailures() async throws(SimulatedStoreError) -> [ArmedFailure] {
        try await readOnce { try ArmedFailure.fetchAll($0.cachedStatement(sql: "SELECT * FROM armedFailure")) }
    }

    /// Sets a failure, which replaces an earlier failure of the same call.
    func arm(_ failure: ArmedFailure) async throws(SimulatedStoreError) {
        try await write { try failure.upsert($0) }
    }

    func clearFailures() async throws(SimulatedStoreError) {
        try await write { _ = try ArmedFailure.deleteAll($0) }
    }

    /// Returns the simulated failure of a call, if there is one, and decrements the number of remaining failures.
    func consumeFailure(for call: StoreCall) async throws(SimulatedStoreError) -> SimulatedFailure? {
        guard try await armedFailures().contains(where: { $0.call == call }) else { return nil }
        return try await write { try ArmedFailure.consume(for: call, from: $0) }
    }

    // MARK: Promotions

    func addPromotion(of productIdentifier: String) async throws(SimulatedStoreError) {
        try await write {
            try $0.execute(
                sql: "INSERT INTO promotion (productIdentifier) VALUES (?)", arguments: [productIdentifier])
        }
    }

    /// Period in milliseconds during which a promoted purchase that one process has read is not given to another
    /// process. Other processes receive it after this period, because the first process may have been killed.
    private static let longestReading: Int64 = 60_000

    /// Returns the oldest promoted purchase that no process has read within the last minute. It remains in the database
    /// until the product is bought or refused.
    ///
    /// - Parameter known: Numbers of the promoted purchases that this process has read.
    func readPromotion(
        at date: Date, besides known: Set<Int64>
    ) async throws(SimulatedStoreError) -> (id: Int64, productIdentifier: String)? {
        let (now, known) = (date.milliseconds, known.map(String.init).joined(separator: ", "))
        return try await write { database in
            let row = try Row.fetchOne(
                database,
                sql: """
                    UPDATE promotion SET readDate = ? WHERE id = (
                        SELECT MIN(id) FROM promotion
                        WHERE (readDate IS NULL OR readDate NOT BETWEEN ? AND ?) AND id NOT IN (\(known)))
                    RETURNING id, productIdentifier
                    """, arguments: [now, now - Self.longestReading, now])
            return row.map { ($0["id"], $0["productIdentifier"]) }
        }
    }

    /// Removes the oldest promoted purchase of a product that an app has read.
    func removePromotion(of productIdentifier: String) async throws(SimulatedStoreError) {
        try await write { try Self.removePromotion(of: productIdentifier, from: $0) }
    }

    static func removePromotion(of productIdentifier: String, from database: Database) throws {
        try database.execute(
            sql: """
                DELETE FROM promotion WHERE id = (
                    SELECT MIN(id) FROM promotion WHERE productIdentifier = ? AND readDate IS NOT NULL)
                """, arguments: [productIdentifier])
    }
}

extension StoreSettings {
    static func fetch(from database: Database) throws -> StoreSettings {
        guard let settings = try fetchOne(database.cachedStatement(sql: "SELECT * FROM settings")) else {
            throw SimulatedStoreError(code: .damaged, reason: "the database of the simulated store has no settings")
        }
        return settings
    }

    static func change(in database: Database, _ body: (inout StoreSettings) -> Void) throws {
        var settings = try fetch(from: database)
        try settings.updateChanges(database, modify: body)
    }
}

extension StoreIdentity {
    static func fetch(from database: Database) throws -> StoreIdentity {
        guard let identity = try fetchOne(database.cachedStatement(sql: "SELECT * FROM identity")) else {
            throw SimulatedStoreError(
                code: .damaged, reason: "the database of the simulated store has no signing identity")
        }
        return identity
    }
}

extension ArmedFailure {
    /// Returns the simulated failure of a call, if there is one, and decrements the number of remaining failures.
    static func consume(for call: StoreCall, from database: Database) throws -> SimulatedFailure? {
        guard var armed = try fetchOne(database, key: call.rawValue) else { return nil }
        if let remaining = armed.remaining {
            if remaining > 1 {
                try armed.updateChanges(database) { $0.remaining = remaining - 1 }
            } else {
                try armed.delete(database)
            }
        }
        return armed.failure
    }
}
