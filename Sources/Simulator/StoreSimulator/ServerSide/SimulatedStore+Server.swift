package import Foundation
internal import GRDB
internal import VitrineCatalog
public import VitrineReceipts
public import VitrineSupport

/// Key of the app's server, which verifies the tokens of its requests to the store.
package struct ServerKeyRecord: Codable, Sendable, FetchableRecord, PersistableRecord {
    package static let databaseTableName = "serverKey"

    /// Identifier of the key: ten characters.
    package let identifier: String
    /// Identifier of the key's issuer: a UUID.
    package let issuer: String
    /// Public key in PEM.
    package let publicKey: String
}

/// Settings and operations of the store that concern the app's server.
extension SimulatedStore {
    /// Environment in the store's answers to the app's server, and in the data that the store signs.
    public var environment: StoreEnvironment { core.environment }

    /// Number of the app in the App Store, which the store includes in signed data; `nil` in the sandbox.
    public var appIdentifier: Int64? { core.appIdentifier }

    /// Sets the environment that the store includes in signed data, beginning when the store is opened next. The store
    /// then also applies this environment's limits to its App Store Server API and to notifications.
    ///
    /// - Parameters:
    ///   - environment: The production environment or the sandbox.
    ///   - appIdentifier: Number of the app in the App Store, which signed data includes in production; `nil` to leave
    ///     it unchanged.
    /// - Throws: ``SimulatedStoreError`` if the store's state cannot be written.
    public func setEnvironment(
        _ environment: StoreEnvironment, appIdentifier: Int64? = nil
    ) async throws(SimulatedStoreError) {
        try await changeSettings(.environment(environment: environment, appIdentifier: appIdentifier)) {
            ($0.environment, $0.appIdentifier) = (environment, appIdentifier ?? $0.appIdentifier)
        }
    }

    /// Adds a key for the app's server. Only its public part is stored.
    ///
    /// - Returns: The key.
    /// - Throws: ``SimulatedStoreError`` if the store's state cannot be written.
    public func addServerKey() async throws(SimulatedStoreError) -> AppStoreServerKey {
        let key = try await newServerKey()
        try await add(key)
        return key
    }

    /// Makes a key for the app's server. The store accepts it once it is added.
    package func newServerKey() async throws(SimulatedStoreError) -> AppStoreServerKey {
        core.seed.serverKey(try await core.database.read { try ServerKeyRecord.fetchCount($0) })
    }

    /// Adds a new key for the app's server. Only its public part is stored.
    package func add(_ key: AppStoreServerKey) async throws(SimulatedStoreError) {
        let record = ServerKeyRecord(identifier: key.identifier, issuer: key.issuer, publicKey: key.publicKeyPEM)
        try await core.database.write { try record.insert($0) }
    }

    /// Returns the keys of the app's server.
    package func serverKeys() async throws(SimulatedStoreError) -> [ServerKeyRecord] {
        try await core.database.read { try ServerKeyRecord.fetchAll($0) }
    }

    /// Returns the simulated failure for a request of the app's server, and decrements the number of remaining
    /// failures. Returns `nil` if no failure is set.
    package func consumeServerFailure() async throws(SimulatedStoreError) -> SimulatedFailure? {
        try await core.database.consumeFailure(for: .serverAPI)
    }

    /// Adds the address of an OCSP responder to the certificates with which the store signs.
    ///
    /// - Throws: ``SimulatedStoreError`` if the certificates cannot be issued again, or the store's state cannot be
    ///   written.
    package func nameResponder(_ url: URL) async throws(SimulatedStoreError) {
        let identity = core.signingIdentity
        guard identity.responder != url else { return }
        let reason = "the store's certificates cannot be issued again"
        let (named, pem) = try SimulatedStoreError.mapping(damaged: reason) {
            let named = try identity.naming(responder: url)
            return (named, try named.pem)
        }
        try await core.database.write { try $0.execute(sql: "UPDATE identity SET pem = ?", arguments: [pem]) }
        core.identity.withLock { $0 = named }
        core.signedData.removeAll()
    }

    /// Answers an OCSP request for the revocation status of the store's certificates (RFC 6960).
    package func answer(certificateStatusRequest request: Data, at date: Date) -> Data {
        core.signingIdentity.respond(to: request, at: date)
    }

    /// State of the store, which differs after each change that this or another process has made.
    package func state() throws(SimulatedStoreError) -> StoreState { try core.database.state() }

    /// Returns the date, by the machine's clock, of the next change of the store that happens without a call, such as a
    /// renewal; the distant future if there is none.
    package func nextChangeByTime() async throws(SimulatedStoreError) -> Date {
        try await core.read { scope in
            scope.settings.clock == nil ? try scope.nextDueDate().map(Date.init(milliseconds:)) : nil
        } ?? .distantFuture
    }

    /// Returns the customer's undecided refund requests, earliest first.
    ///
    /// - Throws: ``SimulatedStoreError`` if the store's state cannot be read.
    public func refundRequests() async throws(SimulatedStoreError) -> [SimulatedRefundRequest] {
        try await core.read { [identity] in try SimulatedRefundRequest.all(of: identity.customer, in: $0.database) }
    }

    /// Requests a refund of a transaction, as its customer would. The store asks the app's server for a consumption
    /// report, and turns the renewal of a running subscription off. ``refund(_:_:)`` grants the refund.
    ///
    /// - Throws: ``SimulatedStoreError``: `noSuchTransaction` if the customer has not bought the transaction, or it is
    ///   revoked.
    public func requestRefund(
        _ id: String, because reason: ConsumptionRequestReason = .other
    ) async throws(SimulatedStoreError) {
        try await core.perform { [identity] scope in
            try scope.requestRefund(scope.transaction(id, of: identity.customer), because: reason)
            try scope.record { .requestRefund(transaction: try $0.number(id), reason: reason) }
        }
    }

    /// Declines the requested refund of a transaction.
    ///
    /// - Throws: ``SimulatedStoreError``: `noSuchTransaction` if no refund of the transaction was requested.
    public func declineRefund(_ id: String) async throws(SimulatedStoreError) {
        try await core.perform { [identity] scope in
            try scope.declineRefund(scope.transaction(id, of: identity.customer))
            try scope.record { .declineRefund(transaction: try $0.number(id)) }
        }
    }
}

extension StoreSeed {
    /// Alphabet of key identifiers.
    private static let keyCharacters = Array("23456789ABCDEFGHJKLMNPQRSTUVWXYZ")

    /// Returns a new key for the app's server. Its identifiers are derived from the seed of the store; its private part
    /// is random.
    fileprivate func serverKey(_ number: Int) -> AppStoreServerKey {
        let characters = serverKeyBytes(number).prefix(10).map {
            Self.keyCharacters[Int($0) % Self.keyCharacters.count]
        }
        return AppStoreServerKey(
            newWithIdentifier: String(characters), issuer: numberedIdentifier(0, purpose: "issuer"))
    }
}
