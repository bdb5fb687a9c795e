internal import Foundation
internal import VitrinePurchasing
internal import VitrineReceipts
internal import VitrineSupport

/// Verifications that purchase and restore calls require for their transactions, in addition to
/// `AppHooks.verification`.
///
/// A transaction may arrive as an update of the store instead of as the answer to its call. Vitrine then does not know
/// which call it belongs to: every open call for the product verifies the transaction.
final class CallVerifications: Sendable {
    /// Number that identifies a purchase or restore call.
    typealias Call = Int

    /// Purchase calls for one product whose transactions may still arrive.
    private struct PurchaseCalls {
        struct Open {
            /// Verification that the call requires; `nil` if `AppHooks.verification` is sufficient.
            let verification: TransactionVerification?
            /// Identifiers of the transactions that were already waiting for delivery when the purchase call began, and
            /// do not belong to the call.
            let earlier: Set<String>
            /// `true` if the call was answered as pending, before its transaction was complete.
            var isPending = false
            /// Date of the request for approval by another person; `nil` if the call does not wait for approval.
            var requestDate: Date?
        }

        var open: [Call: Open] = [:]
        /// Identifiers of the product's transactions that were recorded while purchase calls for it were open.
        var recorded: Set<String> = []

        /// `true` if at least as many purchases of the product have arrived as purchase calls for it are open, and
        /// each of these calls was answered as pending.
        var areServed: Bool { recorded.count >= open.count && open.values.allSatisfy(\.isPending) }

        func verifications(of transactionID: String) -> [TransactionVerification] {
            open.sorted { $0.key < $1.key }.map(\.value)
                .filter { !$0.earlier.contains(transactionID) }.compactMap(\.verification)
        }
    }

    private struct State {
        var lastCall = 0
        var purchases: [String: PurchaseCalls] = [:]
        var restores: [Call: TransactionVerification] = [:]
        /// Verifications of transactions that were not confirmed, by transaction identifier. All verifications of a
        /// transaction are repeated when its delivery is retried, even if the calls that required them have ended.
        var unconfirmed: [String: [TransactionVerification]] = [:]

        mutating func nextCall() -> Call {
            lastCall += 1
            return lastCall
        }

        func verifications(of payload: TransactionPayload) -> [TransactionVerification] {
            if let verifications = unconfirmed[payload.transactionID] { return verifications }
            return (purchases[payload.productIdentifier]?.verifications(of: payload.transactionID) ?? [])
                + restores.sorted { $0.key < $1.key }.map(\.value)
        }

        mutating func forgetServedCalls(for identifier: String) {
            if purchases[identifier]?.areServed ?? false { purchases[identifier] = nil }
        }
    }

    private let state = Locked(State())
    private let now: @Sendable () -> Date

    init(now: @escaping @Sendable () -> Date) { self.now = now }

    /// Removes the calls that wait for an approval that can no longer be given. The store does not report that a
    /// request for approval was declined.
    func forgetExpiredRequests() {
        let earliest = now() - PendingApprovals.validity
        state.withLock { state in
            for (identifier, calls) in state.purchases {
                let open = calls.open.filter { $0.value.requestDate.map { $0 > earliest } ?? true }
                state.purchases[identifier]?.open = open
                state.forgetServedCalls(for: identifier)
            }
        }
    }

    /// Runs the verifications of all calls that a transaction may belong to.
    func verify(_ transaction: SignedTransaction) async -> AppVerification {
        let id = transaction.payload.transactionID
        let verifications = state.withLock { $0.verifications(of: transaction.payload) }
        for verification in verifications {
            let result = await verification(transaction)
            guard result == .verified else {
                state.withLock { $0.unconfirmed[id] = verifications }
                return result
            }
        }
        state.withLock { $0.unconfirmed[id] = nil }
        return .verified
    }

    /// Registers a purchase call until its transaction has arrived.
    ///
    /// - Parameter earlier: Identifiers of the transactions that waited for their delivery before the call.
    func beginPurchase(
        of identifier: String, _ verification: TransactionVerification?, after earlier: Set<String>
    ) -> Call {
        state.withLock { state in
            let call = state.nextCall()
            state.purchases[identifier, default: PurchaseCalls()].open[call] =
                PurchaseCalls.Open(verification: verification, earlier: earlier)
            return call
        }
    }

    /// Removes a purchase call that was answered conclusively. A pending call remains until at least as many purchases
    /// of the product have been recorded as calls for it are open.
    func endPurchase(_ call: Call, of identifier: String, answeredWith answer: PurchaseAnswer) {
        state.withLock { state in
            switch answer {
            // The renewal that changes the plan belongs to no call.
            case .pending(.planChange): state.purchases[identifier]?.open[call] = nil
            case .pending(let reason):
                state.purchases[identifier]?.open[call]?.isPending = true
                if reason == .askToBuy { state.purchases[identifier]?.open[call]?.requestDate = now() }
            case .success(let transaction, notChargedAgain: false):
                // The purchase belongs to no other call.
                state.purchases[identifier]?.recorded.remove(transaction.payload.transactionID)
                state.purchases[identifier]?.open[call] = nil
            case .success, .cancelled, .failed: state.purchases[identifier]?.open[call] = nil
            }
            state.forgetServedCalls(for: identifier)
        }
    }

    /// Calls a function that restores purchases. Transactions that arrive meanwhile are also verified by the restore's
    /// own verification.
    func restoring<Result: Sendable, Failure: Error>(
        _ verification: TransactionVerification?, _ body: () async throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        let call = state.withLock { state in
            let call = state.nextCall()
            state.restores[call] = verification
            return call
        }
        defer { state.withLock { $0.restores[call] = nil } }
        return try await body()
    }

    /// Updates the open purchase calls, and the verifications to be repeated, after a step in the delivery of a
    /// transaction.
    func note(_ step: TransactionStep) {
        switch step {
        case .recorded(let signed, isNew: true):
            let identifier = signed.payload.productIdentifier
            state.withLock { state in
                state.purchases[identifier]?.recorded.insert(signed.payload.transactionID)
                state.forgetServedCalls(for: identifier)
            }
        case .discarded(let transaction): state.withLock { $0.unconfirmed[transaction.id] = nil }
        case .revoked(let signed, _): state.withLock { $0.unconfirmed[signed.payload.transactionID] = nil }
        default: break
        }
    }
}

extension AppHooks {
    /// Returns hooks that run the app's own verification of a transaction first, and then the verifications of open
    /// calls.
    func verifying(forCalls calls: CallVerifications) -> AppHooks {
        let own = verification
        return AppHooks(
            verification: { transaction in
                let result = await own?(transaction) ?? .verified
                return result == .verified ? await calls.verify(transaction) : result
            }, delivery: delivery)
    }
}
