internal import Entitlements
internal import Foundation
internal import Receipts

/// Steps that record revocations and reinstatements, and finish their transactions.
extension PurchaseQueue {
    func revoke(_ signed: SignedTransaction, from transaction: StoreTransaction, at date: Date) async
        -> Delivery
    {
        let fact = Fact.Revocation(
            origin: Fact.Origin(signed), revocationDate: date, percentage: signed.payload.revocationPercentage)
        do throws(LedgerError) {
            let isNew = try await !ledger.append([.revocation(fact)], at: now()).isEmpty
            return try await finishAsItStands(signed, transaction, isNew: isNew)
        } catch {
            return await wait(transaction, .ledger(error))
        }
    }

    /// Finishes a transaction that was signed before the refund of its purchase. It proves that the purchase had arrived
    /// here.
    func finishRefunded(_ signed: SignedTransaction, _ transaction: StoreTransaction) async -> Delivery {
        do throws(LedgerError) {
            try await noteUndelivered(signed)
            return await finishRevoked(signed, transaction, isNew: false)
        } catch {
            return await wait(transaction, .ledger(error))
        }
    }

    /// Finishes a transaction according to the ledger's revocation state, which a later signed copy of the transaction
    /// may have set to the opposite of this copy's.
    private func finishAsItStands(
        _ signed: SignedTransaction, _ transaction: StoreTransaction, isNew: Bool
    ) async throws(LedgerError) -> Delivery {
        if try await ledger.isRevoked(signed.payload.purchaseID) {
            return await finishRevoked(signed, transaction, isNew: isNew)
        }
        let sequence = try await ledger.entry(of: .purchase, key: signed.payload.purchaseID)?.sequence ?? 0
        await announce(.recorded(signed, isNew: false))
        // A later copy may be waiting for its content, and finishes the transaction then.
        let finishError = isContentComing(for: transaction.id) ? nil : await finish(signed, transaction)
        return .delivered(
            Delivered(transaction: signed, isNew: false, sequence: sequence, finishError: finishError))
    }

    func finishRevoked(
        _ signed: SignedTransaction, _ transaction: StoreTransaction, isNew: Bool
    ) async -> Delivery {
        await announce(.revoked(signed, isNew: isNew))
        return .revoked(
            Delivered(
                transaction: signed, isNew: isNew, sequence: 0, finishError: await finish(signed, transaction)))
    }

    /// Finishes a transaction that was revoked while its content was being installed: it is not delivered.
    ///
    /// - Returns: `nil` for a purchase that is valid.
    func deliveryIfRevoked(_ signed: SignedTransaction, _ transaction: StoreTransaction) async -> Delivery? {
        do throws(LedgerError) {
            guard try await ledger.isRevoked(signed.payload.purchaseID) else { return nil }
            return await finishRevoked(signed, transaction, isNew: false)
        } catch {
            return await wait(transaction, .ledger(error))
        }
    }
}
