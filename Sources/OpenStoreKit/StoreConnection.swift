internal import FileSystem
internal import ProductCatalog
package import Purchasing
internal import Receipts
internal import StoreSimulator

/// Connection of StoreKit's static API to a simulated store: what the store daemon is on Apple's platforms.
///
/// The connection remains the same when another store is attached to it: sequences that an app reads since its launch then
/// go on with that store.
package final class StoreConnection: Sendable {
    /// Connection of all tasks that do not run with a store of their own.
    package static let shared = StoreConnection()

    /// Connection of a task with a store of its own; `nil` outside such a task. Tasks that the task creates inherit it, but
    /// not detached ones.
    @TaskLocal package static var isolated: StoreConnection?

    package static var current: StoreConnection { isolated ?? shared }

    private struct State {
        var attached: AttachedStore?
        /// Transactions whose signatures were checked, by identifier, each with the content that was checked.
        var checked: [String: CheckedTransaction] = [:]
        /// Renewal information whose signature was checked, by the subscription's first transaction.
        var checkedRenewals: [String: CheckedRenewal] = [:]
        /// `true` until a reader of ``Transaction/updates`` has received the transactions that were unfinished at launch.
        var isLaunching = true
        /// Transactions with which the store has answered purchases since the launch.
        var answered: Set<String> = []
        /// Transactions that the next listing leaves out, if listings are late.
        var unlisted: Set<String> = []
        /// Number of listings that were shuffled.
        var shuffles: UInt64 = 0
        var errors = SimulatedErrors()
        /// Transactions for which a refund was requested.
        var refundRequests: Set<UInt64> = []
        /// Values of ``Product/PromotionInfo``, which exists on iOS alone.
        var promotions: [any Sendable] = []
        /// `true` if the app reads ``PurchaseIntent/intents``: what the customer begins before waits in the store.
        var readsIntents = false
    }

    private struct CheckedTransaction: Sendable {
        /// Content of the transaction without the date and nonce of the signature.
        let content: TransactionPayload
        let result: VerificationResult<Transaction>
    }

    private struct CheckedRenewal: Sendable {
        let content: RenewalPayload
        let result: VerificationResult<Product.SubscriptionInfo.RenewalInfo>
    }

    private let state = Locked(State())
    let updates = Channel<VerificationResult<Transaction>>()
    let statuses = Channel<Product.SubscriptionInfo.Status>()
    let storefronts = Channel<Storefront>()
    let intents = Channel<PurchaseIntent>()
    /// Raw values of the reasons of messages: ``Message`` does not exist on macOS.
    let messages = Channel<Int>()

    package init() {}

    deinit { state.withLock { $0.attached }?.stop() }

    // MARK: Store

    /// Lets the static API use a store from now on, as after a launch of the app.
    package func attach(_ attached: AttachedStore) {
        let (earlier, readsIntents) = state.withLock { state in
            defer { state = State(attached: attached, readsIntents: state.readsIntents) }
            return (state.attached, state.readsIntents)
        }
        earlier?.stop()
        attached.begin(self)
        if readsIntents { attached.beginPromotions(self) }
    }

    /// Replaces the attached store by another device or with other behavior, while the app goes on.
    package func replace(_ attached: AttachedStore) {
        attached.begin(self)
        let (earlier, readsIntents) = state.withLock { state in
            defer { state.attached = attached }
            return (state.attached, state.readsIntents)
        }
        if readsIntents { attached.beginPromotions(self) }
        earlier?.stop()
    }

    /// Begins to announce the purchases that the customer begins in the store.
    func readIntents() {
        let attached = state.withLock { state in
            defer { state.readsIntents = true }
            return state.readsIntents ? nil : state.attached
        }
        attached?.beginPromotions(self)
    }

    /// Detaches the store. Calls then throw ``StoreKitError/unsupported``, and listings are empty.
    package func detach() {
        state.withLock { state in
            defer { state = State(readsIntents: state.readsIntents) }
            return state.attached
        }?.stop()
    }

    /// Forgets what the running app has received, as after a launch of the app: the next reader of updates receives the
    /// unfinished transactions.
    package func relaunch() {
        state.withLock { state in (state.isLaunching, state.answered) = (true, []) }
    }

    package var attached: AttachedStore? { state.withLock { $0.attached } }

    package var errors: SimulatedErrors { state.withLock { $0.errors } }

    /// Sets the errors that calls throw.
    package func setErrors(_ change: @Sendable (inout SimulatedErrors) -> Void) {
        state.withLock { change(&$0.errors) }
    }

    func requireStore() throws(StoreKitError) -> AttachedStore {
        guard let attached else { throw .unsupportedCall }
        return attached
    }

    // MARK: Verification

    /// Verifies a transaction. A transaction that was verified before, with the same content, has the same signature as
    /// then.
    package func check(_ signed: StoreTransaction) async -> VerificationResult<Transaction>? {
        guard let attached, let jws = UnverifiedJWS(signed.signedData) else { return nil }
        let (known, error) = state.withLock { ($0.checked[signed.id], $0.errors.verification) }
        let claims = known == nil && error == nil ? nil : jws.decode(TransactionPayload.self)
        if let known, error == nil, known.content == claims?.withoutSigningDate { return known.result }
        let verification = error == nil ? await attached.verifier.verify(transaction: signed.signedData) : nil
        guard case .verified(let verified) = verification else {
            guard let payload = claims ?? jws.decode(TransactionPayload.self) else { return nil }
            let transaction = Transaction(payload: payload, jws: jws, connection: ConnectionReference(self))
            if let error { return .unverified(transaction, error.converted()) }
            guard case .rejected(let reasons) = verification else {
                return .unverified(transaction, .invalidCertificateChain)
            }
            return .unverified(transaction, .init(reasons))
        }
        let content = verified.payload.withoutSigningDate
        let result = VerificationResult.verified(
            Transaction(payload: verified.payload, jws: jws, connection: ConnectionReference(self)))
        return state.withLock { state in
            // Another task may have verified the same content meanwhile, which it has received with another signature.
            if let known = state.checked[signed.id], known.content == content { return known.result }
            state.checked[signed.id] = CheckedTransaction(content: content, result: result)
            return result
        }
    }

    private func check(renewal signed: String) async -> VerificationResult<Product.SubscriptionInfo.RenewalInfo>? {
        guard let attached, let jws = UnverifiedJWS(signed), let payload = jws.decode(RenewalPayload.self) else {
            return nil
        }
        let (content, subscription) = (payload.withoutSigningDate, payload.originalTransactionID)
        let (known, error) = state.withLock { ($0.checkedRenewals[subscription], $0.errors.verification) }
        let information = Product.SubscriptionInfo.RenewalInfo(payload: payload, jws: jws)
        if let error { return .unverified(information, error.converted()) }
        if let known, known.content == content { return known.result }
        switch await attached.verifier.verify(renewal: signed) {
        case .verified:
            return state.withLock { state in
                if let known = state.checkedRenewals[subscription], known.content == content { return known.result }
                state.checkedRenewals[subscription] = CheckedRenewal(content: content, result: .verified(information))
                return .verified(information)
            }
        case .rejected(let reasons): return .unverified(information, .init(reasons))
        case .undetermined: return .unverified(information, .invalidCertificateChain)
        }
    }

    func status(
        _ signed: StoreTransaction, _ state: SubscriptionState
    ) async -> Product.SubscriptionInfo.Status? {
        guard let renewal = signed.signedRenewal, let transaction = await check(signed),
            let information = await check(renewal: renewal)
        else { return nil }
        return Product.SubscriptionInfo.Status(
            state: Product.SubscriptionInfo.RenewalState(rawValue: state.rawValue), transaction: transaction,
            renewalInfo: information)
    }

    // MARK: Changes

    /// Announces a change of the store to the readers of updates and statuses.
    func announce(_ change: StoreChange) async {
        let habits = attached?.habits ?? []
        if !change.isOfStatusOnly, let result = await check(change.transaction) {
            if habits.contains(.lateListings) {
                state.withLock { _ = $0.unlisted.insert(change.transaction.id) }
            }
            updates.send(result)
            if habits.contains(.announcesTwice) { updates.send(result) }
        }
        if let subscriptionState = change.state,
            let status = await status(change.transaction, subscriptionState)
        {
            statuses.send(status)
        }
    }

    /// Returns the transactions that were unfinished at launch, once for each launch.
    func takeUnfinishedAtLaunch() async -> [VerificationResult<Transaction>] {
        guard state.withLock({ $0.isLaunching && $0.attached != nil }), let store = attached?.store,
            let signed = try? await store.unfinishedTransactions()
        else { return [] }
        // Another reader may have taken them meanwhile.
        let answered = state.withLock { state -> Set<String>? in
            guard state.isLaunching else { return nil }
            state.isLaunching = false
            return state.answered
        }
        guard let answered else { return [] }
        return ordered(await check(signed.filter { !answered.contains($0.id) }))
    }

    // MARK: Listings

    func check(_ signed: [StoreTransaction]) async -> [VerificationResult<Transaction>] {
        var results: [VerificationResult<Transaction>] = []
        for transaction in signed {
            if let result = await check(transaction) { results.append(result) }
        }
        return results
    }

    /// Returns a listing in the order and with the delay that the attached store has. In a cancelled task it is empty, as
    /// on Apple's platforms.
    func list(
        _ read: (SimulatedStore) async throws -> [StoreTransaction]
    ) async -> [VerificationResult<Transaction>] {
        guard !Task.isCancelled, let attached, let signed = try? await read(attached.store), !Task.isCancelled else {
            return []
        }
        let late = state.withLock { state in
            defer { state.unlisted = [] }
            return state.unlisted
        }
        return ordered(await check(signed.filter { !late.contains($0.id) }))
    }

    private func ordered(_ results: [VerificationResult<Transaction>]) -> [VerificationResult<Transaction>] {
        let habits = attached?.habits ?? []
        if habits.contains(.shuffled) {
            var generator = SplitMix(
                state: state.withLock { state in
                    state.shuffles += 1
                    return state.shuffles
                })
            return results.shuffled(using: &generator)
        }
        return habits.contains(.newestFirst) ? results.reversed() : results
    }

    func noteAnswer(_ id: String) {
        let isLate = attached?.habits.contains(.lateListings) ?? false
        state.withLock { state in
            state.answered.insert(id)
            if isLate { state.unlisted.insert(id) }
        }
    }

    /// Notes that the customer requests a refund of a transaction.
    ///
    /// - Returns: `false` if they have requested it before.
    package func noteRefundRequest(_ id: UInt64) -> Bool {
        state.withLock { $0.refundRequests.insert(id).inserted }
    }
}

extension StoreConnection {
    func promotions() throws(StoreKitError) -> [any Sendable] {
        _ = try requireStore()
        return state.withLock { $0.promotions }
    }

    func changePromotions(_ change: @Sendable (inout [any Sendable]) -> Void) throws(StoreKitError) {
        _ = try requireStore()
        state.withLock { change(&$0.promotions) }
    }
}

/// Connection of a value that was read over it. All references are equal: where a value comes from is not part of its
/// content.
struct ConnectionReference: Hashable, Sendable {
    let value: StoreConnection

    init(_ value: StoreConnection) { self.value = value }

    static func == (left: ConnectionReference, right: ConnectionReference) -> Bool { true }

    func hash(into hasher: inout Hasher) {}
}

extension TransactionPayload {
    /// The payload with values in place of those that differ between two signatures of the same transaction.
    fileprivate var withoutSigningDate: TransactionPayload {
        var copy = self
        copy.signedDate = .distantPast
        (copy.deviceVerification, copy.deviceVerificationNonce) = (nil, nil)
        return copy
    }
}

extension RenewalPayload {
    /// The payload with values in place of those that differ between two signatures of the same renewal information.
    fileprivate var withoutSigningDate: RenewalPayload {
        var copy = self
        copy.signedDate = .distantPast
        (copy.deviceVerification, copy.deviceVerificationNonce) = (nil, nil)
        return copy
    }
}

/// Generator of the orders of shuffled listings (SplitMix64): each order is the same in each run.
private struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

extension UUID {
    static let zero = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
}
