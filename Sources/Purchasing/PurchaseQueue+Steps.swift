internal import Entitlements
internal import Foundation
internal import Receipts

/// Steps of one transaction from receipt to completion.
extension PurchaseQueue {
    /// Verifies and records a transaction, and completes it unless content is missing.
    ///
    /// - Parameter earlier: The delivery of an earlier copy of the same transaction, which waits for content. While it
    ///   is in progress, this copy is completed together with it.
    func process(
        _ transaction: StoreTransaction, awaitingContent: Bool, after earlier: RunningDelivery?
    ) async -> Recording {
        await announce(.received(transaction))
        switch await verifier.verify(transaction: transaction.signedData) {
        case .undetermined(let reason): return .ended(await wait(transaction, .verification(reason)))
        case .rejected(let reasons): return .ended(await reject(transaction, reasons))
        case .verified(let signed):
            // The store finishes the transaction it has named; the queue delivers the signed one: both must be the
            // same.
            guard signed.payload.transactionID == transaction.id else {
                let detail = "the store reports \(transaction.id), but has signed \(signed.payload.transactionID)"
                return .ended(await reject(transaction, [RejectionReason(code: .payload, reason: detail)]))
            }
            if let delivery = await deliveryRefused(of: signed, transaction) { return .ended(delivery) }
            await announce(.verified(signed))
            if let date = signed.payload.revocationDate {
                return .ended(await revoke(signed, from: transaction, at: date))
            }
            let recording = await record(signed, from: transaction, awaitingContent: awaitingContent)
            guard case .recorded(let purchase) = recording, !isUnderWay(earlier) else { return recording }
            if purchase.awaitsContent, await content.lacksContent(unlockedBy: signed) { return recording }
            return .ended(await complete(purchase))
        }
    }

    /// Asks the app to verify a transaction. A revocation applies regardless of the app's verification.
    ///
    /// - Returns: `nil` if the app does not refuse the transaction.
    private func deliveryRefused(of signed: SignedTransaction, _ transaction: StoreTransaction) async -> Delivery? {
        guard signed.payload.revocationDate == nil else { return nil }
        adoptVerifications(for: transaction.id, of: signed.payload.productIdentifier)
        let ofCalls = callVerifications[transaction.id]?.verifications ?? []
        for verification in [hooks.verification].compactMap(\.self) + ofCalls {
            switch await verification(signed) {
            case .verified: continue
            case .rejected(let reason):
                return await reject(transaction, [RejectionReason(code: .app, reason: reason)])
            case .undetermined(let reason): return await waitUndelivered(signed, transaction, .verification(reason))
            }
        }
        return nil
    }

    private func reject(_ transaction: StoreTransaction, _ reasons: [RejectionReason]) async -> Delivery {
        await announce(.rejected(transaction, reasons))
        return .rejected(reasons)
    }

    func wait(_ transaction: StoreTransaction, _ reason: WaitingReason) async -> Delivery {
        await announce(.waiting(transaction, reason))
        return .waiting(reason)
    }

    // MARK: Purchases

    /// Records a verified transaction.
    ///
    /// - Returns: `recorded` if the transaction is in the ledger and has still to be delivered, otherwise `ended` with
    ///   the result.
    private func record(
        _ signed: SignedTransaction, from transaction: StoreTransaction, awaitingContent: Bool
    ) async -> Recording {
        let purchase: RecordedPurchase
        do throws(LedgerError) {
            switch try await plan(for: signed) {
            case .wait(let reason): return .ended(await waitUndelivered(signed, transaction, reason))
            case .record(let facts):
                let recorded = try await ledger.append(
                    await graceTerm(of: signed, transaction).map { facts.lasting($0) } ?? facts, at: now())
                if recorded.contains(where: { $0.fact.kind == .purchase }) {
                    noteRecorded(transaction.id, of: signed.payload.productIdentifier)
                }
                let known = try await ledger.entry(of: .purchase, key: signed.payload.purchaseID)
                purchase = RecordedPurchase(
                    signed: signed, transaction: transaction,
                    isNew: recorded.contains { $0.fact.isPurchaseThatCounts }, sequence: known?.sequence ?? 0,
                    isAwaited: awaitingContent, undelivered: try await undeliveredFromReceipt(known))
            }
        } catch {
            guard error.code == .revoked else { return .ended(await wait(transaction, .ledger(error))) }
            return .ended(await finishRefunded(signed, transaction))
        }
        await announce(.recorded(signed, isNew: purchase.isNew))
        return .recorded(purchase)
    }

    private func waitUndelivered(
        _ signed: SignedTransaction, _ transaction: StoreTransaction, _ reason: WaitingReason
    ) async -> Delivery {
        do throws(LedgerError) {
            try await noteUndelivered(signed)
            return await wait(transaction, reason)
        } catch {
            return await wait(transaction, .ledger(error))
        }
    }

    /// Notes that a consumable has arrived and is not delivered, unless it was recorded.
    func noteUndelivered(_ signed: SignedTransaction) async throws(LedgerError) {
        let purchaseID = signed.payload.purchaseID
        guard signed.payload.type == .consumable, try await ledger.entry(of: .purchase, key: purchaseID) == nil
        else { return }
        _ = try await ledger.append([.note(.undelivered(purchaseID))], at: now())
    }

    /// Installs content, calls the app's delivery handler, and finishes the transaction with the store.
    func complete(_ purchase: RecordedPurchase) async -> Delivery {
        let (signed, transaction) = (purchase.signed, purchase.transaction)
        if purchase.awaitsContent {
            do {
                let products = try await content.installContent(unlockedBy: signed)
                if !products.isEmpty {
                    await announce(.contentInstalled(signed, products: products))
                    if let delivery = await deliveryIfRevoked(signed, transaction) { return delivery }
                }
            } catch {
                let delivery = await deliveryIfRevoked(signed, transaction)
                return if let delivery { delivery } else { await wait(transaction, .content(error)) }
            }
        }
        // A restored transaction was delivered when it was recorded, unless it was recorded from a receipt.
        if let handler = hooks.delivery, purchase.isAwaited || purchase.isNew || purchase.undelivered != nil {
            if case .retryLater(let reason) = await handler.deliver(signed) {
                return await wait(transaction, .handler(reason))
            }
            do throws(LedgerError) {
                if let undelivered = purchase.undelivered { _ = try await ledger.append([undelivered], at: now()) }
            } catch {
                return await wait(transaction, .ledger(error))
            }
        }
        return .delivered(
            Delivered(
                transaction: signed, isNew: purchase.isNew, sequence: purchase.sequence,
                finishError: await finish(signed, transaction)))
    }

    /// Returns the note that marks a purchase as delivered by the app, for a purchase that was recorded from a receipt
    /// and for which the delivery handler was not called.
    ///
    /// - Returns: `nil` for a purchase that was recorded from its transaction, and if the note is already recorded.
    private func undeliveredFromReceipt(_ known: LedgerEntry?) async throws(LedgerError) -> Fact? {
        guard hooks.delivery != nil, let fact = known?.fact, fact.receiptDigest != nil else { return nil }
        let note = Fact.note(
            Fact.Note(
                token: "delivery of \(fact.key)",
                reason: "the app has delivered what was recorded of transaction \(fact.key) from a receipt"))
        return try await ledger.entry(of: .note, key: note.key) == nil ? note : nil
    }

    private func plan(for signed: SignedTransaction) async throws(LedgerError) -> DeliveryPlan {
        try await plan(for: Fact.Purchase(signed), of: signed.payload.productIdentifier)
    }

    /// Returns the delivery plan for a purchase. A recorded purchase was delivered under the catalog of its time and is
    /// not checked against a later one. A purchase recorded from a receipt has the product type that the receipt or the
    /// catalog gave.
    func plan(for purchase: Fact.Purchase?, of identifier: String) async throws(LedgerError) -> DeliveryPlan {
        if let purchase,
            case .purchase(let known) = try await ledger.entry(of: .purchase, key: purchase.origin.purchaseID)?.fact,
            known.kind == purchase.kind || known.origin.receiptDigest == nil
        {
            return .record([.purchase(purchase)])
        }
        return DeliveryPlan(
            purchase: purchase, of: identifier, catalog: catalog(), hasHandler: hooks.delivery != nil)
    }

    private func graceTerm(of signed: SignedTransaction, _ transaction: StoreTransaction) async -> Fact.Term? {
        guard let signedRenewal = transaction.signedRenewal else { return nil }
        switch await verifier.verify(renewal: signedRenewal) {
        case .verified(let renewal): return Fact.Term(signed, renewal)
        case .rejected(let reasons): await announce(.renewalIgnored(signed, reason: reasons.joinedReasons))
        case .undetermined(let reason): await announce(.renewalIgnored(signed, reason: reason))
        }
        return nil
    }

    func finish(_ signed: SignedTransaction, _ transaction: StoreTransaction) async -> StoreError? {
        do throws(StoreError) {
            try await store.finish(transaction)
            await announce(.finished(signed))
            return nil
        } catch {
            await announce(.notFinished(signed, error))
            return error
        }
    }
}

extension Fact {
    /// `true` if the fact is a purchase, or makes a revoked purchase valid again.
    fileprivate var isPurchaseThatCounts: Bool {
        switch self {
        case .purchase, .reinstatement: true
        default: false
        }
    }
}

extension [Fact] {
    /// Returns the facts with the grace period that a term adds to the purchased period, followed by the term itself.
    ///
    /// The purchase contains the grace period too: if both were signed at the same time, the ledger would treat the
    /// term as outdated.
    fileprivate func lasting(_ term: Fact.Term) -> [Fact] {
        map { fact in
            guard case .purchase(var purchase) = fact else { return fact }
            purchase.period = term.period
            return .purchase(purchase)
        } + [.term(term)]
    }
}
