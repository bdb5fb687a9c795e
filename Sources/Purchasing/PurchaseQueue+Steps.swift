internal import Entitlements
internal import Foundation
internal import Receipts

/// The steps of one transaction on its way.
extension PurchaseQueue {
    func process(_ transaction: StoreTransaction, awaitingContent: Bool) async -> Delivery {
        await announce(.received(transaction))
        switch await verifier.verify(transaction: transaction.signedData) {
        case .undetermined(let reason): return await wait(transaction, .verification(reason))
        case .rejected(let reasons): return await reject(transaction, reasons)
        case .verified(let signed):
            // Finished is what the store named, delivered what was signed: they have to be the same.
            guard signed.payload.transactionID == transaction.id else {
                let detail = "the store calls it \(transaction.id), and signed \(signed.payload.transactionID)"
                return await reject(transaction, [RejectionReason(code: .payload, detail: detail)])
            }
            if let delivery = await deliveryRefused(of: signed, transaction) { return delivery }
            await announce(.verified(signed))
            guard !isOutdated(LatestCopy(signed.payload), of: signed.payload.purchaseID) else {
                return await finishOutdated(signed, transaction)
            }
            if let date = signed.payload.revocationDate { return await revoke(signed, from: transaction, at: date) }
            return await record(signed, from: transaction, awaitingContent: awaitingContent)
        }
    }

    /// What the store takes back is taken back, whatever the app thinks of it.
    ///
    /// - Returns: `nil` where the app has nothing against the transaction.
    private func deliveryRefused(of signed: SignedTransaction, _ transaction: StoreTransaction) async -> Delivery? {
        guard signed.payload.revocationDate == nil else { return nil }
        for verification in [hooks.verification, callVerifications[transaction.id]].compactMap(\.self) {
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

    private func wait(_ transaction: StoreTransaction, _ reason: WaitingReason) async -> Delivery {
        await announce(.waiting(transaction, reason))
        return .waiting(reason)
    }

    // MARK: Purchases

    private func record(
        _ signed: SignedTransaction, from transaction: StoreTransaction, awaitingContent: Bool
    ) async -> Delivery {
        let isNew: Bool
        let known: LedgerEntry?
        let undelivered: Fact?
        do throws(LedgerError) {
            switch try await plan(for: signed) {
            case .wait(let reason): return await wait(transaction, reason)
            case .record(let facts):
                let recorded = try await ledger.append(
                    await graceTerm(of: signed, transaction).map { facts.lasting($0) } ?? facts, at: now())
                isNew = recorded.contains { $0.fact.isPurchaseThatCounts }
                remember(LatestCopy(signed.payload), of: signed.payload.purchaseID)
                known = try await ledger.entry(of: .purchase, key: signed.payload.purchaseID)
                undelivered = try await undeliveredFromReceipt(known)
            }
        } catch {
            // A copy from before the store took it back.
            guard error.code == .revoked else { return await wait(transaction, .ledger(error)) }
            return await finishRevoked(signed, transaction, isNew: false)
        }
        await announce(.recorded(signed, isNew: isNew))
        if awaitingContent, signed.payload.type != .consumable {
            do {
                let products = try await content.installContent(unlockedBy: signed)
                if !products.isEmpty { await announce(.contentInstalled(signed, products: products)) }
            } catch {
                return await waitForContent(signed, transaction, error)
            }
        }
        // What is only restored was delivered when it was recorded, unless that was from a receipt.
        if let handler = hooks.delivery, awaitingContent || isNew || undelivered != nil {
            if case .retryLater(let reason) = await handler.deliver(signed) {
                return await wait(transaction, .handler(reason))
            }
            do throws(LedgerError) {
                if let undelivered { _ = try await ledger.append([undelivered], at: now()) }
            } catch {
                return await wait(transaction, .ledger(error))
            }
        }
        return .delivered(
            Delivered(
                transaction: signed, isNew: isNew, sequence: known?.sequence ?? 0,
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

    /// What is not owned any more waits for no content: another process may have recorded a refund meanwhile.
    private func waitForContent(
        _ signed: SignedTransaction, _ transaction: StoreTransaction, _ missing: ContentProviderError
    ) async -> Delivery {
        do throws(LedgerError) {
            guard try await ledger.isRevoked(signed.payload.purchaseID) else {
                return await wait(transaction, .content(missing))
            }
            return await finishRevoked(signed, transaction, isNew: false)
        } catch {
            return await wait(transaction, .ledger(error))
        }
    }

    // MARK: Revocations

    private func revoke(_ signed: SignedTransaction, from transaction: StoreTransaction, at date: Date) async
        -> Delivery
    {
        let fact = Fact.Revocation(origin: Fact.Origin(signed), revocationDate: date)
        do throws(LedgerError) {
            let isNew = try await !ledger.append([.revocation(fact)], at: now()).isEmpty
            remember(LatestCopy(signed.payload), of: signed.payload.purchaseID)
            return try await finishAsItStands(signed, transaction, isNew: isNew)
        } catch {
            return await wait(transaction, .ledger(error))
        }
    }

    private func finishOutdated(_ signed: SignedTransaction, _ transaction: StoreTransaction) async -> Delivery {
        do throws(LedgerError) {
            return try await finishAsItStands(signed, transaction, isNew: false)
        } catch {
            return await wait(transaction, .ledger(error))
        }
    }

    /// What the store has said later about it may be the opposite of what this copy says.
    private func finishAsItStands(
        _ signed: SignedTransaction, _ transaction: StoreTransaction, isNew: Bool
    ) async throws(LedgerError) -> Delivery {
        if try await ledger.isRevoked(signed.payload.purchaseID) {
            return await finishRevoked(signed, transaction, isNew: isNew)
        }
        let sequence = try await ledger.entry(of: .purchase, key: signed.payload.purchaseID)?.sequence ?? 0
        await announce(.recorded(signed, isNew: false))
        return .delivered(
            Delivered(
                transaction: signed, isNew: false, sequence: sequence,
                finishError: await finish(signed, transaction)))
    }

    private func finishRevoked(
        _ signed: SignedTransaction, _ transaction: StoreTransaction, isNew: Bool
    ) async -> Delivery {
        await announce(.revoked(signed, isNew: isNew))
        return .revoked(
            Delivered(
                transaction: signed, isNew: isNew, sequence: 0, finishError: await finish(signed, transaction)))
    }

    private func finish(_ signed: SignedTransaction, _ transaction: StoreTransaction) async -> StoreError? {
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
