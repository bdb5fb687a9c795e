public import VitrinePurchasing
internal import VitrineReceipts
internal import VitrineSupport

/// Sheet of a simulated store, with what it is about.
public enum SimulatedSheet: Sendable, Hashable {
    /// The customer's subscriptions: those of a group, or all.
    case manageSubscriptions(group: String?)
    /// The request for a refund of a transaction.
    case requestRefund(transaction: String)
    /// The form in which the customer enters an offer code.
    case redeemOfferCode
}

extension SimulatedStore {
    /// Sets what the customer does while a sheet of the store is open, for this process. The function can change the
    /// store, such as by ``redeem(_:of:)`` or ``setRenewal(_:of:)``, and returns `false` if the customer cancels the
    /// sheet. By default the customer submits a request for a refund, and does nothing else. An error of the function
    /// is the error of the sheet.
    public func setSheetResponse(_ response: @escaping @Sendable (SimulatedSheet) async throws -> Bool) {
        core.sheetResponse.withLock { $0 = response }
    }

    public var sheets: (any StoreSheets)? { SimulatedSheets(store: self) }
}

/// Sheets of a simulated store, in which the customer does what the test has set.
private struct SimulatedSheets: StoreSheets {
    let store: SimulatedStore

    func manageSubscriptions(inGroup group: String?) async throws(StoreError) {
        _ = try await show(.manageSubscriptions(group: group), failing: .manageSubscriptionsSheet)
    }

    func requestRefund(of transactionID: String) async throws(StoreError) -> RefundRequestAnswer {
        let sheet = SimulatedSheet.requestRefund(transaction: transactionID)
        guard try await show(sheet, failing: .refundRequestSheet) else { return .cancelled }
        try await StoreError.converting { () async throws(SimulatedStoreError) in
            try await store.requestRefund(transactionID)
        }
        return .submitted
    }

    func redeemOfferCode() async throws(StoreError) {
        _ = try await show(.redeemOfferCode, failing: .offerCodeRedeemSheet)
    }

    private func show(_ sheet: SimulatedSheet, failing call: StoreCall) async throws(StoreError) -> Bool {
        try await store.check(call)
        let respond = store.core.sheetResponse.withLock { $0 }
        do {
            return try await respond(sheet)
        } catch let error as StoreError {
            throw error
        } catch {
            throw StoreError(code: .unavailable, reason: "the customer's action in the sheet failed: \(error)")
        }
    }

    /// Returns a message for each update of a subscription whose renewal information asks for an action of the customer.
    func messages() -> AsyncStream<StoreMessage> {
        let updates = store.updates()
        return AsyncStream { continuation in
            let task = Task {
                for await update in updates {
                    guard let renewal = update.signedRenewal.flatMap(UnverifiedJWS.init)?.decode(RenewalPayload.self)
                    else { continue }
                    if renewal.priceIncreaseStatus == .pending {
                        continuation.yield(StoreMessage(.priceIncreaseConsent) {})
                    } else if renewal.isInBillingRetryPeriod == true {
                        continuation.yield(StoreMessage(.billingIssue) {})
                    }
                }
                continuation.finish()
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }
}
