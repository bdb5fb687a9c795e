public import Foundation
internal import GRDB
public import VitrineCatalog
public import VitrinePurchasing
internal import VitrineReceipts
public import VitrineSupport

extension SimulatedStore {
    public func products(for identifiers: [String]) async throws(StoreError) -> [StoreProduct] {
        try await check(.products)
        return try await products(for: identifiers, texts(in: try await storefrontNow()))
    }

    /// Returns products with the texts and prices of a language and storefront, even if the store cannot be reached.
    func products(
        for identifiers: [String], _ texts: StoreProductTexts
    ) async throws(StoreError) -> [StoreProduct] {
        let wanted = Set(identifiers)
        var texts = texts
        let (changes, eligibilities) = try await StoreError.converting { () async throws(SimulatedStoreError) in
            try await core.read { [identity] scope in
                let changes = try ProductChange.fetchAll(
                    scope.database.cachedStatement(sql: "SELECT * FROM productChange"))
                return (
                    Dictionary(uniqueKeysWithValues: changes.map { ($0.productIdentifier, $0) }),
                    try scope.offerEligibilities(of: identity.customer)
                )
            }
        }
        let isSold = { (identifier: String) in
            wanted.contains(identifier) && changes[identifier]?.isWithdrawn != true
        }
        let items = core.configuration.items.filter { isSold($0.identifier) }
            .compactMap { texts.product($0, price: changes[$0.identifier]?.price) }
        let groups = Dictionary(core.configuration.groups.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        let subscriptions = core.configuration.subscriptions.filter { isSold($0.item.identifier) }
        return items
            + subscriptions.compactMap { subscription in
                let identifier = subscription.item.identifier
                let terms = texts.subscription(
                    subscription, of: groups[subscription.groupID], eligibilities[identifier] ?? .ofNewCustomer)
                return texts.product(subscription.item, price: changes[identifier]?.price, subscription: terms)
            }
    }

    public func storefront() async throws(StoreError) -> String? { try await storefrontNow() }

    public func paymentRestriction() async -> String? {
        // If the state cannot be read, the purchase throws the error.
        try? await core.database.settings().paymentRestriction
    }

    public func purchase(_ identifier: String, options: PurchaseOptions) async throws(StoreError)
        -> StorePurchaseAnswer
    {
        try await purchase(identifier, options: options, asksToBuy: false)
    }

    /// Purchases a product, like ``purchase(_:options:)``.
    ///
    /// - Parameter asksToBuy: `true` if the purchase requires approval, regardless of the store's settings.
    /// - Throws: `StoreError`, as ``purchase(_:options:)`` does.
    package func purchase(
        _ identifier: String, options: PurchaseOptions, asksToBuy: Bool
    ) async throws(StoreError) -> StorePurchaseAnswer {
        try await checkPurchases()
        var request = try await order(identifier, options: options, on: identity.device)
        request.asksToBuy = asksToBuy
        let order = request
        let failure: SimulatedFailure
        do throws(SimulatedStoreError) {
            let (outcome, signing) = try await core.perform { scope in
                let outcome = try scope.purchase(scope.order(order))
                try scope.record(order, outcome)
                guard case .bought(let record, _) = outcome else { return (outcome, [SigningRequest]()) }
                return (outcome, [try scope.signing(record)])
            }
            switch outcome {
            case .bought(_, let isCharged):
                guard let transaction = try await core.sign(signing, on: identity.device).first else {
                    throw SimulatedStoreError(code: .damaged, reason: "the store has no transaction of the purchase")
                }
                return isCharged ? .purchased(transaction) : .alreadyPurchased(transaction)
            case .pending(isInterrupted: false): return .pending
            case .pending(isInterrupted: true): return .interrupted
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
        return try await signedTransactions { scope, record, _ in try scope.isRestorable(record) }
    }

    public func knownTransactions() async throws(StoreError) -> [StoreTransaction] {
        try await signedTransactions { scope, record, isUnfinished in
            try isUnfinished || scope.isRestorable(record)
        }
    }

    public func unfinishedTransactions() async throws(StoreError) -> [StoreTransaction] {
        try await check(.unfinished)
        return try await signedTransactions { _, _, isUnfinished in isUnfinished }
    }

    public func finish(_ transaction: StoreTransaction) async throws(StoreError) {
        try await check(.finish)
        // An app that finishes the state before a refund has not received the refund: the transaction stays unfinished.
        guard let payload = TransactionPayload(unverified: transaction.signedData), let number = Int64(transaction.id)
        else { return }
        try await StoreError.converting { () async throws(SimulatedStoreError) in
            try await core.perform { [identity] scope in
                try scope.finish(
                    number, on: identity.device, revocationDate: payload.revocationDate?.milliseconds,
                    signedDate: payload.signedDate.milliseconds)
            }
        }
    }

    public var deviceVerificationID: UUID? { core.seed.deviceVerificationID(of: identity.device) }

    public func appTransaction() async throws(StoreError) -> String? {
        try await check(.appTransaction)
        return try await signedAppTransaction(unlessKnown: nil)
    }

    /// Returns the customer's app transaction. If no original purchase of the app is set for the customer, it has the
    /// version that Apple's sandbox reports for every customer.
    public func signedAccount() async throws(StoreError) -> String? {
        let settings = try await StoreError.converting { () async throws(SimulatedStoreError) in
            try await core.database.settings()
        }
        guard !settings.isOffline else { throw .unreached }
        return try await signedAppTransaction(
            unlessKnown: OriginalPurchase(version: "1.0", date: Date(timeIntervalSince1970: 0), platform: nil))
    }

    private func signedAppTransaction(unlessKnown other: OriginalPurchase?) async throws(StoreError) -> String? {
        try await StoreError.converting { () async throws(SimulatedStoreError) in
            let (original, date) = try await core.read { [identity] scope in
                (try AppPurchaseRecord.fetch(of: identity.customer, from: scope.database)?.purchase, scope.date)
            }
            return try (original ?? other).map { original throws(SimulatedStoreError) in
                try core.sign(original, of: identity.customer, at: date, on: identity.device)
            }
        }
    }

    public func updates() -> AsyncStream<StoreTransaction> {
        core.streamInTime(of: core.channels(of: identity.device).updates)
    }

    /// Returns a stream of the transactions in ``updates()``, each with a description of the change.
    package func changes() -> AsyncStream<StoreChange> {
        core.streamInTime(of: core.channels(of: identity.device).changes)
    }

    public func storefrontChanges() -> AsyncStream<Void> { core.storefrontSignals.stream() }

    public func promotedPurchases() -> AsyncStream<PromotedPurchase> {
        let signals = core.promotionSignals.stream()
        return AsyncStream {
            var signal = signals.makeAsyncIterator()
            repeat {
                if let promoted = await self.nextPromotion() { return promoted }
            } while await signal.next() != nil
            return nil
        }
    }

    private func nextPromotion() async -> PromotedPurchase? {
        let known = core.readPromotions.withLock { $0 }
        // If the state cannot be read, it is read again with the next promotion.
        guard let promotion = try? await core.database.readPromotion(at: core.now(), besides: known) else { return nil }
        core.readPromotions.withLock { _ = $0.insert(promotion.id) }
        return PromotedPurchase(productIdentifier: promotion.productIdentifier)
    }

    public func promotedPurchaseAnswered(_ identifier: String) async {
        // If the state cannot be written, the app receives the promoted purchase once more, at a later launch.
        try? await core.database.removePromotion(of: identifier)
    }
}

extension SimulatedStore {
    /// Checks that purchases are allowed, and that the store can be reached.
    ///
    /// - Throws: ``StoreError`` if purchases are not allowed on this device, or the store cannot be reached.
    private func checkPurchases() async throws(StoreError) {
        let settings = try await StoreError.converting { () async throws(SimulatedStoreError) in
            try await core.database.settings()
        }
        if let reason = settings.paymentRestriction { throw StoreError(code: .notAllowed, reason: reason) }
        guard !settings.isOffline else { throw .unreached }
    }

    /// Checks that a call is not set to fail, and that the store can be reached if the call needs a connection.
    ///
    /// - Throws: ``StoreError`` if the call fails.
    func check(_ call: StoreCall) async throws(StoreError) {
        guard try await consumeFailure(of: call) == nil else { throw .unanswered }
    }

    /// Returns the simulated failure of a call, if there is one, and decrements the number of remaining failures.
    ///
    /// - Throws: ``StoreError`` if the call needs a connection and the store cannot be reached, or its state cannot be
    ///   used.
    func consumeFailure(of call: StoreCall) async throws(StoreError) -> SimulatedFailure? {
        do throws(SimulatedStoreError) {
            let isOffline = try await core.database.settings().isOffline && call.needsConnection
            if !isOffline { return try await core.database.consumeFailure(for: call) }
        } catch {
            throw StoreError(error)
        }
        throw .unreached
    }

    /// Returns the current storefront.
    ///
    /// - Throws: ``StoreError`` if the store's state cannot be read.
    func storefrontNow() async throws(StoreError) -> String {
        try await StoreError.converting { () async throws(SimulatedStoreError) in try await currentStorefront }
    }

    func signedTransactions(
        where isWanted: @escaping @Sendable (StoreTransactionScope, PurchaseRecord, _ isUnfinished: Bool) throws -> Bool
    ) async throws(StoreError) -> [StoreTransaction] {
        try await StoreError.converting { () async throws(SimulatedStoreError) in
            let requests = try await core.read { [identity] scope in
                let unfinished = try UnfinishedRecord.purchases(of: identity.device, in: scope.database)
                let records = try PurchaseRecord.fetchAll(
                    scope.database.cachedStatement(
                        sql: "SELECT * FROM purchase WHERE customer = ? AND NOT isPending ORDER BY id"),
                    arguments: [identity.customer])
                return try records.filter {
                    try scope.isKnownToDevices($0) && isWanted(scope, $0, unfinished.contains($0.number))
                }.map { try scope.signingOnDevice($0) }
            }
            return try await core.sign(requests, on: identity.device)
        }
    }
}

extension StoreTransactionScope {
    /// Returns `true` if a customer can restore a transaction: one of a non-consumable or a non-renewing subscription,
    /// the latest one of an auto-renewable subscription, or a revoked one.
    fileprivate func isRestorable(_ record: PurchaseRecord) throws -> Bool {
        if record.revocationDate != nil { return true }
        guard record.groupID != nil else { return record.kind != .consumable }
        return try SubscriptionRecord.fetch(record.originalNumber, from: database)?.purchase == record.number
    }

    fileprivate func finish(
        _ number: Int64, on device: Int64, revocationDate: Int64?, signedDate: Int64
    ) throws {
        guard var record = try PurchaseRecord.fetchOne(database, key: number), !record.isPending,
            record.revocationDate == revocationDate, record.signedFrom <= signedDate
        else { return }
        if try UnfinishedRecord(device: device, purchase: number).delete(database) {
            try self.record { .finish(transaction: $0.number(number), device: device) }
        }
        // A later state must have a later signature date than every state that the app has finished.
        try record.updateChanges(database) { $0.signedFrom = max($0.signedFrom, signedDate) }
    }
}

extension StoreError {
    /// Creates the error that an app receives if the store's state cannot be used.
    package init(_ error: SimulatedStoreError) {
        let code: StoreErrorCode =
            switch error.code {
            case .storage: .storage
            case .noSuchOffer: .invalidOffer
            case .noSuchProduct: .productNotAvailable
            default: .unavailable
            }
        self.init(code: code, reason: error.reason)
    }

    /// Calls a function. An error of the store becomes the error that an app receives.
    static func converting<Value: Sendable>(
        _ body: () async throws(SimulatedStoreError) -> Value
    ) async throws(StoreError) -> Value {
        do {
            return try await body()
        } catch {
            throw StoreError(error)
        }
    }

    fileprivate static var unreached: StoreError { StoreError(code: .network, reason: "the store cannot be reached") }
    fileprivate static var unanswered: StoreError {
        StoreError(code: .unavailable, reason: "the store failed without a reason")
    }

    /// Creates the error that an app receives for a simulated failure of a purchase.
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
