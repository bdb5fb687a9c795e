internal import VitrinePurchasing
internal import VitrineReceipts
package import VitrineStoreSimulator
internal import VitrineSupport

/// Simulated store that is attached to a connection, with the tasks that forward its changes.
package final class AttachedStore: Sendable {
    package let store: SimulatedStore
    let verifier: SignedDataVerifier
    package let quirks: StoreQuirks
    /// Identity of the test session to which the store belongs; `nil` without a session.
    package let session: (any Hashable & Sendable)?
    private let listsFinishedConsumables: Bool
    private let confirmation: @Sendable (PurchaseDialog) async -> Bool
    /// Tasks that forward changes; `nil` after ``stop()``.
    private let tasks = Locked<[Task<Void, Never>]?>([])

    /// - Parameters:
    ///   - listsFinishedConsumables: `true` to list finished consumables, as with the Info.plist key
    ///     `SKIncludeConsumableInAppPurchaseHistory`.
    ///   - session: Identity of the test session to which the store belongs; `nil` without a session.
    ///   - confirmation: Closure that answers the dialogs of the store; `false` cancels.
    /// - Throws: `SimulatedStoreError` if the store's certificate cannot be used.
    package init(
        _ store: SimulatedStore, quirks: StoreQuirks = [], listsFinishedConsumables: Bool = false,
        of session: (any Hashable & Sendable)? = nil,
        confirmation: @escaping @Sendable (PurchaseDialog) async -> Bool = { _ in true }
    ) throws {
        self.store = store
        self.quirks = quirks
        self.session = session
        self.listsFinishedConsumables = listsFinishedConsumables
        self.confirmation = confirmation
        verifier = SignedDataVerifier(
            roots: try TrustedRoots(pem: store.rootCertificate), bundleIdentifier: store.bundleIdentifier,
            environment: store.environment)
    }

    func history() async throws(StoreError) -> [StoreTransaction] {
        try await store.listedTransactions(withConsumables: listsFinishedConsumables)
    }

    /// Asks the customer to confirm a dialog.
    ///
    /// - Throws: ``StoreKitError/userCancelled``.
    func confirm(_ dialog: PurchaseDialog) async throws(StoreKitError) {
        guard await confirmation(dialog) else { throw .userCancelled }
    }

    // MARK: Changes

    /// Begins to forward the changes of the store to a connection, which is not retained.
    func begin(_ connection: StoreConnection) {
        let (changes, storefronts) = (store.changes(), store.storefrontChanges())
        retain(
            Task { [weak connection] in
                for await change in changes { await connection?.announce(change) }
            })
        retain(
            Task { [weak connection] in
                for await _ in storefronts { await connection?.announceStorefront() }
            })
    }

    /// Begins to forward the purchases that the customer begins in the store.
    func beginPromotions(_ connection: StoreConnection) {
        let promotions = store.promotedPurchases()
        retain(
            Task { [weak connection] in
                for await promoted in promotions { await connection?.announceIntent(promoted) }
            })
    }

    private func retain(_ task: Task<Void, Never>) {
        let isStopped = tasks.withLock { tasks in
            tasks?.append(task)
            return tasks == nil
        }
        // The store was stopped in the meantime, for example because another one was attached.
        if isStopped { task.cancel() }
    }

    func stop() {
        let running = tasks.withLock { tasks in
            defer { tasks = nil }
            return tasks ?? []
        }
        for task in running { task.cancel() }
    }
}

/// Dialog that asks the customer for a confirmation.
package enum PurchaseDialog: Sendable, Hashable {
    case purchase(product: String)
    case signIn
}

/// Behaviors of StoreKit that differ between systems and versions. Tests turn them on.
public struct StoreQuirks: OptionSet, Hashable, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }

    /// The first listing after a change lacks the new or changed transaction.
    public static let lateListings = StoreQuirks(rawValue: 1)
    /// Listings are sorted from the newest to the oldest transaction.
    public static let newestFirst = StoreQuirks(rawValue: 2)
    /// The order of transactions differs in each listing.
    public static let shuffled = StoreQuirks(rawValue: 4)
    /// Each update arrives twice.
    public static let announcesTwice = StoreQuirks(rawValue: 8)
    /// The app's own purchases also arrive as updates.
    public static let announcesOwnPurchases = StoreQuirks(rawValue: 16)

    /// A subscription that renews is first reported as expired, in the announced status and in the next one that is
    /// read.
    public static let expiresBeforeRenewing = StoreQuirks(rawValue: 32)
    /// With a simulated error for subscription statuses, the calls return an empty array and throw nothing.
    public static let hidesStatusErrors = StoreQuirks(rawValue: 64)

    /// Combination of behaviors that an app must be able to handle.
    public static let hostile: StoreQuirks = [
        .lateListings, .shuffled, .announcesTwice, .announcesOwnPurchases, .expiresBeforeRenewing,
    ]
}

/// Errors that StoreKit's calls throw, as set by a test.
package struct SimulatedErrors: Sendable {
    package var loadProducts: StoreKitError?
    package var purchase: (any Error)?
    package var verification: VerificationResult<Any>.VerificationError?
    package var appStoreSync: StoreKitError?
    package var appTransaction: StoreKitError?
    package var subscriptionStatus: StoreKitError?
    package var refundRequest: (any Error)?

    package init() {}
}
