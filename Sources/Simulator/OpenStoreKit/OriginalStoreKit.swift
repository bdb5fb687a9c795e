// Names of the original StoreKit API, for code that has them beside StoreKit 2. The simulated store sells nothing through
// them: payments, product requests and receipt requests fail with `SKError.paymentNotAllowed`, at once and on the caller's
// thread. Apple deprecated all of them in the versions of 2024.

/// Queue of payments. Every payment fails.
///
/// `@unchecked Sendable`, because observers need not be `Sendable`, and the class can have subclasses, as Apple's. The
/// variables are only accessed while the lock is held.
@available(iOS 3.0, macOS 10.7, tvOS 9.0, watchOS 6.2, visionOS 1.0, *)
open class SKPaymentQueue: NSObject, @unchecked Sendable {
    /// Observer, which the queue does not retain.
    private struct Observer {
        weak var observer: (any SKPaymentTransactionObserver)?
    }

    private static let shared = SKPaymentQueue()
    private let lock = NSLock()
    private weak var currentDelegate: (any SKPaymentQueueDelegate)?
    private var observers: [Observer] = []

    open class func `default`() -> SKPaymentQueue { shared }

    /// Always `false`.
    open class func canMakePayments() -> Bool { false }

    open var delegate: (any SKPaymentQueueDelegate)? {
        get { lock.withLock { currentDelegate } }
        set { lock.withLock { currentDelegate = newValue } }
    }
    /// Always empty.
    open var transactions: [SKPaymentTransaction] { [] }
    open var transactionObservers: [any SKPaymentTransactionObserver] {
        lock.withLock { observers.compactMap(\.observer) }
    }

    open func add(_ observer: any SKPaymentTransactionObserver) {
        remove(observer)
        lock.withLock { observers.append(Observer(observer: observer)) }
    }

    open func remove(_ observer: any SKPaymentTransactionObserver) {
        lock.withLock { observers.removeAll { $0.observer == nil || $0.observer === observer } }
    }

    open func add(_ payment: SKPayment) {
        let transaction = SKPaymentTransaction(payment)
        for observer in transactionObservers { observer.paymentQueue(self, updatedTransactions: [transaction]) }
    }

    open func finishTransaction(_ transaction: SKPaymentTransaction) {}

    /// Finds no purchases.
    open func restoreCompletedTransactions() { restoreCompletedTransactions(withApplicationUsername: nil) }

    /// Finds no purchases.
    open func restoreCompletedTransactions(withApplicationUsername username: String?) {
        for observer in transactionObservers { observer.paymentQueueRestoreCompletedTransactionsFinished(self) }
    }

    @available(iOS 14.0, visionOS 1.0, *)
    @available(macOS, unavailable)
    @available(tvOS, unavailable)
    @available(watchOS, unavailable)
    open func presentCodeRedemptionSheet() {}
}

/// Observer of a payment queue.
@available(iOS 3.0, macOS 10.7, tvOS 9.0, watchOS 6.2, visionOS 1.0, *)
public protocol SKPaymentTransactionObserver: NSObjectProtocol {
    func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction])
    func paymentQueue(_ queue: SKPaymentQueue, removedTransactions transactions: [SKPaymentTransaction])
    func paymentQueue(_ queue: SKPaymentQueue, restoreCompletedTransactionsFailedWithError error: any Error)
    func paymentQueueRestoreCompletedTransactionsFinished(_ queue: SKPaymentQueue)
    func paymentQueue(_ queue: SKPaymentQueue, shouldAddStorePayment payment: SKPayment, for product: SKProduct) -> Bool
    func paymentQueueDidChangeStorefront(_ queue: SKPaymentQueue)
    func paymentQueue(
        _ queue: SKPaymentQueue, didRevokeEntitlementsForProductIdentifiers productIdentifiers: [String])
}

// These requirements are optional with Apple's.
@available(iOS 3.0, macOS 10.7, tvOS 9.0, watchOS 6.2, visionOS 1.0, *)
extension SKPaymentTransactionObserver {
    public func paymentQueue(_ queue: SKPaymentQueue, removedTransactions transactions: [SKPaymentTransaction]) {}
    public func paymentQueue(_ queue: SKPaymentQueue, restoreCompletedTransactionsFailedWithError error: any Error) {}
    public func paymentQueueRestoreCompletedTransactionsFinished(_ queue: SKPaymentQueue) {}
    public func paymentQueue(
        _ queue: SKPaymentQueue, shouldAddStorePayment payment: SKPayment, for product: SKProduct
    ) -> Bool { false }
    public func paymentQueueDidChangeStorefront(_ queue: SKPaymentQueue) {}
    public func paymentQueue(
        _ queue: SKPaymentQueue, didRevokeEntitlementsForProductIdentifiers productIdentifiers: [String]
    ) {}
}

/// Delegate of a payment queue, which is never called.
@available(iOS 13.0, macOS 10.15, tvOS 13.0, watchOS 6.2, visionOS 1.0, *)
public protocol SKPaymentQueueDelegate: NSObjectProtocol {}

/// Payment for a product.
@available(iOS 3.0, macOS 10.7, tvOS 9.0, watchOS 6.2, visionOS 1.0, *)
open class SKPayment: NSObject {
    public fileprivate(set) var productIdentifier = ""
    public fileprivate(set) var quantity = 1
    @available(iOS 7.0, macOS 10.9, tvOS 9.0, watchOS 6.2, visionOS 1.0, *)
    public fileprivate(set) var applicationUsername: String?

    public convenience init(product: SKProduct) {
        self.init()
        productIdentifier = product.productIdentifier
    }
}

/// Transaction of a payment, which has failed.
@available(iOS 3.0, macOS 10.7, tvOS 9.0, watchOS 6.2, visionOS 1.0, *)
open class SKPaymentTransaction: NSObject {
    public let payment: SKPayment
    public var transactionState: SKPaymentTransactionState { .failed }
    public var error: (any Error)? { SKError(.paymentNotAllowed) }
    public var transactionIdentifier: String? { nil }
    public var transactionDate: Date? { nil }
    public var original: SKPaymentTransaction? { nil }

    fileprivate init(_ payment: SKPayment) { self.payment = payment }
}

/// Product of the original API; the simulated store lists none.
@available(iOS 3.0, macOS 10.7, tvOS 9.0, watchOS 6.2, visionOS 1.0, *)
open class SKProduct: NSObject {
    public var productIdentifier: String { "" }
    public var localizedTitle: String { "" }
    public var localizedDescription: String { "" }
    public var price: NSDecimalNumber { .zero }
    public var priceLocale: Locale { Locale(identifier: "en_US_POSIX") }
}

/// Request to the store, which fails.
@available(iOS 3.0, macOS 10.7, tvOS 9.0, watchOS 6.2, visionOS 1.0, *)
open class SKRequest: NSObject {
    public weak var delegate: (any SKRequestDelegate)?

    open func start() { delegate?.request(self, didFailWithError: SKError(.paymentNotAllowed)) }

    open func cancel() {}
}

/// Delegate of a request.
@available(iOS 3.0, macOS 10.7, tvOS 9.0, watchOS 6.2, visionOS 1.0, *)
public protocol SKRequestDelegate: NSObjectProtocol {
    func requestDidFinish(_ request: SKRequest)
    func request(_ request: SKRequest, didFailWithError error: any Error)
}

// These requirements are optional with Apple's.
@available(iOS 3.0, macOS 10.7, tvOS 9.0, watchOS 6.2, visionOS 1.0, *)
extension SKRequestDelegate {
    public func requestDidFinish(_ request: SKRequest) {}
    public func request(_ request: SKRequest, didFailWithError error: any Error) {}
}

/// Request for products, which fails.
@available(iOS 3.0, macOS 10.7, tvOS 9.0, watchOS 6.2, visionOS 1.0, *)
open class SKProductsRequest: SKRequest {
    public init(productIdentifiers: Set<String>) {}
}

/// Delegate of a request for products.
@available(iOS 3.0, macOS 10.7, tvOS 9.0, watchOS 6.2, visionOS 1.0, *)
public protocol SKProductsRequestDelegate: SKRequestDelegate {
    func productsRequest(_ request: SKProductsRequest, didReceive response: SKProductsResponse)
}

/// Reply to a request for products.
@available(iOS 3.0, macOS 10.7, tvOS 9.0, watchOS 6.2, visionOS 1.0, *)
open class SKProductsResponse: NSObject {
    public var products: [SKProduct] { [] }
    public var invalidProductIdentifiers: [String] { [] }
}

/// Request for a new receipt, which fails.
@available(iOS 7.0, macOS 10.9, tvOS 9.0, watchOS 6.2, visionOS 1.0, *)
open class SKReceiptRefreshRequest: SKRequest {
    public init(receiptProperties: [String: Any]?) {}
}

/// Error of the original StoreKit API. StoreKitTest uses its codes.
@available(iOS 3.0, macOS 10.7, tvOS 9.0, watchOS 6.2, visionOS 1.0, *)
public struct SKError: Error, Hashable, Sendable {
    public let code: Code

    public init(_ code: Code) { self.code = code }

    public enum Code: Int, Hashable, Sendable {
        case unknown = 0
        case clientInvalid = 1
        case paymentCancelled = 2
        case paymentInvalid = 3
        case paymentNotAllowed = 4
        case storeProductNotAvailable = 5
        @available(iOS 12.2, macOS 10.14.4, tvOS 12.2, watchOS 6.2, visionOS 1.0, *)
        case invalidOfferIdentifier = 11
        @available(iOS 12.2, macOS 10.14.4, tvOS 12.2, watchOS 6.2, visionOS 1.0, *)
        case invalidSignature = 12
        @available(iOS 12.2, macOS 10.14.4, tvOS 12.2, watchOS 6.2, visionOS 1.0, *)
        case missingOfferParams = 13
        @available(iOS 12.2, macOS 10.14.4, tvOS 12.2, watchOS 6.2, visionOS 1.0, *)
        case invalidOfferPrice = 14
    }
}

/// State of a transaction in the original StoreKit API, which StoreKitTest uses.
@available(iOS 3.0, macOS 10.7, tvOS 9.0, watchOS 6.2, visionOS 1.0, *)
public enum SKPaymentTransactionState: Int, Hashable, Sendable {
    case purchasing = 0
    case purchased = 1
    case failed = 2
    case restored = 3
    /// The purchase waits until another person approves it, or until the customer resolves an issue.
    @available(iOS 8.0, macOS 10.10, tvOS 9.0, watchOS 6.2, visionOS 1.0, *)
    case deferred = 4
}
