public import Foundation
public import VitrineCatalog
public import VitrineReceipts
public import VitrineSupport

/// Store that sells products: the App Store, or a replacement for it.
public protocol Store: Sendable {
    /// Returns the store's data about products. Products that the store does not know are missing from the result.
    ///
    /// - Throws: ``StoreError`` if the request fails. A response without products is not an error.
    func products(for identifiers: [String]) async throws(StoreError) -> [StoreProduct]

    /// Returns the country of the current storefront on this device, as an ISO 3166-1 alpha-3 code; `nil` if it is
    /// unknown.
    ///
    /// - Throws: ``StoreError`` if the request fails.
    func storefront() async throws(StoreError) -> String?

    /// Returns a stream with an element for each change of the storefront while the app runs, like StoreKit's
    /// `Storefront.updates`. After a change, earlier product data is no longer valid. The stream lasts until its reader
    /// is canceled.
    func storefrontChanges() -> AsyncStream<Void>

    /// Returns the reason why purchases are not allowed on this device, as a sentence without capital letter and
    /// period; `nil` if they are allowed.
    func paymentRestriction() async -> String?

    /// Purchases a product. The store asks the customer to pay.
    ///
    /// A product is not charged again if the customer already owns it by a transaction of its own, or if it has an
    /// unfinished transaction: the store answers with that transaction. A revoked product is sold again.
    ///
    /// - Throws: ``StoreError`` if the store refused the purchase, or if there is no answer.
    ///   `StoreError.isOutcomeKnown` distinguishes the two.
    func purchase(_ identifier: String, options: PurchaseOptions) async throws(StoreError) -> StorePurchaseAnswer

    /// Returns the latest transaction of each purchase that can be restored, and every revoked one. The store may ask
    /// the customer for a password.
    ///
    /// - Throws: ``StoreError`` if the request fails.
    func restore() async throws(StoreError) -> [StoreTransaction]

    /// Returns the transactions that the store knows on this device, without prompting the customer: restorable,
    /// revoked, and unfinished transactions. Finished consumables are not included.
    ///
    /// - Throws: ``StoreError`` if the request fails.
    func knownTransactions() async throws(StoreError) -> [StoreTransaction]

    /// Returns the latest transaction of each auto-renewable subscription of the customer, including ended ones, with
    /// its signed renewal information. The customer is not prompted. The default implementation returns
    /// ``knownTransactions()``.
    ///
    /// - Throws: ``StoreError`` if the request fails. An answer without a subscription means that the customer has none.
    func subscriptionTransactions() async throws(StoreError) -> [StoreTransaction]

    /// Returns the unfinished transactions, oldest first. After a revocation, the store sends the transaction again,
    /// signed with its revocation date, until the app has finished it again.
    ///
    /// - Throws: ``StoreError`` if the request fails.
    func unfinishedTransactions() async throws(StoreError) -> [StoreTransaction]

    /// Finishes a delivered transaction, so that the store does not send it again. Finishing twice is harmless. A
    /// transaction that was revoked after the app received it is sent again nevertheless.
    ///
    /// - Throws: ``StoreError`` if the request fails; the store then sends the transaction again.
    func finish(_ transaction: StoreTransaction) async throws(StoreError)

    /// Returns the signed app transaction, which describes the original purchase of the app, as a compact JWS; `nil` if
    /// the store has none. The App Store may ask the customer to sign in if the device has none.
    ///
    /// - Throws: ``StoreError`` if the request fails.
    func appTransaction() async throws(StoreError) -> String?

    /// Identifier of this device, to which the store binds the data that it signs here, as
    /// `AppStore.deviceVerificationID`; `nil` if the store binds its data to no device, which is the default. Whoever
    /// has the identifier and a copy of the data passes for this device: the identifier is not to be stored or logged.
    var deviceVerificationID: UUID? { get }

    /// Returns a signed app transaction that names the App Store account which is signed in on this device
    /// (`appTransactionID`), as a compact JWS; `nil` if there is none. Its other values are not used. The default
    /// implementation returns ``appTransaction()``.
    ///
    /// - Throws: ``StoreError`` if the request fails.
    func signedAccount() async throws(StoreError) -> String?

    /// Returns the app receipt on this device, in PKCS#7 form; `nil` if there is none. The customer is not prompted.
    ///
    /// - Throws: ``StoreError`` if the receipt cannot be read.
    func appReceipt() async throws(StoreError) -> Data?

    /// Requests a new app receipt, which is stored on this device. The store may ask the customer for a password.
    ///
    /// - Parameter request: The type of receipt that a test store issues.
    /// - Throws: ``StoreError`` if the request fails, or the store issues no receipt.
    func refreshAppReceipt(_ request: ReceiptRequest) async throws(StoreError) -> Data

    /// Returns a stream of the transactions that arrive without a call: approved later, bought elsewhere, renewed, or
    /// revoked. The stream lasts until its reader is canceled.
    func updates() -> AsyncStream<StoreTransaction>

    /// Returns a stream of the purchases that the customer began in the store, outside the app. The app should make
    /// these purchases. The stream lasts until its reader is canceled.
    func promotedPurchases() -> AsyncStream<PromotedPurchase>

    /// Informs the store that a promoted purchase was refused, canceled, or answered with an earlier purchase, so that
    /// the store does not report it again. Does nothing by default.
    func promotedPurchaseAnswered(_ identifier: String) async

    /// Sheets in which the customer manages purchases; `nil` if the store has none.
    var sheets: (any StoreSheets)? { get }

    /// Access to the content of products; `nil` if the store hosts no content.
    var content: (any StoreHostedContent)? { get }
}

/// Transaction as received from a store, before verification.
public struct StoreTransaction: Sendable, Hashable {
    /// Identifier of the transaction in the store. It is unverified, and is used to finish the transaction.
    public let id: String
    /// The signed transaction as a compact JWS.
    public let signedData: String
    /// Signed renewal information of a subscription, as a compact JWS; `nil` if the store sent none.
    public let signedRenewal: String?
    /// Reason why the store's own check on this device rejected the signed data; `nil` if the check succeeded, or if
    /// the store makes no check. A rejected transaction is not delivered, regardless of the app's verifier.
    public let rejection: RejectionReason?
    /// `true` if the store only reports the status of the subscription. The transaction may already be finished.
    public let isStatusOnly: Bool

    public init(
        id: String, signedData: String, signedRenewal: String? = nil, rejection: RejectionReason? = nil,
        isStatusOnly: Bool = false
    ) {
        self.id = id
        self.signedData = signedData
        self.signedRenewal = signedRenewal
        self.rejection = rejection
        self.isStatusOnly = isStatusOnly
    }
}

/// Purchase that the customer began in the store itself, outside the app.
public struct PromotedPurchase: Sendable, Hashable {
    public let productIdentifier: String
    /// Identifier of the win-back offer for the purchase; `nil` for none.
    public let winBackOffer: String?

    public init(productIdentifier: String, winBackOffer: String? = nil) {
        self.productIdentifier = productIdentifier
        self.winBackOffer = winBackOffer
    }
}

/// Answer of a store to a purchase.
public enum StorePurchaseAnswer: Sendable, Hashable {
    case purchased(StoreTransaction)
    /// The store answered with an existing transaction of the customer, and charged nothing.
    case alreadyPurchased(StoreTransaction)
    /// The purchase needs the approval of another person. If it is approved, the transaction arrives as an update.
    case pending
    /// The customer has to resolve an issue with the store first, such as a payment method that is no longer valid. The
    /// transaction then arrives as an update.
    case interrupted
    case cancelled
}

/// Type of app receipt that a test store issues on request, with the properties of Apple's
/// [SKReceiptRefreshRequest](https://developer.apple.com/documentation/storekit/skreceiptrefreshrequest).
public struct ReceiptRequest: Sendable, Hashable {
    /// `true` to request a receipt that has expired.
    public var isExpired: Bool
    /// `true` to request a receipt for an app that was bought for the customer by another buyer, who then revoked it.
    public var isRevoked: Bool
    /// `true` to request a receipt for an app that was bought for the customer in the Volume Purchase Program.
    public var isVolumePurchase: Bool

    public init(isExpired: Bool = false, isRevoked: Bool = false, isVolumePurchase: Bool = false) {
        self.isExpired = isExpired
        self.isRevoked = isRevoked
        self.isVolumePurchase = isVolumePurchase
    }
}

/// Error of a request to a store.
public typealias StoreError = CodedError<StoreErrorCode>

/// Category of ``StoreError``.
public enum StoreErrorCode: String, ErrorCode {
    /// The store failed without giving a reason.
    case unavailable
    /// The store cannot be reached.
    case network
    /// The store's data on this device cannot be read or written.
    case storage
    /// The store returned no products for a request. This does not prove that it sells none of them.
    case emptyAnswer = "empty-answer"
    /// The store does not sell the product.
    case productNotAvailable = "product-not-available"
    /// The store does not sell this quantity.
    case invalidQuantity = "invalid-quantity"
    /// The customer is not allowed to buy on this device.
    case notAllowed = "not-allowed"
    /// The purchase was not submitted to the store, for example because there is no window for the confirmation.
    /// Nothing was bought.
    case notSubmitted = "not-submitted"
    /// The customer is not eligible for the promotional offer, or the signature of the promotional offer is invalid.
    case invalidOffer = "invalid-offer"
    /// The call was made within a hook of the app, and refused at once, because it would have to wait for work that the
    /// hook holds up.
    case withinHook = "within-hook"

    public var advice: String? {
        switch self {
        case .unavailable: "Load the products again later."
        case .emptyAnswer:
            "Compare the product identifiers with those in App Store Connect, and check that the agreements there are "
                + "signed; then load the products again."
        case .network: "Connect to the internet."
        case .storage: "Free space on the device and check the permissions of the app's folders."
        case .productNotAvailable: "Check in App Store Connect that the product is for sale in this storefront."
        case .invalidQuantity: "Choose another quantity."
        case .notAllowed: "Allow purchases in the settings of the device."
        case .notSubmitted: "Buy again, while a window of the app is in the foreground and the device is online."
        case .invalidOffer: "Buy without the promotional offer, or let the server sign it again."
        case .withinHook: "Return from the hook first, and make the call afterwards."
        }
    }
}

extension StoreError {
    /// Creates the error for a call within a hook of the app.
    ///
    /// - Parameter call: The refused call, as the subject of a sentence.
    package static func withinHook(_ call: String) -> StoreError {
        StoreError(
            code: .withinHook,
            reason: "\(call) cannot be waited for within a hook of the app, which holds up what it would wait for")
    }

    /// `true` if the store refused the purchase, so that nothing was bought. After any other error, it is unknown
    /// whether the customer was charged.
    public var isOutcomeKnown: Bool { PurchaseFailure(self) != nil }
}

/// Access to the content of products that a store hosts.
public protocol StoreHostedContent: Sendable {
    /// Returns `true` if the store is known on this device to have content for a product.
    func hasContent(for productIdentifier: String) -> Bool

    /// Downloads the package with a product's content.
    ///
    /// If the call is canceled or fails, received data may remain in the directory. The next call then resumes from
    /// there.
    ///
    /// - Parameters:
    ///   - productIdentifier: The product's identifier.
    ///   - folder: A directory for this product only. The returned package is located in it, and the caller removes it.
    ///   - progress: A function that is called from any thread, with the number of received bytes and the total number,
    ///     or `nil` if the total is not known yet.
    /// - Returns: A directory that contains the file `ContentInfo.plist` and a directory `Contents`; `nil` if the store
    ///   has no content for the product.
    /// - Throws: ``StoreError`` if the store cannot be reached, or the download is interrupted.
    func contentPackage(
        for productIdentifier: String, in folder: URL,
        progress: @escaping @Sendable (_ received: Int, _ total: Int?) -> Void
    ) async throws(StoreError) -> URL?
}

extension Store {
    public func promotedPurchaseAnswered(_ identifier: String) async {}

    public func subscriptionTransactions() async throws(StoreError) -> [StoreTransaction] {
        try await knownTransactions()
    }

    public func signedAccount() async throws(StoreError) -> String? { try await appTransaction() }

    public var deviceVerificationID: UUID? { nil }

    /// Default for stores that show no sheets.
    public var sheets: (any StoreSheets)? { nil }

    /// Default for stores that host no content.
    public var content: (any StoreHostedContent)? { nil }
}
