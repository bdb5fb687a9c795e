internal import Foundation
internal import VitrineCatalog
internal import VitrineEntitlements
internal import VitrineReceipts

/// Steps of processing a transaction: it is verified and recorded, its content is installed, the app delivers it, and
/// it is finished with the store.
struct TransactionPipeline: Sendable {
    let store: any Store
    let entitlements: EntitlementStore
    let verifier: any TransactionVerifier
    let content: any ContentProvider
    let hooks: AppHooks
    let catalog: @Sendable () -> Catalog?
    let now: @Sendable () -> Date
    let emit: @Sendable (TransactionStep) -> Void

    // MARK: Verifying

    /// Verifies and records a transaction. A revoked transaction is also finished.
    ///
    /// - Parameters:
    ///   - awaitingContent: `true` to install content before the transaction is finished.
    ///   - isUnfinished: Returns `true` if the store lists the transaction as unfinished.
    ///   - isContentComing: Returns `true` while content is being installed for another copy of the transaction. The
    ///     other copy then finishes the transaction.
    func record(
        _ transaction: StoreTransaction, awaitingContent: Bool, isUnfinished: () async -> Bool,
        isContentComing: () async -> Bool
    ) async -> Recording {
        emit(.received(transaction))
        if let rejection = transaction.rejection { return .ended(reject(transaction, [rejection])) }
        switch await verifier.verify(transaction: transaction.signedData) {
        case .undetermined(let reason): return .ended(wait(transaction, .verification(reason)))
        case .rejected(let reasons): return .ended(reject(transaction, reasons))
        case .verified(let signed):
            // The store finishes a transaction by its identifier, and the queue delivers the signed data: both must
            // belong to the same transaction.
            guard signed.payload.transactionID == transaction.id else {
                let detail =
                    "the store reports the transaction \(transaction.id), but its signed data is about the transaction "
                    + signed.payload.transactionID
                return .ended(reject(transaction, [RejectionReason(code: .payload, reason: detail)]))
            }
            if let delivery = await deliveryRefused(of: signed, transaction) { return .ended(delivery) }
            // A copy that is only recorded begins no delivery, unless it is new.
            if awaitingContent || signed.payload.revocationDate != nil { emit(.verified(signed)) }
            if let date = signed.payload.revocationDate {
                return .ended(await revoke(signed, from: transaction, at: date, isContentComing: isContentComing))
            }
            return await record(
                signed, from: transaction, awaitingContent: awaitingContent, isUnfinished: isUnfinished)
        }
    }

    /// Asks the app to verify a transaction. A revocation applies regardless of the app's verification.
    ///
    /// - Returns: `nil` if the app does not refuse the transaction.
    private func deliveryRefused(of signed: SignedTransaction, _ transaction: StoreTransaction) async -> Delivery? {
        guard signed.payload.revocationDate == nil, let verification = hooks.verification else { return nil }
        switch await verification(signed) {
        case .verified: return nil
        case .rejected(let reason): return reject(transaction, [RejectionReason(code: .app, reason: reason)])
        case .undetermined(let reason): return await waitUndelivered(signed, transaction, .verification(reason))
        }
    }

    private func reject(_ transaction: StoreTransaction, _ reasons: [RejectionReason]) -> Delivery {
        emit(.rejected(transaction, reasons))
        return .rejected(reasons)
    }

    func wait(_ transaction: StoreTransaction, _ reason: WaitingReason) -> Delivery {
        emit(.waiting(transaction, reason))
        return .waiting(reason)
    }

    // MARK: Recording

    /// Records a verified transaction.
    ///
    /// - Returns: `recorded` if the transaction is in the ledger and still has to be delivered, otherwise `ended` with
    ///   the result.
    private func record(
        _ signed: SignedTransaction, from transaction: StoreTransaction, awaitingContent: Bool,
        isUnfinished: () async -> Bool
    ) async -> Recording {
        let purchase: RecordedPurchase
        var facts: [Fact] = []
        do throws(LedgerError) {
            switch try await plan(
                for: Fact.Purchase(signed), of: signed.payload.productIdentifier)
            {
            case .wait(let reason):
                if !awaitingContent { emit(.verified(signed)) }
                return .ended(await waitUndelivered(signed, transaction, reason))
            case .record(var planned):
                let leavesUnits = try await leavesUnits(in: planned, of: signed, isUnfinished)
                if leavesUnits {
                    planned.removeAll { $0.kind == .credit }
                    planned.append(.note(.unitsLeft(signed.payload.purchaseID)))
                }
                if let due = try await deliveryDue(of: planned, signed) { planned.append(due) }
                facts = planned.completed(by: await renewal(of: signed, transaction), of: signed)
                let recorded = try await entitlements.record(facts, at: now()) { entries in
                    let isNew = entries.containsPurchaseThatCounts
                    if isNew, !awaitingContent { emit(.verified(signed)) }
                    emit(.recorded(signed, isNew: isNew))
                }
                var entry = recorded.first { $0.fact.kind == .purchase }
                if entry == nil {
                    entry = try await entitlements.ledger.entry(of: .purchase, key: signed.payload.purchaseID)
                }
                purchase = RecordedPurchase(
                    signed: signed, transaction: transaction, isNew: recorded.containsPurchaseThatCounts,
                    sequence: entry?.sequence ?? 0, isAwaited: awaitingContent,
                    isLeftUnfinished: leavesUnits, delivered: try await deliveryToNote(of: entry))
            }
        } catch {
            guard error.code == .revoked else { return .ended(wait(transaction, .ledger(error))) }
            return .ended(
                await finishRefunded(signed, transaction, retaining: facts.filter { $0.kind == .renewal }))
        }
        return .recorded(purchase)
    }

    /// Returns `true` if planned facts credit units for a period of a subscription that this delivery must not credit.
    ///
    /// The store reports a period to each device of the customer, but its units are credited once: by the delivery of
    /// the transaction while it is unfinished.
    private func leavesUnits(
        in planned: [Fact], of signed: SignedTransaction, _ isUnfinished: () async -> Bool
    ) async throws(LedgerError) -> Bool {
        guard signed.payload.type == .autoRenewableSubscription, planned.contains(where: { $0.kind == .credit }),
            try await entitlements.ledger.entry(of: .credit, key: signed.payload.purchaseID) == nil
        else { return false }
        return await !isUnfinished()
    }

    private func waitUndelivered(
        _ signed: SignedTransaction, _ transaction: StoreTransaction, _ reason: WaitingReason
    ) async -> Delivery {
        do throws(LedgerError) {
            try await noteUndelivered(signed)
            return wait(transaction, reason)
        } catch {
            return wait(transaction, .ledger(error))
        }
    }

    /// Records a note that the store has sent the transaction of a purchase that may credit units, but these were not
    /// delivered. Does nothing if the purchase is recorded.
    func noteUndelivered(_ signed: SignedTransaction) async throws(LedgerError) {
        let purchaseID = signed.payload.purchaseID
        guard Fact.Purchase(signed)?.mayCreditUnits == true,
            try await entitlements.ledger.entry(of: .purchase, key: purchaseID) == nil
        else { return }
        try await entitlements.record([.note(.undelivered(purchaseID))], at: now())
    }

    /// Returns the note to record with a purchase that is new, or whose refund is reversed, and that the app is to deliver.
    /// The store may not send its transaction again if the delivery does not take place: it may be finished already, or another device may finish it. A consumable
    /// is delivered by whoever finishes it.
    private func deliveryDue(of planned: [Fact], _ signed: SignedTransaction) async throws(LedgerError) -> Fact? {
        let purchaseID = signed.payload.purchaseID
        guard hooks.delivery != nil, signed.payload.type != .consumable,
            planned.contains(where: { $0.kind == .purchase })
        else { return nil }
        if try await entitlements.ledger.entry(of: .purchase, key: purchaseID) == nil {
            return .note(.deliveryDue(purchaseID))
        }
        return try await entitlements.ledger.isRevoked(purchaseID) ? .note(.deliveryDueAgain(purchaseID)) : nil
    }

    /// Returns the note to record after the app has delivered a purchase whose delivery is due on this device: it was
    /// recorded with the note that it is due, or from a receipt or by another device, without a call of the delivery
    /// handler.
    ///
    /// - Returns: `nil` if the app has no delivery handler, or the note is already recorded.
    private func deliveryToNote(of known: LedgerEntry?) async throws(LedgerError) -> Fact? {
        guard hooks.delivery != nil, let known else { return nil }
        let (ledger, purchaseID) = (entitlements.ledger, known.fact.key)
        if try await ledger.entry(of: .note, key: Fact.Note.deliveryDueAgain(purchaseID).token) != nil {
            let again = Fact.note(.deliveredAgain(purchaseID))
            return try await ledger.entry(of: .note, key: again.key) == nil ? again : nil
        }
        if known.device == nil, known.fact.receiptDigest == nil,
            try await ledger.entry(of: .note, key: Fact.Note.deliveryDue(purchaseID).token) == nil
        {
            return nil
        }
        let note = Fact.note(.delivered(purchaseID))
        return try await ledger.entry(of: .note, key: note.key) == nil ? note : nil
    }

    /// Returns the delivery plan for a purchase. A purchase that is already recorded was checked against the catalog at
    /// that time, and is not checked against a later catalog, unless it was recorded from a receipt with another
    /// product type.
    func plan(for purchase: Fact.Purchase?, of identifier: String) async throws(LedgerError) -> DeliveryPlan {
        let plan = DeliveryPlan(
            purchase: purchase, of: identifier, catalog: catalog(), hasHandler: hooks.delivery != nil)
        guard case .wait = plan, let purchase,
            let entry = try await entitlements.ledger.entry(of: .purchase, key: purchase.origin.purchaseID),
            case .purchase(let known) = entry.fact,
            known.kind == purchase.kind || known.origin.receiptDigest == nil, try await !lacksUnits(known)
        else { return plan }
        return .record([.purchase(purchase)])
    }

    /// Returns `true` if a recorded period of a subscription has not credited its units yet: they were left, or the
    /// period was recorded from a receipt. Only a catalog says whether there are any.
    private func lacksUnits(_ recorded: Fact.Purchase) async throws(LedgerError) -> Bool {
        let (ledger, purchaseID) = (entitlements.ledger, recorded.origin.purchaseID)
        guard recorded.kind == .autoRenewableSubscription, recorded.mayCreditUnits,
            try await ledger.entry(of: .credit, key: purchaseID) == nil
        else { return false }
        if recorded.origin.receiptDigest != nil { return true }
        return try await ledger.entry(of: .note, key: Fact.Note.unitsLeft(purchaseID).token) != nil
    }

    /// Returns the verified renewal information of a transaction; `nil` if the store has sent none, or it cannot be
    /// trusted.
    func renewal(of signed: SignedTransaction, _ transaction: StoreTransaction) async -> SignedRenewal? {
        guard let signedRenewal = transaction.signedRenewal else { return nil }
        switch await verifier.verify(renewal: signedRenewal) {
        case .verified(let renewal): return renewal
        case .rejected(let reasons): emit(.renewalIgnored(signed, reason: reasons.joinedReasons))
        case .undetermined(let reason): emit(.renewalIgnored(signed, reason: reason))
        }
        return nil
    }

    // MARK: Delivering

    /// Installs content, calls the app's delivery handler, and finishes the transaction with the store.
    func complete(_ purchase: RecordedPurchase) async -> Delivery {
        let (signed, transaction) = (purchase.signed, purchase.transaction)
        if purchase.awaitsContent {
            do {
                let products = try await content.installContent(unlockedBy: signed)
                if !products.isEmpty {
                    emit(.contentInstalled(signed, products: products))
                    if let delivery = await deliveryIfRevoked(signed, transaction) { return delivery }
                }
            } catch {
                let delivery = await deliveryIfRevoked(signed, transaction)
                return if let delivery { delivery } else { wait(transaction, .content(error)) }
            }
        }
        if let handler = hooks.delivery, purchase.isAwaited || purchase.isNew || purchase.delivered != nil {
            if case .retryLater(let reason) = await handler.deliver(signed) {
                return wait(transaction, .handler(reason))
            }
            do throws(LedgerError) {
                if let delivered = purchase.delivered { try await entitlements.record([delivered], at: now()) }
            } catch {
                return wait(transaction, .ledger(error))
            }
        }
        // A copy that is already recorded is not finished here. Its transaction may still wait for delivery, and may be
        // missing in the store's list of unfinished transactions for a while. For the same reason a period whose units
        // were left is not finished: if the store still lists it, it will be delivered with its units.
        let finishes = (purchase.isAwaited || purchase.isNew) && !purchase.isLeftUnfinished
        if purchase.isLeftUnfinished || !finishes && purchase.delivered != nil { emit(.leftUnfinished(signed)) }
        return .delivered(
            Delivered(
                transaction: signed, isNew: purchase.isNew,
                isRecordedHere: entitlements.hasRecorded(purchase: signed.payload.purchaseID),
                sequence: purchase.sequence,
                finishError: finishes ? await finish(signed, transaction) : nil,
                isLeftUnfinished: purchase.isLeftUnfinished))
    }

    /// Returns `true` if the ledger contains the purchase of an unverified transaction. Also returns `true` if the
    /// ledger cannot be read, because the store sends an undelivered transaction again by itself.
    func hasRecorded(_ transaction: StoreTransaction) async -> Bool {
        guard let claim = TransactionPayload(unverified: transaction.signedData) else { return false }
        do {
            return try await entitlements.ledger.entry(of: .purchase, key: claim.purchaseID) != nil
        } catch {
            return true
        }
    }

    /// Returns `true` if an unverified transaction is of a product that is bought once or for a time, and the ledger lacks
    /// its purchase, the app's delivery of it, its refund or reversed refund; or of another product, and the ledger has its
    /// purchase and lacks its refund. Also returns `true` if the ledger cannot be read, which recording the transaction
    /// then reports.
    func isChanged(_ transaction: StoreTransaction) async -> Bool {
        guard let claim = TransactionPayload(unverified: transaction.signedData) else { return false }
        let isOwnedByPurchase = [.nonConsumable, .nonRenewingSubscription].contains(claim.type)
        guard isOwnedByPurchase || claim.revocationDate != nil else { return false }
        let ledger = entitlements.ledger
        do {
            let isRevoked = try await ledger.isRevoked(claim.purchaseID)
            if isRevoked || claim.revocationDate != nil {
                guard isRevoked == (claim.revocationDate == nil) else { return false }
                if isOwnedByPurchase { return true }
                // The revocation removes the units of a recorded purchase.
                return try await ledger.entry(of: .purchase, key: claim.purchaseID) != nil
            }
            guard let known = try await ledger.entry(of: .purchase, key: claim.purchaseID) else { return true }
            return try await deliveryToNote(of: known) != nil
        } catch {
            return true
        }
    }

    func finish(_ signed: SignedTransaction, _ transaction: StoreTransaction) async -> StoreError? {
        do throws(StoreError) {
            try await store.finish(transaction)
            emit(.finished(signed))
            return nil
        } catch {
            emit(.notFinished(signed, error))
            return error
        }
    }
}

extension [LedgerEntry] {
    /// `true` if at least one of the entries records a purchase or a reinstatement.
    fileprivate var containsPurchaseThatCounts: Bool {
        contains { [.purchase, .reinstatement].contains($0.fact.kind) }
    }
}

/// Result of processing a transaction without waiting for content.
enum Recording: Sendable {
    case ended(Delivery)
    /// The purchase of the transaction is recorded, but not finished.
    case recorded(RecordedPurchase)
}

/// Purchase that is recorded and reported, but not finished.
struct RecordedPurchase: Sendable {
    let signed: SignedTransaction
    let transaction: StoreTransaction
    /// `true` if this delivery recorded the purchase; `false` if the ledger already contained it.
    let isNew: Bool
    /// Sequence number of the purchase in the ledger.
    let sequence: Int64
    /// `true` if the transaction has to be delivered and finished, `false` if a restore only records it.
    let isAwaited: Bool
    /// `true` if the units of the period were not credited, because another device may have delivered it.
    let isLeftUnfinished: Bool
    /// Note to record after the app has delivered the purchase; `nil` if no delivery by the app is due.
    let delivered: Fact?

    /// `true` if content must be installed before the transaction is finished.
    var awaitsContent: Bool { isAwaited && signed.payload.type != .consumable }
}
