internal import Foundation
internal import VitrineReceipts
internal import VitrineSupport

/// Cache of data that a store has signed for servers. Servers receive the same signed data as long as a transaction, or
/// the renewal information of a subscription, does not change.
final class SignedDataCache: Sendable {
    fileprivate let transactions = SignedStates<TransactionPayload>()
    fileprivate let renewals = SignedStates<RenewalPayload>()

    func removeAll() {
        transactions.removeAll()
        renewals.removeAll()
    }
}

/// Latest signed state of each transaction, or of its renewal information, by the number of the transaction.
private final class SignedStates<Payload: Equatable & Sendable>: Sendable {
    private struct Entry {
        let payload: Payload
        let signedDate: Date
        let signedData: String
    }

    /// Maximum number of cached transactions. When it is reached, the cache is emptied.
    private let capacity = 20_000

    private let entries = Locked<[String: Entry]>([:])

    /// Returns the cached signed data of a state, or signs the state.
    ///
    /// - Parameters:
    ///   - payload: Payload without the values that differ between two signatures.
    ///   - signedDate: Date of a new signature.
    ///   - first: Earliest signature date of this state. Cached data with an earlier date belongs to an earlier state
    ///     with the same content, such as the one before a refund that was reversed.
    func signedData(
        of transaction: String, _ payload: Payload, at signedDate: Date, from first: Date,
        sign: () throws(SimulatedStoreError) -> String
    ) throws(SimulatedStoreError) -> String {
        if let entry = entries.withLock({ $0[transaction] }), entry.payload == payload, entry.signedDate >= first {
            return entry.signedData
        }
        let new = Entry(payload: payload, signedDate: signedDate, signedData: try sign())
        return entries.withLock { entries in
            // Another request may have signed the same state in the meantime.
            if let entry = entries[transaction], entry.payload == payload, entry.signedDate >= first {
                return entry.signedData
            }
            if entries.count >= capacity { entries.removeAll() }
            entries[transaction] = new
            return new.signedData
        }
    }

    func removeAll() { entries.withLock { $0.removeAll() } }
}

extension StoreCore {
    /// Signs a transaction for the app's server, or returns the cached signed data. Simulated verification failures
    /// apply to devices only.
    func signForServer(_ request: SigningRequest) throws(SimulatedStoreError) -> String {
        let payload = payloads(of: request, on: nil).transaction
        return try signedData.transactions.signedData(
            of: request.transaction.id, payload.withoutSignature, at: payload.signedDate,
            from: request.transaction.signedFrom
        ) { () throws(SimulatedStoreError) in try sign(payload) }
    }

    /// Signs the renewal information of a transaction for the app's server, or returns the cached signed data.
    ///
    /// - Returns: `nil` if the transaction is not the latest one of a subscription.
    func signRenewalForServer(_ request: SigningRequest) throws(SimulatedStoreError) -> String? {
        guard let payload = payloads(of: request, on: nil).renewal else { return nil }
        return try signedData.renewals.signedData(
            of: request.transaction.id, payload.withoutSignature, at: payload.signedDate,
            from: request.renewalSignedFrom
        ) { () throws(SimulatedStoreError) in try sign(payload) }
    }
}
