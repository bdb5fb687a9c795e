internal import Foundation
public import ProductCatalog
public import Purchasing
internal import Receipts

extension SimulatedStore {
    public func products(for identifiers: [String]) async throws(StoreError) -> [StoreProduct] {
        try await check(.products)
        let wanted = Set(identifiers)
        var texts = texts(in: try await storefrontNow())
        return configuration.items.filter { wanted.contains($0.identifier) }.compactMap { texts.product($0) }
    }

    public func storefront() async throws(StoreError) -> String? { try await storefrontNow() }

    public func paymentRestriction() async -> String? {
        // If the state cannot be read, the purchase throws the error.
        try? await database.settings().paymentRestriction
    }

    public func purchase(_ identifier: String, options: PurchaseOptions) async throws(StoreError)
        -> StorePurchaseAnswer
    {
        let date = now()
        try await checkPurchases()
        let order = try await order(identifier, options: options, at: date)
        let failure: SimulatedFailure
        do throws(SimulatedStoreError) {
            switch try await database.purchase(order) {
            case .bought(let transaction): return .purchased(try sign(transaction, at: date))
            case .pending: return .pending
            case .failed(let armed): failure = armed
            }
        } catch {
            throw StoreError(error)
        }
        guard failure != .cancelled else { return .cancelled }
        throw StoreError(failure, of: identifier)
    }

    public func restore() async throws(StoreError) -> [StoreTransaction] {
        try await check(.restore)
        return try await signedTransactions { $0.isRestorable }
    }

    public func knownTransactions() async throws(StoreError) -> [StoreTransaction] {
        try await signedTransactions { $0.isRestorable || !$0.isFinished }
    }

    public func unfinishedTransactions() async throws(StoreError) -> [StoreTransaction] {
        try await check(.unfinished)
        return try await signedTransactions { !$0.isFinished }
    }

    public func finish(_ transaction: StoreTransaction) async throws(StoreError) {
        try await check(.finish)
        // An app that finishes the transaction in its state before a refund has not received the refund.
        guard let payload = TransactionPayload(unverified: transaction.signedData) else { return }
        do {
            try await database.finish(
                transaction.id, revocationDate: payload.revocationDate?.milliseconds,
                signedDate: payload.signedDate.milliseconds)
        } catch {
            throw StoreError(error)
        }
    }

    public func appTransaction() async throws(StoreError) -> String? {
        try await check(.appTransaction)
        do throws(SimulatedStoreError) {
            guard let original = try await database.appPurchase() else { return nil }
            return try sign(original)
        } catch {
            throw StoreError(error)
        }
    }

    public func updates() -> AsyncStream<StoreTransaction> { transactionUpdates.stream() }

    public func storefrontChanges() -> AsyncStream<Void> { storefrontSignals.stream() }

    public func promotedPurchases() -> AsyncStream<String> {
        let signals = promotionSignals.stream()
        let database = database
        return AsyncStream {
            var signal = signals.makeAsyncIterator()
            repeat {
                // If the state cannot be read now, it is read again with the next promotion.
                if let promoted = try? await database.takePromotion() { return promoted }
            } while await signal.next() != nil
            return nil
        }
    }
}

extension SimulatedStore {
    /// Checks that purchases are allowed and the store is reachable.
    ///
    /// - Throws: ``StoreError`` if purchases are not allowed on this device, or the store cannot be reached.
    private func checkPurchases() async throws(StoreError) {
        let settings: StoreSettings
        do {
            settings = try await database.settings()
        } catch {
            throw StoreError(error)
        }
        if let reason = settings.paymentRestriction { throw StoreError(code: .notAllowed, reason: reason) }
        guard !settings.isOffline else { throw .unreached }
    }

    /// Checks that a call is not set to fail.
    ///
    /// - Throws: ``StoreError`` if the call fails.
    func check(_ call: StoreCall) async throws(StoreError) {
        guard try await takeFailure(of: call) == nil else { throw .unanswered }
    }

    /// Returns the failure that is set for a call, and counts it.
    ///
    /// - Throws: ``StoreError`` if the store cannot be reached.
    func takeFailure(of call: StoreCall) async throws(StoreError) -> SimulatedFailure? {
        let failure: SimulatedFailure?
        let isOffline: Bool
        do {
            let settings = try await database.settings()
            isOffline = settings.isOffline && call.needsConnection
            failure = isOffline ? nil : try await database.takeFailure(for: call)
        } catch {
            throw StoreError(error)
        }
        guard !isOffline else { throw .unreached }
        return failure
    }

    /// Returns the current storefront.
    ///
    /// - Throws: ``StoreError`` if the store's state cannot be read.
    func storefrontNow() async throws(StoreError) -> String {
        do {
            return try await currentStorefront
        } catch {
            throw StoreError(error)
        }
    }

    private func signedTransactions(
        where isWanted: (SimulatedTransaction) -> Bool
    ) async throws(StoreError) -> [StoreTransaction] {
        // The date is taken before reading: a state that begins in the meantime is signed with a later date.
        let date = now()
        do throws(SimulatedStoreError) {
            var signed: [StoreTransaction] = []
            for transaction in try await database.transactions() where isWanted(transaction) {
                signed.append(try sign(transaction, at: date))
            }
            return signed
        } catch {
            throw StoreError(error)
        }
    }
}

extension SimulatedTransaction {
    fileprivate var isRestorable: Bool { kind != .consumable || revocationDate != nil }
}

extension StoreError {
    /// Creates the error that an app receives if the store's state cannot be used.
    package init(_ error: SimulatedStoreError) {
        self.init(code: error.code == .storage ? .storage : .unavailable, reason: error.reason)
    }

    fileprivate static var unreached: StoreError { StoreError(code: .network, reason: "the store cannot be reached") }
    fileprivate static var unanswered: StoreError {
        StoreError(code: .unavailable, reason: "the store failed without a reason")
    }

    /// Creates the error that an app receives for a purchase that is set to fail.
    fileprivate init(_ failure: SimulatedFailure, of identifier: String) {
        switch failure {
        case .network: self = .unreached
        case .lostAnswer:
            self.init(code: .network, reason: "the connection was lost before the store answered")
        case .notAvailable: self.init(notSold: identifier)
        case .notAllowed: self.init(code: .notAllowed, reason: "the customer is not allowed to buy")
        default: self = .unanswered
        }
    }
}
