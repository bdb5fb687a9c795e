public import OpenStoreKit

/// Failure that a test sets for a call of StoreKit.
@available(iOS 17.0, macOS 14.0, tvOS 17.0, watchOS 10.0, visionOS 1.0, *)
public protocol SKTestFailure: Equatable, Sendable {}

@available(iOS 17.0, macOS 14.0, tvOS 17.0, watchOS 10.0, visionOS 1.0, *)
extension SKTestFailure {
    /// Compares failures by their descriptions, because StoreKit's errors are not equatable.
    public static func == (left: Self, right: Self) -> Bool {
        String(reflecting: left) == String(reflecting: right)
    }
}

/// Failures that a test can set for StoreKit calls, one type for each call.
@available(iOS 17.0, macOS 14.0, tvOS 17.0, watchOS 10.0, visionOS 1.0, *)
public enum SKTestFailures {
    public enum LoadProducts: SKTestFailure {
        case generic(StoreKitError)
    }

    public enum Purchase: SKTestFailure {
        case generic(StoreKitError)
        case purchase(Product.PurchaseError)
    }

    public enum Verification: SKTestFailure {
        case verification(VerificationResult<Any>.VerificationError)
    }

    public enum AppStoreSync: SKTestFailure {
        case generic(StoreKitError)
    }

    public enum AppTransaction: SKTestFailure {
        case generic(StoreKitError)
    }

    public enum SubscriptionStatus: SKTestFailure {
        case generic(StoreKitError)
    }

    /// Failure of the dialog to manage subscriptions, which StoreKit shows on Apple's platforms only.
    public enum ManageSubscriptions: SKTestFailure {
        case generic(StoreKitError)
    }

    public enum RefundRequest: SKTestFailure {
        case generic(StoreKitError)
        case refund(Transaction.RefundRequestError)
    }

    /// Failure of the dialog to redeem an offer code, which StoreKit shows on Apple's platforms only.
    public enum OfferCodeRedeem: SKTestFailure {
        case generic(StoreKitError)
    }
}

extension SKTestFailures.LoadProducts {
    var error: StoreKitError {
        switch self {
        case .generic(let error): error
        }
    }
}

extension SKTestFailures.Purchase {
    var error: any Error {
        switch self {
        case .generic(let error): error
        case .purchase(let error): error
        }
    }
}

extension SKTestFailures.AppStoreSync {
    var error: StoreKitError {
        switch self {
        case .generic(let error): error
        }
    }
}

extension SKTestFailures.AppTransaction {
    var error: StoreKitError {
        switch self {
        case .generic(let error): error
        }
    }
}

extension SKTestFailures.SubscriptionStatus {
    var error: StoreKitError {
        switch self {
        case .generic(let error): error
        }
    }
}

extension SKTestFailures.RefundRequest {
    var error: any Error {
        switch self {
        case .generic(let error): error
        case .refund(let error): error
        }
    }
}

// MARK: - Calls

/// Call of StoreKit for which a test can set a failure.
@available(iOS 17.0, macOS 14.0, tvOS 17.0, watchOS 10.0, visionOS 1.0, *)
public protocol FailableStoreKitAPI<Failure>: Sendable {
    associatedtype Failure: SKTestFailure
}

/// `Product.products(for:)`.
@available(iOS 17.0, macOS 14.0, tvOS 17.0, watchOS 10.0, visionOS 1.0, *)
public struct StoreKitLoadProductsAPI: FailableStoreKitAPI {
    public typealias Failure = SKTestFailures.LoadProducts

    public init() {}
}

/// `Product.purchase(options:)`.
@available(iOS 17.0, macOS 14.0, tvOS 17.0, watchOS 10.0, visionOS 1.0, *)
public struct StoreKitPurchaseAPI: FailableStoreKitAPI {
    public typealias Failure = SKTestFailures.Purchase

    public init() {}
}

/// Verification of signed data: purchases and listings return it as unverified.
@available(iOS 17.0, macOS 14.0, tvOS 17.0, watchOS 10.0, visionOS 1.0, *)
public struct StoreKitVerificationAPI: FailableStoreKitAPI {
    public typealias Failure = SKTestFailures.Verification

    public init() {}
}

/// `AppStore.sync()`.
@available(iOS 17.0, macOS 14.0, tvOS 17.0, watchOS 10.0, visionOS 1.0, *)
public struct StoreKitAppStoreSyncAPI: FailableStoreKitAPI {
    public typealias Failure = SKTestFailures.AppStoreSync

    public init() {}
}

/// `AppTransaction.shared` and `AppTransaction.refresh()`.
@available(iOS 17.0, macOS 14.0, tvOS 17.0, watchOS 10.0, visionOS 1.0, *)
public struct StoreKitAppTransactionAPI: FailableStoreKitAPI {
    public typealias Failure = SKTestFailures.AppTransaction

    public init() {}
}

/// Statuses of subscriptions.
@available(iOS 17.0, macOS 14.0, tvOS 17.0, watchOS 10.0, visionOS 1.0, *)
public struct StoreKitSubscriptionStatusAPI: FailableStoreKitAPI {
    public typealias Failure = SKTestFailures.SubscriptionStatus

    public init() {}
}

/// Dialog to manage subscriptions, which StoreKit shows on Apple's platforms only.
@available(iOS 17.0, macOS 14.0, tvOS 17.0, watchOS 10.0, visionOS 1.0, *)
public struct StoreKitManageSubscriptionsAPI: FailableStoreKitAPI {
    public typealias Failure = SKTestFailures.ManageSubscriptions

    public init() {}
}

/// Request for a refund: see `SKTestSession.requestRefund(identifier:confirmed:)`.
@available(iOS 17.0, macOS 14.0, tvOS 17.0, watchOS 10.0, visionOS 1.0, *)
public struct StoreKitRefundRequestAPI: FailableStoreKitAPI {
    public typealias Failure = SKTestFailures.RefundRequest

    public init() {}
}

/// Dialog to redeem an offer code, which StoreKit shows on Apple's platforms only.
@available(iOS 17.0, macOS 14.0, tvOS 17.0, watchOS 10.0, visionOS 1.0, *)
public struct StoreKitOfferCodeRedeemAPI: FailableStoreKitAPI {
    public typealias Failure = SKTestFailures.OfferCodeRedeem

    public init() {}
}

extension FailableStoreKitAPI where Self == StoreKitLoadProductsAPI {
    public static var loadProducts: Self { Self() }
}

extension FailableStoreKitAPI where Self == StoreKitPurchaseAPI {
    public static var purchase: Self { Self() }
}

extension FailableStoreKitAPI where Self == StoreKitVerificationAPI {
    public static var verification: Self { Self() }
}

extension FailableStoreKitAPI where Self == StoreKitAppStoreSyncAPI {
    public static var appStoreSync: Self { Self() }
}

extension FailableStoreKitAPI where Self == StoreKitAppTransactionAPI {
    public static var appTransaction: Self { Self() }
}

extension FailableStoreKitAPI where Self == StoreKitSubscriptionStatusAPI {
    public static var subscriptionStatus: Self { Self() }
}

extension FailableStoreKitAPI where Self == StoreKitManageSubscriptionsAPI {
    public static var manageSubscriptions: Self { Self() }
}

extension FailableStoreKitAPI where Self == StoreKitRefundRequestAPI {
    public static var refundRequest: Self { Self() }
}

extension FailableStoreKitAPI where Self == StoreKitOfferCodeRedeemAPI {
    public static var offerCodeRedeem: Self { Self() }
}
