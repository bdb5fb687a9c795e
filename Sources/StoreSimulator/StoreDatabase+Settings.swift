internal import GRDB

extension StoreDatabase {
    func settings() async throws(SimulatedStoreError) -> StoreSettings {
        try await read { try StoreSettings.fetch(from: $0) }
    }

    func changeSettings(
        _ body: @escaping @Sendable (inout StoreSettings) -> Void
    ) async throws(SimulatedStoreError) {
        try await write { database in
            var settings = try StoreSettings.fetch(from: database)
            try settings.updateChanges(database, modify: body)
        }
    }

    // MARK: Failures

    func armedFailures() async throws(SimulatedStoreError) -> [ArmedFailure] {
        try await read { try ArmedFailure.fetchAll($0) }
    }

    /// Sets a failure, in place of an earlier failure of the same call.
    func arm(_ failure: ArmedFailure) async throws(SimulatedStoreError) {
        try await write { try failure.upsert($0) }
    }

    func clearFailures() async throws(SimulatedStoreError) {
        try await write { _ = try ArmedFailure.deleteAll($0) }
    }

    /// Returns the failure of a call, if one is set, and counts it.
    func takeFailure(for call: StoreCall) async throws(SimulatedStoreError) -> SimulatedFailure? {
        guard try await armedFailures().contains(where: { $0.call == call }) else { return nil }
        return try await write { try ArmedFailure.take(for: call, from: $0) }
    }

    // MARK: Promotions

    func addPromotion(of productIdentifier: String) async throws(SimulatedStoreError) {
        try await write {
            try $0.execute(
                sql: "INSERT INTO promotion (productIdentifier) VALUES (?)", arguments: [productIdentifier])
        }
    }

    /// Removes and returns the oldest promoted purchase that was not read yet.
    func takePromotion() async throws(SimulatedStoreError) -> String? {
        let next = "SELECT MIN(id) FROM promotion"
        return try await write {
            try String.fetchOne($0, sql: "DELETE FROM promotion WHERE id = (\(next)) RETURNING productIdentifier")
        }
    }
}

extension StoreSettings {
    static func fetch(from database: Database) throws -> StoreSettings {
        guard let settings = try fetchOne(database) else {
            throw SimulatedStoreError(code: .damaged, reason: "the database of the simulated store has no settings")
        }
        return settings
    }
}

extension StoreIdentity {
    static func fetch(from database: Database) throws -> StoreIdentity {
        guard let identity = try fetchOne(database) else {
            throw SimulatedStoreError(
                code: .damaged, reason: "the database of the simulated store has no signing identity")
        }
        return identity
    }
}

extension ArmedFailure {
    /// Returns the failure of a call, if one is set, and decreases its remaining count.
    static func take(for call: StoreCall, from database: Database) throws -> SimulatedFailure? {
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
