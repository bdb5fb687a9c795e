internal import Foundation
internal import VitrineEntitlements
internal import VitrineReceipts
internal import VitrineSupport

extension PurchaseQueue {
    /// Buys a product and delivers its transaction.
    ///
    /// The caller checks whether the product is on offer. This method refuses the purchase while another purchase of
    /// the product is in progress, while the outcome of an earlier purchase is unknown, and if payments are not
    /// allowed. It waits for the app's hooks as long as they take, unless the store answers with a transaction that was
    /// unfinished before: whoever began that purchase may be such a hook, which is waited for within the limit.
    ///
    /// - Parameters:
    ///   - identifier: The product's identifier.
    ///   - options: The quantity, the account and the promotional offer.
    public func purchase(
        _ identifier: String, options: PurchaseOptions = PurchaseOptions()
    ) async -> PurchaseAnswer {
        do throws(PurchaseFailure) {
            try purchases.begin(identifier)
        } catch {
            return .failed(error)
        }
        let answer = await answer(to: identifier, options)
        for other in purchases.end(identifier, answeredWith: answer) { completed(other) }
        return answer
    }

    private func answer(to identifier: String, _ options: PurchaseOptions) async -> PurchaseAnswer {
        var before: StateBeforePurchase
        do throws(PurchaseFailure) {
            if let answer = try await answerOfEarlierPurchase(of: identifier) { return answer }
            if let restriction = await store.paymentRestriction() {
                throw PurchaseFailure(code: .notAllowed, reason: "payments are not allowed: \(restriction)")
            }
            before = try await stateBeforePurchase()
        } catch {
            return .failed(error)
        }
        do throws(StoreError) {
            // The store signs its answer after this date. A date after the answer would include the time in which the
            // customer confirms the purchase, or the app is suspended.
            let (date, known) = (pipeline.now(), entitlements.snapshot)
            let answer = try await store.purchase(identifier, options: options)
            if case .purchased(let transaction) = answer {
                await measureClock(by: transaction, askedAt: date, known, recordedAfter: before.lastSequence)
            }
            switch answer {
            case .cancelled: return .cancelled
            case .pending: return .pending(.askToBuy)
            case .interrupted: return .pending(.interrupted)
            case .purchased(let transaction), .alreadyPurchased(let transaction):
                let isEarlier = before.unfinished.contains(transaction.id)
                let delivery = isEarlier ? await deliverWithinLimit(transaction) : await deliver(transaction)
                if let date = await planChange(to: identifier, answeredBy: delivery, of: transaction) {
                    return .pending(.planChange(at: date))
                }
                before.follow(replacements: entitlements.replacements)
                let isCharged = answer == .purchased(transaction)
                return PurchaseAnswer(
                    delivery, of: transaction, asked: identifier, quantity: isCharged ? options.quantity : nil,
                    before: before, isOwned: mayBeOwned(identifier))
            }
        } catch {
            if let failure = PurchaseFailure(error) { return .failed(failure) }
            purchases.noteUnknownOutcome(of: identifier, after: before)
            waiting.storeMustBeRead()
            retryLaterIfNeeded()
            return .pending(.outcomeUnknown(error))
        }
    }

    /// Longest time between a purchase and the signature of the store's answer to it, in seconds.
    private static let longestSigning: TimeInterval = 600

    /// Measures the lead of the device's clock over the store's by the transaction of a purchase that was just made.
    ///
    /// Only a transaction that the store has signed for this purchase says what time it is now. An older one would make
    /// ended periods valid again: it was recorded before the call, was signed before data that was known then or long
    /// after its purchase, or renews a subscription.
    ///
    /// - Parameters:
    ///   - date: Date that the device's clock showed when the store was asked.
    ///   - known: Ownership at that date.
    ///   - sequence: Last entry of the ledger at that date. The transaction may have been recorded since then.
    private func measureClock(
        by transaction: StoreTransaction, askedAt date: Date, _ known: EntitlementSnapshot,
        recordedAfter sequence: Int64
    ) async {
        guard transaction.rejection == nil, let claim = TransactionPayload(unverified: transaction.signedData) else {
            return
        }
        let lead = ClockLead(deviceDate: date, storeDate: claim.signedDate)
        guard lead != nil || known.check.clockLead != nil, claim.transactionID == transaction.id,
            claim.reason != .renewal, claim.signedDate > known.latestSignedDate,
            (0...Self.longestSigning).contains(claim.signedDate.timeIntervalSince(claim.purchaseDate)),
            await !isRecorded(claim, until: sequence),
            case .verified = await pipeline.verifier.verify(transaction: transaction.signedData)
        else { return }
        entitlements.apply(lead)
    }

    /// Returns `true` if one of the first entries of the ledger records a purchase, or if the ledger cannot be read.
    private func isRecorded(_ claim: TransactionPayload, until sequence: Int64) async -> Bool {
        do throws(LedgerError) {
            guard let entry = try await entitlements.ledger.entry(of: .purchase, key: claim.purchaseID) else {
                return false
            }
            return entry.sequence <= sequence
        } catch {
            return true
        }
    }

    /// Returns the answer to an earlier purchase with an unknown outcome, so that the customer does not pay twice for a
    /// product that was bought.
    ///
    /// - Returns: `nil` if there is no such purchase, or if nothing was bought.
    private func answerOfEarlierPurchase(of identifier: String) async throws(PurchaseFailure) -> PurchaseAnswer? {
        guard let before = purchases.stateBeforeUnknownOutcome(of: identifier) else { return nil }
        let transactions: [StoreTransaction]
        do {
            transactions = try await unfinishedTransactions()
        } catch {
            throw PurchaseFailure(
                code: .outcomeUnknown,
                reason: "the outcome of an earlier purchase of \(identifier) is not known yet: \(error.reason)")
        }
        var answer: PurchaseAnswer?
        for earlier in transactions {
            let claim = TransactionPayload(unverified: earlier.signedData)
            // An older refund, or a transaction that was unfinished before, is not the outcome of this purchase.
            guard claim?.productIdentifier == identifier, claim?.revocationDate == nil,
                !before.unfinished.contains(earlier.id)
            else { continue }
            let delivery = await deliverWithinLimit(earlier)
            // An untrusted transaction is not a purchase.
            if case .rejected = delivery { continue }
            if case .success = answer { continue }
            answer = PurchaseAnswer(
                delivery, of: earlier, asked: identifier, quantity: nil,
                before: StateBeforePurchase(lastSequence: 0, unfinished: [earlier.id]),
                isOwned: mayBeOwned(identifier))
        }
        if answer == nil { purchases.noteOutcome(of: identifier) }
        return answer
    }

    /// Returns `true` unless it is certain that the customer does not own a product.
    private func mayBeOwned(_ identifier: String) -> Bool {
        entitlements.set(date: pipeline.now())
        return entitlements.snapshot.ownership(of: identifier) != .notOwned
    }

    /// Returns the date of a planned change of plan, when the customer's subscription renews to the ordered product.
    /// The store charges nothing until then: it returns the transaction of the current period, and signed renewal
    /// information with the ordered product.
    ///
    /// - Returns: `nil` if nothing is planned, because the returned transaction is for the ordered product, or if the
    ///   renewal information does not contain the ordered product.
    private func planChange(
        to identifier: String, answeredBy delivery: Delivery, of transaction: StoreTransaction
    ) async -> Date? {
        guard case .delivered(let delivered) = delivery, let signedRenewal = transaction.signedRenewal else {
            return nil
        }
        let present = delivered.transaction.payload
        guard present.productIdentifier != identifier,
            case .verified(let renewal) = await pipeline.verifier.verify(renewal: signedRenewal),
            renewal.payload.originalTransactionID == present.originalTransactionID,
            renewal.payload.autoRenewProductIdentifier == identifier, renewal.payload.autoRenewStatus != .off
        else { return nil }
        return renewal.payload.renewalDate ?? present.expiresDate
    }

    /// Reads the state of ledger and store before a purchase. If one of them cannot be read, the purchase is not
    /// attempted.
    private func stateBeforePurchase() async throws(PurchaseFailure) -> StateBeforePurchase {
        let replacements = entitlements.replacements
        let lastSequence: Int64
        do {
            lastSequence = try await entitlements.ledger.checkWritable()
        } catch {
            throw PurchaseFailure(code: .ledger, reason: error.reason)
        }
        do {
            return StateBeforePurchase(
                lastSequence: lastSequence, unfinished: Set(try await store.unfinishedTransactions().map(\.id)),
                replacements: replacements, latestSignedDate: entitlements.snapshot.latestSignedDate)
        } catch {
            throw PurchaseFailure(unanswered: error)
        }
    }
}
