internal import VitrineCatalog
package import VitrinePurchasing
internal import VitrineReceipts
internal import VitrineStoreSimulator
internal import VitrineSupport

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
        /// `true` until a reader of ``Transaction/updates`` has received the transactions that were unfinished at launch.
        var isLaunching = true
        /// Transactions with which the store has answered purchases since the launch.
        var answered: Set<String> = []
        /// Transactions that the next listing leaves out, if listings are late.
        var unlisted: Set<String> = []
        /// Subscriptions that have renewed and whose next status is that they are expired, by their first transactions.
        var lapsing: Set<UInt64> = []
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

    /// Verifies a transaction, each time: a copy with the same content may be signed after a state in between.
    package func check(_ signed: StoreTransaction) async -> VerificationResult<Transaction>? {
        guard let attached, let jws = UnverifiedJWS(signed.signedData) else { return nil }
        let verification = errors.verification == nil ? await attached.verifier.verify(transaction: jws.text) : nil
        if case .verified(let verified) = verification {
            return .verified(Transaction(payload: verified.payload, jws: jws, connection: ConnectionReference(self)))
        }
        guard let payload = jws.decode(TransactionPayload.self) else { return nil }
        return .unverified(
            Transaction(payload: payload, jws: jws, connection: ConnectionReference(self)), error(of: verification))
    }

    private func check(renewal signed: String) async -> VerificationResult<Product.SubscriptionInfo.RenewalInfo>? {
        guard let attached, let jws = UnverifiedJWS(signed), let payload = jws.decode(RenewalPayload.self) else {
            return nil
        }
        let information = Product.SubscriptionInfo.RenewalInfo(payload: payload, jws: jws)
        let verification = errors.verification == nil ? await attached.verifier.verify(renewal: signed) : nil
        if case .verified = verification { return .verified(information) }
        return .unverified(information, error(of: verification))
    }

    /// Returns the error for signed data that was not verified: the one that a test has set, or the verifier's.
    func error<Value, Signed>(of verification: Verification<Value>?) -> VerificationResult<Signed>.VerificationError {
        if let error = errors.verification { return error.converted() }
        if case .rejected(let reasons) = verification { return .init(reasons) }
        return .invalidCertificateChain
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
        guard let subscriptionState = change.state, let status = await status(change.transaction, subscriptionState)
        else { return }
        let transaction = status.transaction.unsafePayloadValue
        if habits.contains(.expiresBeforeRenewing), !change.isOfStatusOnly, transaction.reason == .renewal {
            state.withLock { _ = $0.lapsing.insert(transaction.originalID) }
            statuses.send(status.expired)
        }
        statuses.send(status)
    }

    /// Returns `true` once for a subscription that has renewed, if the store has the habit.
    func isLapsing(_ status: Product.SubscriptionInfo.Status) -> Bool {
        let subscription = status.transaction.unsafePayloadValue.originalID
        return state.withLock { $0.lapsing.remove(subscription) != nil }
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
