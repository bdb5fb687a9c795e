internal import Foundation
internal import GRDB
internal import ProductCatalog
internal import Purchasing
internal import Receipts

/// Signing identity of the store and the app that it signs for: the only row of its table.
struct StoreIdentity: Codable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "identity"

    private var id = 1
    let bundleIdentifier: String
    let pem: String
    private let seed: Int64
    /// Key and certificates that sign receipts; `nil` before the first receipt.
    var receiptPEM: String?

    init(bundleIdentifier: String, pem: String, seed: StoreSeed) {
        self.bundleIdentifier = bundleIdentifier
        self.pem = pem
        self.seed = Int64(bitPattern: seed.value)
    }

    var storeSeed: StoreSeed { StoreSeed(value: UInt64(bitPattern: seed)) }
}

/// Original purchase of the app: the only row of its table. The date is in milliseconds since 1970.
struct AppPurchaseRecord: Codable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "appPurchase"

    private var id = 1
    private let version: String
    private let date: Int64
    private let platform: String?

    init(_ purchase: OriginalPurchase) {
        version = purchase.version
        date = purchase.date.milliseconds
        platform = purchase.platform?.rawValue
    }

    var purchase: OriginalPurchase {
        OriginalPurchase(
            version: version, date: Date(milliseconds: date), platform: platform.map(AppPlatform.init))
    }
}

/// Behavior of the store: the only row of its table.
struct StoreSettings: Codable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "settings"

    private let id: Int
    /// `true` if purchases require approval.
    var asksToBuy: Bool
    var isOffline: Bool
    /// Reason why purchases are not allowed on the device; `nil` if they are allowed.
    var paymentRestriction: String?
    /// Storefront that the customer has moved to; `nil` for the storefront of the configuration.
    var storefront: String?
}

/// Failure that is set for a call.
struct ArmedFailure: Codable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "armedFailure"

    let call: StoreCall
    let failure: SimulatedFailure
    /// Remaining number of failures; `nil` for a failure that remains until it is cleared.
    var remaining: Int?

    init(_ failure: SimulatedFailure, times: Int?) {
        call = failure.call
        self.failure = failure
        remaining = times
    }
}

/// Row of the table of purchases. Dates are in milliseconds since 1970.
struct PurchaseRecord: Codable, FetchableRecord, MutablePersistableRecord {
    static let databaseTableName = "purchase"

    private var id: Int64?
    private let productIdentifier: String
    private let kind: ProductKind
    private let quantity: Int
    var purchaseDate: Int64
    private let price: Int
    private let currency: String
    private let storefront: String
    var isFinished: Bool
    var revocationDate: Int64?
    let ownershipType: OwnershipType
    private let accountToken: String?
    var isPending: Bool
    /// Earliest date with which the purchase's current state may be signed, later than all signatures of earlier
    /// states.
    var signedFrom: Int64

    enum Columns {
        static let id = Column(CodingKeys.id)
        static let productIdentifier = Column(CodingKeys.productIdentifier)
        static let isFinished = Column(CodingKeys.isFinished)
        static let revocationDate = Column(CodingKeys.revocationDate)
        static let isPending = Column(CodingKeys.isPending)
    }

    init(_ transaction: SimulatedTransaction) {
        id = Int64(transaction.id)
        productIdentifier = transaction.productIdentifier
        kind = transaction.kind
        quantity = transaction.quantity
        purchaseDate = transaction.purchaseDate.milliseconds
        price = transaction.price
        currency = transaction.currency
        storefront = transaction.storefront
        isFinished = transaction.isFinished
        revocationDate = transaction.revocationDate?.milliseconds
        ownershipType = transaction.ownershipType
        accountToken = transaction.accountToken?.uuidString
        isPending = transaction.isPending
        signedFrom = transaction.signedFrom.milliseconds
    }

    mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }

    var transaction: SimulatedTransaction {
        SimulatedTransaction(
            id: id.map(String.init) ?? "",
            productIdentifier: productIdentifier,
            kind: kind,
            quantity: quantity,
            purchaseDate: Date(milliseconds: purchaseDate),
            price: price,
            currency: currency,
            storefront: storefront,
            ownershipType: ownershipType,
            accountToken: accountToken.flatMap(UUID.init),
            revocationDate: revocationDate.map(Date.init(milliseconds:)),
            isFinished: isFinished,
            isPending: isPending,
            signedFrom: Date(milliseconds: signedFrom)
        )
    }
}

extension PurchaseRecord {
    /// Begins a new state of the purchase: the app must finish it again, and it is signed with a later date than all
    /// earlier states.
    ///
    /// - Parameter signature: The latest date, in milliseconds since 1970, with which the purchase may have been
    ///   signed.
    mutating func beginState(after signature: Int64) {
        isFinished = false
        signedFrom = max(signedFrom, signature) + 1
    }
}
