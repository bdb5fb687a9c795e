public import Foundation
internal import VitrineCatalog
public import VitrineSupport

/// Ledger together with the ownership and balances that result from its entries. All facts are recorded through this
/// class.
///
/// The entries of recorded facts are applied as the ledger returns them. The ledger is read again only for entries that
/// other processes have recorded.
public final class EntitlementStore: Sendable {
    private struct Current {
        var snapshot: EntitlementSnapshot
        /// Number of times that the ledger was replaced by another one.
        var replacements = 0
        /// Keys of the purchases that were recorded through this `EntitlementStore`.
        var ownPurchases: Set<String> = []
        weak var observer: (any EntitlementObserver)?

        func send(_ changes: EntitlementSnapshot.Changes) { observer?.entitlementsChange(to: snapshot, changes) }
    }

    public let ledger: any Ledger
    private let current: Locked<Current>

    /// Creates an `EntitlementStore` from a ledger and its summary.
    ///
    /// - Parameters:
    ///   - ledger: The ledger.
    ///   - summary: The summary that ``Ledger/summary()`` returned when the ledger was opened.
    ///   - date: The date for which ownership is computed.
    ///   - check: The last answer of the store about the customer's subscriptions.
    ///   - isIncomplete: `true` if the purchases that the store knows have not been read into the ledger yet.
    ///   - renewalLeeway: The time in seconds for which a subscription is owned after its period while the store has
    ///     not confirmed its expected renewal.
    public init(
        _ ledger: any Ledger, summary: LedgerSummary, at date: Date, check: SubscriptionCheck = SubscriptionCheck(),
        isIncomplete: Bool = false, renewalLeeway: TimeInterval = EntitlementSnapshot.usualRenewalLeeway
    ) {
        self.ledger = ledger
        var snapshot = EntitlementSnapshot(
            catalog: nil, summary: summary, at: date, check: check, renewalLeeway: renewalLeeway)
        snapshot.isIncomplete = isIncomplete
        current = Locked(Current(snapshot: snapshot))
    }

    /// Sets the observer of all later changes of ownership and balances. The observer is not retained.
    package func observe(_ observer: any EntitlementObserver) { current.withLock { $0.observer = observer } }

    /// Number of times that the ledger was replaced by another one, in which entries have other sequence numbers.
    package var replacements: Int { current.withLock { $0.replacements } }

    /// Ownership and balances as of the last change.
    public var snapshot: EntitlementSnapshot { current.withLock { $0.snapshot } }

    // MARK: Recording

    /// Records facts, as ``Ledger/append(_:)`` does, and applies them. If entries that other processes recorded before
    /// these facts cannot be read, the observer receives the error, and the facts are applied later.
    ///
    /// - Parameters:
    ///   - facts: The facts.
    ///   - date: The recording date of the facts.
    ///   - emit: A closure that receives the entries of the new facts after they are applied and before the observer is
    ///     called. The closure must not call this `EntitlementStore`.
    /// - Returns: The entries of the new facts.
    /// - Throws: ``LedgerError``, as ``Ledger/append(_:)`` does. Nothing is recorded in this case, and `emit` is not
    ///   called.
    @discardableResult
    public func record(
        _ facts: [Fact], at date: Date, announcing emit: ([LedgerEntry]) -> Void = { _ in }
    ) async throws(LedgerError) -> [LedgerEntry] {
        try await record(facts.map { DatedFact(fact: $0, date: date) }, announcing: emit)
    }

    /// Records facts with dates of their own, as ``record(_:at:announcing:)`` does.
    ///
    /// - Parameters:
    ///   - facts: The facts with their recording dates.
    ///   - emit: A closure that is called as in ``record(_:at:announcing:)``.
    /// - Returns: The entries of the new facts.
    /// - Throws: ``LedgerError``, as ``Ledger/append(_:)`` does.
    @discardableResult
    public func record(
        _ facts: [DatedFact], announcing emit: ([LedgerEntry]) -> Void = { _ in }
    ) async throws(LedgerError) -> [LedgerEntry] {
        let replacements = current.withLock { $0.replacements }
        let new = try await ledger.append(facts)
        await apply(recorded: new, ifUnreplacedSince: replacements, announcing: emit)
        return new
    }

    /// Records facts of other devices, as ``Ledger/merge(_:adjusting:overdrafts:at:)`` does, and applies them.
    ///
    /// - Throws: ``LedgerError``, as ``Ledger/merge(_:adjusting:overdrafts:at:)`` does.
    public func merge(
        _ facts: [ExchangedFact], adjusting wallets: Set<String>, overdrafts policy: OverdraftPolicy?, at date: Date
    ) async throws(LedgerError) -> LedgerMerge {
        let replacements = current.withLock { $0.replacements }
        let merge = try await ledger.merge(facts, adjusting: wallets, overdrafts: policy, at: date)
        await apply(recorded: merge.entries, ifUnreplacedSince: replacements) { _ in }
        return merge
    }

    private func apply(
        recorded new: [LedgerEntry], ifUnreplacedSince replacements: Int, announcing emit: ([LedgerEntry]) -> Void
    ) async {
        current.withLock {
            $0.ownPurchases.formUnion(
                new.lazy.filter { $0.fact.kind == .purchase && $0.device == nil }.map(\.fact.key))
        }
        do throws(LedgerError) {
            // Facts that the ledger already contained may have been recorded by another process.
            if let first = new.first,
                try apply(new, ifUnreplacedSince: replacements, andFollowingOn: first.sequence, { emit(new) })
            {
                return
            }
            try await refresh { emit(new) }
        } catch {
            emit(new)
            current.withLock { $0.observer }?.entitlementsNotRefreshed(error)
        }
    }

    /// Returns `true` if a purchase was recorded through this `EntitlementStore`, not by another process or during an
    /// earlier launch.
    package func hasRecorded(purchase key: String) -> Bool { current.withLock { $0.ownPurchases.contains(key) } }

    /// Applies the entries that other processes have recorded.
    ///
    /// - Throws: ``LedgerError`` if the ledger cannot be read.
    public func refresh() async throws(LedgerError) { try await refresh {} }

    private func refresh(announcing emit: () -> Void) async throws(LedgerError) {
        var isApplied = false
        while !isApplied {
            let (last, replacements) = current.withLock { ($0.snapshot.lastSequence, $0.replacements) }
            let entries = try await ledger.entries(after: last)
            isApplied = try apply(entries, ifUnreplacedSince: replacements, andFollowingOn: 0, emit)
        }
    }

    /// Applies entries of the ledger. Entries that another call has applied in the meantime are skipped.
    ///
    /// - Parameters:
    ///   - replacements: The number of times that the ledger had been replaced before the entries were read.
    ///   - sequence: The sequence number of the first entry, if the preceding entry must already be applied; 0 for
    ///     entries that were read from the ledger after the last applied entry.
    /// - Returns: `false` if the entries cannot be applied, because preceding entries are missing or the ledger was
    ///   replaced.
    private func apply(
        _ entries: [LedgerEntry], ifUnreplacedSince replacements: Int, andFollowingOn sequence: Int64,
        _ emit: () -> Void
    ) throws(LedgerError) -> Bool {
        let applied = try current.withLock { current throws(LedgerError) -> Applied? in
            guard current.replacements == replacements, sequence <= current.snapshot.lastSequence + 1 else {
                return nil
            }
            let changes = try current.snapshot.apply(entries)
            emit()
            current.send(changes)
            return Applied(changes: changes, observer: current.observer)
        }
        applied?.report()
        return applied != nil
    }

    // MARK: Other changes

    /// Sets the date for which ownership is computed. Entitlement sources that have ended by then are no longer valid.
    ///
    /// - Parameter now: The current date. It is evaluated while this `EntitlementStore` is locked, so that a later call
    ///   has a later date. The expression must not call this `EntitlementStore`.
    package func set(date now: @autoclosure () -> Date) {
        current.withLock { current in
            let changes = current.snapshot.set(date: now())
            current.send(changes)
            return Applied(changes: changes, observer: current.observer)
        }.report()
    }

    /// Applies the store's answer about the customer's subscriptions.
    ///
    /// - Parameter listed: Original transactions of the subscriptions in the answer.
    package func applyAnswer(aboutSubscriptions listed: Set<String>) {
        current.withLock { current in
            let changes = current.snapshot.applyAnswer(aboutSubscriptions: listed)
            current.send(changes)
            return Applied(changes: changes, observer: current.observer)
        }.report()
    }

    /// Tells the observer which subscriptions have periods that are still to be recorded.
    ///
    /// - Parameter subscriptions: Original transactions of the subscriptions.
    package func setCatchingUp(_ subscriptions: Set<String>) {
        current.withLock { $0.observer?.subscriptionsCatchUp(subscriptions) }
    }

    /// Tells the observer that the periods of a subscription are recorded, or could not be recorded.
    package func catchUpHasEnded() { current.withLock { $0.observer?.subscriptionHasCaughtUp() } }

    /// Applies the lead of the device's clock that the store's answer to a purchase has shown.
    ///
    /// - Parameter lead: The lead; `nil` if the device's clock is not ahead of the store's.
    package func apply(_ lead: ClockLead?) {
        current.withLock { current in
            let changes = current.snapshot.apply(lead)
            current.send(changes)
            return Applied(changes: changes, observer: current.observer)
        }.report()
    }

    /// Replaces ownership and balances after the current ledger was replaced by another one of the same customer. A
    /// ledger that records an unsettled loss, or has fewer entries, such as one from a backup, is incomplete until the
    /// store's purchases are read again.
    package func replace(by summary: LedgerSummary, at date: Date) {
        replace(by: summary, at: date, check: nil, isIncomplete: nil)
    }

    /// Replaces ownership and balances after the current ledger was replaced by the ledger of another App Store account.
    ///
    /// - Parameters:
    ///   - check: The last answer of the store about the subscriptions of the other account.
    ///   - isIncomplete: `true` if the purchases that the store knows have not been read into the other ledger yet.
    package func replace(
        byLedgerOfOtherAccount summary: LedgerSummary, at date: Date, check: SubscriptionCheck, isIncomplete: Bool
    ) { replace(by: summary, at: date, check: check, isIncomplete: isIncomplete) }

    private func replace(by summary: LedgerSummary, at date: Date, check: SubscriptionCheck?, isIncomplete: Bool?) {
        current.withLock { current in
            current.replacements += 1
            let before = current.snapshot
            current.snapshot = EntitlementSnapshot(
                catalog: before.catalog, summary: summary, at: date, check: check ?? before.check,
                renewalLeeway: before.renewalLeeway)
            let isShorter = summary.lastSequence < before.lastSequence
            current.snapshot.isIncomplete =
                isIncomplete ?? (before.isIncomplete || current.snapshot.loss != nil || isShorter)
            var changes = current.snapshot.changes(since: before)
            if isIncomplete != nil { changes.wallets = current.snapshot.walletsThatDiffer(from: before) }
            current.send(changes)
            return Applied(changes: changes, observer: current.observer)
        }.report()
    }

    /// Changes data that determines ownership in addition to the ledger's entries, such as the catalog.
    ///
    /// - Parameters:
    ///   - body: A closure that changes the snapshot while this `EntitlementStore` is locked. The closure must not call
    ///     this `EntitlementStore`.
    ///   - observe: A closure that receives the changed snapshot and the differences, in place of
    ///     ``EntitlementObserver/entitlementsChange(to:_:)``.
    package func change(
        _ body: (inout EntitlementSnapshot) -> Void,
        observing observe: (EntitlementSnapshot, EntitlementSnapshot.Changes) -> Void
    ) {
        current.withLock { current in
            let before = current.snapshot
            body(&current.snapshot)
            let changes = current.snapshot.changes(since: before)
            observe(current.snapshot, changes)
            return Applied(changes: changes, observer: current.observer)
        }.report()
    }
}

/// Change of an `EntitlementStore`, which is reported to the observer after the `EntitlementStore` is unlocked.
private struct Applied: Sendable {
    let changes: EntitlementSnapshot.Changes
    let observer: (any EntitlementObserver)?

    func report() { if changes != EntitlementSnapshot.Changes() { observer?.entitlementsHaveChanged(changes) } }
}

/// Observer of all changes of ownership and balances.
package protocol EntitlementObserver: AnyObject, Sendable {
    /// Called with each change while the `EntitlementStore` is locked, so that changes are received in their order.
    /// The observer must not call the `EntitlementStore`.
    ///
    /// - Parameter changes: The differences from the previous snapshot; empty if only the date has advanced.
    func entitlementsChange(to entitlements: EntitlementSnapshot, _ changes: EntitlementSnapshot.Changes)

    /// Called after each change, when the `EntitlementStore` is not locked.
    func entitlementsHaveChanged(_ changes: EntitlementSnapshot.Changes)

    /// Called with the original transactions of the subscriptions whose next periods are about to be recorded, so that
    /// their state after each of these periods is not reported.
    func subscriptionsCatchUp(_ subscriptions: Set<String>)

    /// Called when the last of the periods of a subscription is recorded, or could not be recorded.
    func subscriptionHasCaughtUp()

    /// Called if facts were recorded, but entries that other processes recorded before these facts could not be read.
    func entitlementsNotRefreshed(_ error: LedgerError)
}
