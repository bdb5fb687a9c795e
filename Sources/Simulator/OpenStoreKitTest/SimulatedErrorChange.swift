/// Failure that a test has set for a StoreKit call, converted to the error that the call throws.
struct SimulatedErrorChange: Sendable {
    private let failure: (any SKTestFailure)?

    init(_ failure: (any SKTestFailure)?) { self.failure = failure }

    /// Sets the error of a StoreKit call. Has no effect for calls of dialogs that do not exist off Apple's platforms.
    func apply<API: FailableStoreKitAPI>(to errors: inout SimulatedErrors, of api: API.Type) {
        switch api {
        case is StoreKitLoadProductsAPI.Type:
            errors.loadProducts = (failure as? SKTestFailures.LoadProducts)?.error
        case is StoreKitPurchaseAPI.Type: errors.purchase = (failure as? SKTestFailures.Purchase)?.error
        case is StoreKitVerificationAPI.Type:
            if case .verification(let error) = failure as? SKTestFailures.Verification {
                errors.verification = error
            } else {
                errors.verification = nil
            }
        case is StoreKitAppStoreSyncAPI.Type:
            errors.appStoreSync = (failure as? SKTestFailures.AppStoreSync)?.error
        case is StoreKitAppTransactionAPI.Type:
            errors.appTransaction = (failure as? SKTestFailures.AppTransaction)?.error
        case is StoreKitSubscriptionStatusAPI.Type:
            errors.subscriptionStatus = (failure as? SKTestFailures.SubscriptionStatus)?.error
        case is StoreKitRefundRequestAPI.Type:
            errors.refundRequest = (failure as? SKTestFailures.RefundRequest)?.error
        default: break
        }
    }
}
