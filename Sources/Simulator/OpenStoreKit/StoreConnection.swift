package import VitrinePurchasing
internal import VitrineReceipts
internal import VitrineStoreSimulator
internal import VitrineSupport

/// Connection of StoreKit's static API to a simulated store. It has the role of the store daemon on Apple's platforms.
///
/// The connection stays the same when another store is attached to it, so that the sequences that an app has been
/// reading since its launch continue with that store.
package final class StoreConnection: Sendable {
    /// Connection of all tasks that run without a store of their own.
    package static let shared = StoreConnection()

    /// Connection of a task with a store of its own; `nil` outside such a task. Child tasks and unstructured tasks
    /// inherit it; detached tasks do not.
    @TaskLocal package static var isolated: StoreConnection?

    package static var current: StoreConnection { isolated ?? shared }

    private struct State {
        var attached: AttachedStore?
        /// `true` until a reader of ``Transaction/updates`` has received the transactions that were unfinished at
        /// launch.
        var isLaunching = true
        /// Identifiers of transactions that the store has returned from purchases since the launch.
        var answered: Set<String> = []
        /// Identifiers of transactions that the next listing omits, with ``StoreQuirks/lateListings``.
        var unlisted: Set<String> = []
        /// Original transaction identifiers of renewed subscriptions whose next status is reported as expired.
        var lapsing: Set<UInt64> = []
        /// Number of listings that were shuffled, which seeds the next order.
        var shuffles: UInt64 = 0
        var errors = SimulatedErrors()
        /// Identifiers of transactions for which a refund was requested.
        var refundRequests: Set<UInt64> = []
        var promotions: [Promotion] = []
        /// `true` if the app reads ``PurchaseIntent/intents``. Until then, purchases that the customer begins wait in
        /// the store.
        var readsIntents = false
    }

    private let state = Locked(State())
    let updates = Broadcast<VerificationResult<Transaction>>()
    let statuses = Broadcast<Product.SubscriptionInfo.Status>()
    let storefronts = Broadcast<Storefront>()
    let intents = Broadcast<PurchaseIntent>()
    /// Channel for the raw values of messages' reasons, because the type ``Message`` does not exist on macOS.
    let messages = Broadcast<Int>()

    package init() {}

    deinit { state.withLock { $0.attached }?.stop() }

    // MARK: Store

    /// Attaches a store to the static API, as after a launch of the app.
    package func attach(_ attached: AttachedStore) {
        let (earlier, readsIntents) = state.withLock { state in
            defer { state = State(attached: attached, readsIntents: state.readsIntents) }
            return (state.attached, state.readsIntents)
        }
        earlier?.stop()
        attached.begin(self)
        if readsIntents { attached.beginPromotions(self) }
    }

    /// Replaces the attached store by another device or other behavior while the app keeps running.
    package func replace(_ attached: AttachedStore) {
        attached.begin(self)
        let (earlier, readsIntents) = state.withLock { state in
            defer { state.attached = attached }
            return (state.attached, state.readsIntents)
        }
        if readsIntents { attached.beginPromotions(self) }
        earlier?.stop()
    }

    /// Begins to announce purchases that the customer begins in the store.
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

    /// Resets what the running app has received, as at a launch of the app: the next reader of updates receives the
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

    /// Verifies a transaction. Results are not cached, because a copy with the same content may be signed after an
    /// intermediate state.
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

    /// Returns the error for signed data that was not verified: the error that a test has set, or the verifier's.
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
        let quirks = attached?.quirks ?? []
        if !change.isOfStatusOnly, let result = await check(change.transaction) {
            if quirks.contains(.lateListings) {
                state.withLock { _ = $0.unlisted.insert(change.transaction.id) }
            }
            updates.send(result)
            if quirks.contains(.announcesTwice) { updates.send(result) }
        }
        guard let subscriptionState = change.state, let status = await status(change.transaction, subscriptionState)
        else { return }
        let transaction = status.transaction.unsafePayloadValue
        if quirks.contains(.expiresBeforeRenewing), !change.isOfStatusOnly, transaction.reason == .renewal {
            state.withLock { _ = $0.lapsing.insert(transaction.originalID) }
            statuses.send(status.expired)
        }
        statuses.send(status)
    }

    /// Returns `true` once for each renewal of a subscription, with ``StoreQuirks/expiresBeforeRenewing``.
    func isLapsing(_ status: Product.SubscriptionInfo.Status) -> Bool {
        let subscription = status.transaction.unsafePayloadValue.originalID
        return state.withLock { $0.lapsing.remove(subscription) != nil }
    }

    /// Returns the transactions that were unfinished at launch, once for each launch.
    func consumeUnfinishedAtLaunch() async -> [VerificationResult<Transaction>] {
        guard state.withLock({ $0.isLaunching && $0.attached != nil }), let store = attached?.store,
            let signed = try? await store.unfinishedTransactions()
        else { return [] }
        // Another reader may have received the transactions in the meantime.
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

    /// Returns a listing with the order and the delay of the attached store's behaviors. In a canceled task it is
    /// empty, as on Apple's platforms.
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
        let quirks = attached?.quirks ?? []
        if quirks.contains(.shuffled) {
            var generator = SplitMix(
                state: state.withLock { state in
                    state.shuffles += 1
                    return state.shuffles
                })
            return results.shuffled(using: &generator)
        }
        return quirks.contains(.newestFirst) ? results.reversed() : results
    }

    func noteAnswer(_ id: String) {
        let isLate = attached?.quirks.contains(.lateListings) ?? false
        state.withLock { state in
            state.answered.insert(id)
            if isLate { state.unlisted.insert(id) }
        }
    }

    /// Records that the customer requests a refund of a transaction.
    ///
    /// - Returns: `false` if a refund of the transaction was requested before.
    package func noteRefundRequest(_ id: UInt64) -> Bool {
        state.withLock { $0.refundRequests.insert(id).inserted }
    }
}

extension StoreConnection {
    func promotions() throws(StoreKitError) -> [Promotion] {
        _ = try requireStore()
        return state.withLock { $0.promotions }
    }

    func changePromotions(_ change: @Sendable (inout [Promotion]) -> Void) throws(StoreKitError) {
        _ = try requireStore()
        state.withLock { change(&$0.promotions) }
    }
}

/// Connection over which a value was read. All references are equal, so that equal values from different connections
/// compare as equal.
struct ConnectionReference: Hashable, Sendable {
    let value: StoreConnection

    init(_ value: StoreConnection) { self.value = value }

    static func == (left: ConnectionReference, right: ConnectionReference) -> Bool { true }

    func hash(into hasher: inout Hasher) {}
}

/// Random number generator (SplitMix64) for shuffled listings, with the same sequence in each run.
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
