internal import VitrineCatalog

@_exported public import struct VitrineSupport.CodedError
@_exported public import protocol VitrineSupport.DescribedError
@_exported public import protocol VitrineSupport.ErrorCode

/// Failure that a simulated store can be set to produce.
public enum SimulatedFailure: String, Sendable, Hashable, Codable, CaseIterable {
    /// The customer cancels the purchase.
    case cancelled
    /// The purchase does not reach the store: nothing is bought.
    case network
    /// The purchase is made, but the app does not receive the store's response.
    case lostAnswer = "lost-answer"
    /// The store responds that it does not sell the product.
    case notAvailable = "not-available"
    /// The store responds that the customer is not allowed to buy.
    case notAllowed = "not-allowed"
    /// The store fails without giving a reason: nothing is bought.
    case unknown
    /// The store does not return products.
    case products
    /// The store does not return the transactions that can be restored.
    case restore
    /// The store does not return the unfinished transactions.
    case unfinished
    /// The store does not accept that a transaction is finished.
    case finish
    /// The store sends transactions and renewal information whose signatures do not match their content.
    case verification
    /// The store does not return the statuses of subscriptions.
    case subscriptionStatus = "subscription-status"
    /// The store does not return the app transaction.
    case appTransaction = "app-transaction"
    /// The app receipt on the device cannot be read.
    case appReceipt = "app-receipt"
    /// The app receipt on the device is damaged: its signature does not match its payload.
    case damagedReceipt = "damaged-receipt"
    /// The store does not issue a new app receipt.
    case refreshReceipt = "refresh-receipt"
    /// The sheet with the customer's subscriptions cannot be shown.
    case manageSubscriptionsSheet = "manage-subscriptions-sheet"
    /// The sheet that requests a refund cannot be shown.
    case refundRequestSheet = "refund-request-sheet"
    /// The sheet in which the customer enters an offer code cannot be shown.
    case offerCodeRedeemSheet = "offer-code-redeem-sheet"
    /// The App Store Server API answers with a permanent internal error: repeating the request does not help.
    case serverError = "server-error"
    /// The App Store Server API answers with a temporary internal error.
    case serverErrorRetryable = "server-error-retryable"
    /// The App Store Server API answers that the customer does not exist.
    case accountNotFound = "account-not-found"
    /// The App Store Server API answers that the customer is temporarily not found.
    case accountNotFoundRetryable = "account-not-found-retryable"
    /// The App Store Server API answers that the app is temporarily not found.
    case appNotFoundRetryable = "app-not-found-retryable"
    /// The App Store Server API answers that the original transaction is temporarily not found.
    case originalTransactionNotFoundRetryable = "original-transaction-not-found-retryable"
    /// The App Store Server API refuses requests, because the hourly limit is reached.
    case rateLimit = "rate-limit"
    /// The App Store Server API does not accept the authorization token of a request.
    case unauthenticated

    /// Creates the failure that a `.storekit` file configures for a StoreKit call.
    init(configured call: StoreConfiguration.StoreKitCall) {
        switch call {
        case .loadProducts: self = .products
        case .purchase: self = .unknown
        case .verification: self = .verification
        case .appStoreSync: self = .restore
        case .subscriptionStatus: self = .subscriptionStatus
        case .appTransaction: self = .appTransaction
        case .manageSubscriptionsSheet: self = .manageSubscriptionsSheet
        case .refundRequestSheet: self = .refundRequestSheet
        case .offerCodeRedeemSheet: self = .offerCodeRedeemSheet
        }
    }

    /// Kind of call to the store that fails. Only one failure at a time can be set for each kind.
    var call: StoreCall {
        switch self {
        case .cancelled, .network, .lostAnswer, .notAvailable, .notAllowed, .unknown: .purchase
        case .products: .products
        case .restore: .restore
        case .unfinished: .unfinished
        case .finish: .finish
        case .verification: .verification
        case .subscriptionStatus: .subscriptionStatus
        case .appTransaction: .appTransaction
        case .appReceipt, .damagedReceipt: .appReceipt
        case .refreshReceipt: .refreshReceipt
        case .manageSubscriptionsSheet: .manageSubscriptionsSheet
        case .refundRequestSheet: .refundRequestSheet
        case .offerCodeRedeemSheet: .offerCodeRedeemSheet
        case .serverError, .serverErrorRetryable, .accountNotFound, .accountNotFoundRetryable, .appNotFoundRetryable,
            .originalTransactionNotFoundRetryable, .rateLimit, .unauthenticated:
            .serverAPI
        }
    }
}

/// Kind of call to the store that can be set to fail.
enum StoreCall: String, Codable {
    case purchase, products, restore, unfinished, finish, subscriptionStatus, appTransaction, appReceipt, refreshReceipt
    case manageSubscriptionsSheet, refundRequestSheet, offerCodeRedeemSheet
    /// Signing of the transactions that any call returns, or that the store sends as updates.
    case verification
    /// Request of the app's server.
    case serverAPI

    /// `true` if the call requires a connection to the store, because the device itself cannot answer it.
    var needsConnection: Bool {
        switch self {
        case .purchase, .products, .restore, .subscriptionStatus, .appTransaction, .refreshReceipt,
            .manageSubscriptionsSheet, .refundRequestSheet, .offerCodeRedeemSheet:
            true
        case .unfinished, .finish, .appReceipt, .verification, .serverAPI: false
        }
    }
}

/// Error of a simulated store.
public typealias SimulatedStoreError = CodedError<SimulatedStoreErrorCode>

/// Category of ``SimulatedStoreError``.
public enum SimulatedStoreErrorCode: String, ErrorCode {
    /// There is no store in the directory.
    case notFound = "not-found"
    /// The configuration is not a readable `.storekit` file.
    case invalidConfiguration = "invalid-configuration"
    /// The transaction does not exist, or does not permit the operation.
    case noSuchTransaction = "no-such-transaction"
    /// The product does not exist, or does not permit the operation.
    case noSuchProduct = "no-such-product"
    /// The storefront does not exist.
    case noSuchStorefront = "no-such-storefront"
    /// The customer has no such subscription, or it does not permit the operation.
    case noSuchSubscription = "no-such-subscription"
    /// The product has no subscription offer with the identifier, or the customer is not eligible for it.
    case noSuchOffer = "no-such-offer"
    /// The customer or device has no name, or does not exist.
    case noSuchCustomer = "no-such-customer"
    /// The customer cannot join the family.
    case invalidFamily = "invalid-family"
    /// The price or the refunded share is out of range.
    case invalidAmount = "invalid-amount"
    /// The clock cannot be moved to the date.
    case invalidDate = "invalid-date"
    /// The folder is not a package of hosted content.
    case invalidContent = "invalid-content"
    /// The store's directory or files cannot be read or written.
    case storage
    /// The store's files are damaged.
    case damaged

    public var advice: String? {
        switch self {
        case .notFound: "Create a simulated store in the directory first."
        case .invalidConfiguration: "Correct the .storekit file."
        case .noSuchTransaction: "Choose a transaction of the customer in the state that the operation requires."
        case .noSuchProduct: "Choose a product of the .storekit file to which the operation applies."
        case .noSuchStorefront: "Choose a country code of three letters."
        case .noSuchSubscription: "Choose a product in a subscription group to which the customer has subscribed."
        case .noSuchOffer: "Choose a subscription offer of the .storekit file for which the customer is eligible."
        case .noSuchCustomer: "Name a customer and a device, and add them to the store if it does not have them."
        case .invalidFamily:
            "Let the customer leave their family first, or choose a family with fewer than six members."
        case .invalidAmount: "Choose a price or percentage within the range that the message names."
        case .invalidDate: "Choose a date after that of the store's clock, within the validity of its certificates."
        case .invalidContent: "Choose a folder that contains the file ContentInfo.plist and a folder Contents."
        case .storage: "Check free space and permissions of the directory, then try again."
        case .damaged: "Delete the directory and create the store again."
        }
    }
}
