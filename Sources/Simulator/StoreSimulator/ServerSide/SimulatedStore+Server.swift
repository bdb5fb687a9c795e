package import Foundation
internal import GRDB
internal import VitrineCatalog
public import VitrineReceipts
public import VitrineSupport

/// Key with which a server signs the tokens for its requests to the store.
package struct ServerKeyRecord: Codable, Sendable, FetchableRecord, PersistableRecord {
    package static let databaseTableName = "serverKey"

    /// Identifier of the key: ten characters.
    package let identifier: String
    /// Identifier of the key's issuer: a UUID.
    package let issuer: String
    /// Public key in PEM.
    package let publicKey: String
}

/// What the app's server needs from the store, and what the store asks of it.
extension SimulatedStore {
    /// Environment in which the store answers the app's server, and which it names in what it signs.
    public var environment: StoreEnvironment { core.environment }

    /// Number of the app in the App Store, which the store names in what it signs; `nil` in the sandbox.
    public var appIdentifier: Int64? { core.appIdentifier }

    /// Sets the environment that the store names in what it signs, from when it is opened next. The store keeps the
    /// limits of that environment in its App Store Server API and for notifications.
    ///
    /// - Parameters:
    ///   - environment: The production environment or the sandbox.
    ///   - appIdentifier: Number of the app in the App Store, which the store names in the production environment.
    /// - Throws: ``SimulatedStoreError`` if the store's state cannot be written.
    public func setEnvironment(
        _ environment: StoreEnvironment, appIdentifier: Int64? = nil
    ) async throws(SimulatedStoreError) {
        try await core.perform { step in
            try step.changeSettings {
                ($0.environment, $0.appIdentifier) = (environment, appIdentifier ?? $0.appIdentifier)
            }
            try step.record { _ in .environment(environment: environment, appIdentifier: appIdentifier) }
        }
    }

    /// Adds a key for the app's server, whose private part the store does not keep.
    ///
    /// - Returns: The key.
    /// - Throws: ``SimulatedStoreError`` if the store's state cannot be written.
    public func addServerKey() async throws(SimulatedStoreError) -> AppStoreServerKey {
        let number = try await core.database.read { try ServerKeyRecord.fetchCount($0) }
        let key = core.seed.serverKey(number)
        let record = ServerKeyRecord(identifier: key.identifier, issuer: key.issuer, publicKey: key.publicKeyPEM)
        try await core.database.write { try record.insert($0) }
        return key
    }

    /// Returns the keys of the app's server.
    package func serverKeys() async throws(SimulatedStoreError) -> [ServerKeyRecord] {
        try await core.database.read { try ServerKeyRecord.fetchAll($0) }
    }

    /// Returns the failure that is set for a request of the app's server, and decreases the number of failures that
    /// remain.
    package func takeServerFailure() async throws(SimulatedStoreError) -> SimulatedFailure? {
        try await core.database.takeFailure(for: .serverAPI)
    }

    /// Lets the certificates with which the store signs name a responder that knows whether they are revoked.
    ///
    /// - Returns: `false` for a store that an earlier version has created, which lacks the keys that issue certificates.
    /// - Throws: ``SimulatedStoreError`` if the store's state cannot be written.
    package func nameResponder(_ url: URL) async throws(SimulatedStoreError) -> Bool {
        let identity = core.signingIdentity
        guard identity.responder != url else { return true }
        guard let named = try? identity.naming(responder: url), let pem = try? named.pem else { return false }
        try await core.database.write { try $0.execute(sql: "UPDATE identity SET pem = ?", arguments: [pem]) }
        core.identity.withLock { $0 = named }
        core.signedData.removeAll()
        return true
    }

    /// Answers a question whether certificates of the store are revoked (RFC 6960).
    package func answer(certificateStatusRequest request: Data, at date: Date) -> Data {
        core.signingIdentity.respond(to: request, at: date)
    }

    /// State of the store: it differs after each change that this or another process has made.
    package func state() throws(SimulatedStoreError) -> StoreState { try core.database.state() }

    /// Date, by the machine's clock, at which time alone changes the store; the distant future if it does not.
    package func nextChangeByTime() async throws(SimulatedStoreError) -> Date {
        try await core.read { step in
            step.settings.clock == nil ? try step.nextDueDate().map(Date.init(milliseconds:)) : nil
        } ?? .distantFuture
    }

    /// Returns the customer's requests for refunds that are not decided yet, the earliest first.
    ///
    /// - Throws: ``SimulatedStoreError`` if the store's state cannot be read.
    public func refundRequests() async throws(SimulatedStoreError) -> [SimulatedRefundRequest] {
        let customer = identity.customer
        return try await core.read { step in
            try SimulatedRefundRequest.all(of: customer, in: step.database)
        }
    }

    /// Requests the refund of a transaction, as its customer does. The store asks the app's server for the consumption,
    /// and turns the renewal of a running subscription off. ``refund(_:_:)`` grants the refund.
    ///
    /// - Throws: ``SimulatedStoreError``: `noSuchTransaction` if the customer has not bought the transaction, or it is
    ///   revoked.
    public func requestRefund(
        _ id: String, because reason: ConsumptionRequestReason = .other
    ) async throws(SimulatedStoreError) {
        let customer = identity.customer
        try await core.perform { step in
            try step.requestRefund(step.transaction(id, of: customer), because: reason)
            try step.record { .requestRefund(transaction: try $0.number(id), reason: reason) }
        }
    }

    /// Declines the refund of a transaction that was requested.
    ///
    /// - Throws: ``SimulatedStoreError``: `noSuchTransaction` if no refund of the transaction was requested.
    public func declineRefund(_ id: String) async throws(SimulatedStoreError) {
        let customer = identity.customer
        try await core.perform { step in
            try step.declineRefund(step.transaction(id, of: customer))
            try step.record { .declineRefund(transaction: try $0.number(id)) }
        }
    }
}

extension StoreSeed {
    /// Characters of the identifiers of keys.
    private static let keyCharacters = Array("23456789ABCDEFGHJKLMNPQRSTUVWXYZ")

    /// Returns a new key of the app's server. Its identifiers are derived from the seed, and its private part is random.
    fileprivate func serverKey(_ number: Int) -> AppStoreServerKey {
        let characters = serverKeyBytes(number).prefix(10).map {
            Self.keyCharacters[Int($0) % Self.keyCharacters.count]
        }
        return AppStoreServerKey(
            newWithIdentifier: String(characters), issuer: numberedIdentifier(0, purpose: "issuer"))
    }
}
