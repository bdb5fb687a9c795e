internal import Foundation
internal import VitrineEntitlements
internal import VitrineReceipts

/// Steps that record revocations and reinstatements, and finish their transactions.
extension TransactionPipeline {
    func revoke(
        _ signed: SignedTransaction, from transaction: StoreTransaction, at date: Date,
        isContentComing: () async -> Bool
    ) async -> Delivery {
        let fact = Fact.Revocation(
            origin: Fact.Origin(signed), revocationDate: date, percentage: signed.payload.revocationPercentage)
        do throws(LedgerError) {
            let renewal = await renewal(of: signed, transaction).flatMap { Fact.Renewal(signed, $0) }
            let recorded = try await entitlements.record(
                [.revocation(fact)] + (renewal.map { [.renewal($0)] } ?? []), at: now()
            ) { if $0.containsRevocation { emit(.revoked(signed, isNew: true)) } }
            return try await finishAsItStands(
                signed, transaction, isNew: recorded.containsRevocation, isContentComing: isContentComing)
        } catch {
            return wait(transaction, .ledger(error))
        }
    }

    /// Finishes a transaction that was signed before the refund of its purchase, and records that it was not delivered.
    ///
    /// - Parameter renewal: Renewal data of the subscription. It is recorded, because it remains valid if the refund is
    ///   reversed.
    func finishRefunded(
        _ signed: SignedTransaction, _ transaction: StoreTransaction, retaining renewal: [Fact]
    ) async -> Delivery {
        do throws(LedgerError) {
            try await noteUndelivered(signed)
            if !renewal.isEmpty { try await entitlements.record(renewal, at: now()) }
            return await finishRevoked(signed, transaction, isNew: false)
        } catch {
            return wait(transaction, .ledger(error))
        }
    }

    /// Finishes a transaction, and returns its delivery as revoked or valid according to the ledger. The ledger may
    /// differ from this copy of the transaction, because the store may have signed another copy later.
    private func finishAsItStands(
        _ signed: SignedTransaction, _ transaction: StoreTransaction, isNew: Bool,
        isContentComing: () async -> Bool
    ) async throws(LedgerError) -> Delivery {
        if try await entitlements.ledger.isRevoked(signed.payload.purchaseID) {
            return await finishRevoked(signed, transaction, isNew: isNew)
        }
        let sequence = try await entitlements.ledger.entry(of: .purchase, key: signed.payload.purchaseID)?.sequence ?? 0
        emit(.recorded(signed, isNew: false))
        // A later copy may be waiting for its content, and finishes the transaction then.
        let finishError = await isContentComing() ? nil : await finish(signed, transaction)
        return .delivered(
            Delivered(
                transaction: signed, isNew: false,
                isRecordedHere: entitlements.hasRecorded(purchase: signed.payload.purchaseID), sequence: sequence,
                finishError: finishError, isLeftUnfinished: false))
    }

    /// Finishes a revoked transaction.
    ///
    /// - Parameter isNew: `true` if this delivery has already recorded and reported the revocation.
    func finishRevoked(
        _ signed: SignedTransaction, _ transaction: StoreTransaction, isNew: Bool
    ) async -> Delivery {
        if !isNew { emit(.revoked(signed, isNew: false)) }
        return .revoked(
            Delivered(
                transaction: signed, isNew: isNew, isRecordedHere: isNew, sequence: 0,
                finishError: await finish(signed, transaction), isLeftUnfinished: false))
    }

    /// Finishes a transaction that was revoked while its content was being installed. It is not delivered.
    ///
    /// - Returns: `nil` for a purchase that is valid.
    func deliveryIfRevoked(_ signed: SignedTransaction, _ transaction: StoreTransaction) async -> Delivery? {
        do throws(LedgerError) {
            guard try await entitlements.ledger.isRevoked(signed.payload.purchaseID) else { return nil }
            return await finishRevoked(signed, transaction, isNew: false)
        } catch {
            return wait(transaction, .ledger(error))
        }
    }
}

extension [LedgerEntry] {
    fileprivate var containsRevocation: Bool { contains { $0.fact.kind == .revocation } }
}
