internal import Entitlements
internal import Receipts

extension PurchaseQueue {
    /// Buys a product and brings its transaction to its end.
    ///
    /// Whether the product is on offer is for the caller to check; here it is refused while a purchase of it has not
    /// been answered, while it is not known what became of an earlier one, and where payments are not allowed.
    ///
    /// - Parameters:
    ///   - identifier: The product's identifier.
    ///   - options: How many, and for whom.
    ///   - verification: Asked about what the call brings, beside the hook, as long as the process lasts: also where it
    ///     comes after the call was answered, because it had to be approved or the answer was lost.
    public func purchase(
        _ identifier: String, options: PurchaseOptions = PurchaseOptions(),
        verification: TransactionVerification? = nil
    ) async -> PurchaseAnswer {
        guard purchasesInProgress.insert(identifier).inserted else {
            return .failed(
                PurchaseFailure(code: .inProgress, reason: "a purchase of \(identifier) has not been answered yet"))
        }
        defer { purchasesInProgress.remove(identifier) }
        let before: StateBeforePurchase
        do throws(PurchaseFailure) {
            if let answer = try await answerOfEarlierPurchase(of: identifier, verification) { return answer }
            if let restriction = await store.paymentRestriction() {
                throw PurchaseFailure(code: .notAllowed, reason: "payments are not allowed: \(restriction)")
            }
            before = try await stateBeforePurchase()
        } catch {
            return .failed(error)
        }
        let number = openCall(for: identifier, verification, unfinished: before.unfinished)
        do throws(StoreError) {
            switch try await store.purchase(identifier, options: options) {
            case .cancelled:
                closeCall(number, for: identifier)
                return .cancelled
            case .pending: return .pending(.askToBuy)
            case .purchased(let transaction):
                closeCall(number, for: identifier, answeredWith: transaction.id)
                claimAnswer(transaction.id, for: verification)
                let delivery = await deliver(transaction)
                return PurchaseAnswer(
                    delivery, of: transaction, asked: identifier, quantity: options.quantity, before: before)
            }
        } catch {
            if let failure = PurchaseFailure(error) {
                closeCall(number, for: identifier)
                return .failed(failure)
            }
            unknownOutcomes.insert(identifier)
            isStoreUnread = true
            retryLaterIfNeeded()
            return .pending(.outcomeUnknown(error))
        }
    }

    /// What became of a purchase that was not answered, once the store can be asked: the customer does not pay again for
    /// something that was bought.
    ///
    /// - Returns: `nil` where there was none, or nothing was bought.
    private func answerOfEarlierPurchase(
        of identifier: String, _ verification: TransactionVerification?
    ) async throws(PurchaseFailure) -> PurchaseAnswer? {
        guard unknownOutcomes.contains(identifier) else { return nil }
        let transactions: [StoreTransaction]
        do {
            transactions = try await unfinishedTransactions()
        } catch {
            throw PurchaseFailure(
                code: .outcomeUnknown,
                reason: "what became of an earlier purchase of \(identifier) is not known yet: \(error.reason)")
        }
        var answer: PurchaseAnswer?
        for earlier in transactions {
            let claim = TransactionPayload(unverified: earlier.signedData)
            // An older refund is not what became of it.
            guard claim?.productIdentifier == identifier, claim?.revocationDate == nil else { continue }
            claimTransaction(earlier.id, of: identifier, for: verification)
            let delivery = await deliver(earlier)
            // What cannot be trusted is nobody's purchase.
            if case .rejected = delivery { continue }
            if case .success = answer { continue }
            answer = PurchaseAnswer(
                delivery, of: earlier, asked: identifier, quantity: nil,
                before: StateBeforePurchase(lastSequence: 0, unfinished: [earlier.id]))
        }
        if answer == nil { unknownOutcomes.remove(identifier) }
        return answer
    }

    /// A store or ledger that cannot be read now is not asked to sell or record anything.
    private func stateBeforePurchase() async throws(PurchaseFailure) -> StateBeforePurchase {
        let lastSequence: Int64
        do {
            lastSequence = try await ledger.lastSequence()
        } catch {
            throw PurchaseFailure(code: .ledger, reason: error.reason)
        }
        do {
            return StateBeforePurchase(
                lastSequence: lastSequence, unfinished: Set(try await store.unfinishedTransactions().map(\.id)))
        } catch {
            throw PurchaseFailure(unanswered: error)
        }
    }
}

/// What was there before a purchase, so that its answer can be told from an older one.
struct StateBeforePurchase {
    let lastSequence: Int64
    let unfinished: Set<String>
}
