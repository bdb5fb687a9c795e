internal import Entitlements
internal import Foundation
internal import Receipts

/// The steps of one transaction on its way.
extension PurchaseQueue {
    /// - Parameter earlier: The delivery of another copy, for which content comes. As long as it goes on, this copy is
    ///   brought to its end with that one.
    func process(
        _ transaction: StoreTransaction, awaitingContent: Bool, after earlier: RunningDelivery?
    ) async -> Recording {
        await announce(.received(transaction))
        switch await verifier.verify(transaction: transaction.signedData) {
        case .undetermined(let reason): return .ended(await wait(transaction, .verification(reason)))
        case .rejected(let reasons): return .ended(await reject(transaction, reasons))
        case .verified(let signed):
            // Finished is what the store named, delivered what was signed: they have to be the same.
            guard signed.payload.transactionID == transaction.id else {
                let detail = "the store calls it \(transaction.id), and signed \(signed.payload.transactionID)"
                return .ended(await reject(transaction, [RejectionReason(code: .payload, detail: detail)]))
            }
            if let delivery = await deliveryRefused(of: signed, transaction) { return .ended(delivery) }
            await announce(.verified(signed))
            guard !isOutdated(LatestCopy(signed.payload), of: signed.payload.purchaseID) else {
                return .ended(await finishOutdated(signed, transaction))
            }
            if let date = signed.payload.revocationDate {
                return .ended(await revoke(signed, from: transaction, at: date))
            }
            let recording = await record(signed, from: transaction, awaitingContent: awaitingContent)
            guard case .recorded(let purchase) = recording, !isUnderWay(earlier) else { return recording }
            if purchase.awaitsContent, await content.lacksContent(unlockedBy: signed) { return recording }
            return .ended(await complete(purchase))
        }
    }

    /// What the store takes back is taken back, whatever the app thinks of it.
    ///
    /// - Returns: `nil` where the app has nothing against the transaction.
    private func deliveryRefused(of signed: SignedTransaction, _ transaction: StoreTransaction) async -> Delivery? {
        guard signed.payload.revocationDate == nil else { return nil }
        adoptVerifications(for: transaction.id, of: signed.payload.productIdentifier)
        let ofCalls = callVerifications[transaction.id]?.verifications ?? []
        for verification in [hooks.verification].compactMap(\.self) + ofCalls {
            switch await verification(signed) {
            case .verified: continue
            case .rejected(let reason):
                return await reject(transaction, [RejectionReason(code: .app, detail: reason)])
            case .undetermined(let reason): return await wait(transaction, .verification(reason))
            }
        }
        return nil
    }

    /// A later copy that said the opposite was recorded before it. The ledger cannot tell where that one changed nothing.
    func isOutdated(_ copy: LatestCopy, of purchaseID: String) -> Bool {
        guard let latest = latestCopies[purchaseID] else { return false }
        return latest.signedDate > copy.signedDate && latest.isRevoked != copy.isRevoked
    }

    func remember(_ copy: LatestCopy, of purchaseID: String) {
        if let latest = latestCopies[purchaseID], latest.signedDate >= copy.signedDate { return }
        latestCopies[purchaseID] = copy
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

    /// - Returns: `recorded` for what is not delivered yet.
    private func record(
        _ signed: SignedTransaction, from transaction: StoreTransaction, awaitingContent: Bool
    ) async -> Recording {
        let purchase: RecordedPurchase
        do throws(LedgerError) {
            switch try await plan(for: signed) {
            case .wait(let reason): return .ended(await wait(transaction, reason))
            case .record(let facts):
                let recorded = try await ledger.append(
                    await graceTerm(of: signed, transaction).map { facts.lasting($0) } ?? facts, at: now())
                remember(LatestCopy(signed.payload), of: signed.payload.purchaseID)
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
            // A copy from before the store took it back.
            guard error.code == .revoked else { return .ended(await wait(transaction, .ledger(error))) }
            return .ended(await finishRevoked(signed, transaction, isNew: false))
        }
        await announce(.recorded(signed, isNew: purchase.isNew))
        return .recorded(purchase)
    }

    /// Installs content, asks the app, and tells the store.
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
        // What is only restored was delivered when it was recorded, unless that was from a receipt.
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

    /// What is noted once the app has delivered a purchase that was recorded from a receipt, for which it was not asked.
    ///
    /// - Returns: `nil` for what was recorded from its transaction, and for what is noted.
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

    /// What the ledger has was delivered under the catalog of its time: a later one is not asked again. What it has from a
    /// receipt was taken for what the receipt or the catalog said.
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
        case .rejected(let reasons): await announce(.renewalIgnored(signed, reason: reasons.inWords))
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
    /// Something is bought, or counts again.
    fileprivate var isPurchaseThatCounts: Bool {
        switch self {
        case .purchase, .reinstatement: true
        default: false
        }
    }
}

extension [Fact] {
    /// The same with the grace that the store gives the period that was bought.
    ///
    /// The purchase says it too: where both were signed at one time, the ledger would take the term for old.
    fileprivate func lasting(_ term: Fact.Term) -> [Fact] {
        map { fact in
            guard case .purchase(var purchase) = fact else { return fact }
            purchase.period = term.period
            return .purchase(purchase)
        } + [.term(term)]
    }
}
