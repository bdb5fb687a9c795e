internal import Foundation
internal import GRDB
internal import ProductCatalog

/// Who signs, and for which app: the only row of its table.
struct StoreIdentity: Codable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "identity"

    var id = 1
    let bundleIdentifier: String
    let pem: String
}

/// How the customer first got the app: the only row of its table. The date is in milliseconds since 1970.
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

/// A row of the table of transactions. Dates are in milliseconds since 1970.
struct PurchaseRecord: Codable, FetchableRecord, MutablePersistableRecord {
    static let databaseTableName = "purchase"

    private var id: Int64?
    private let productIdentifier: String
    private let kind: ProductKind
    private let quantity: Int
    private let purchaseDate: Int64
    private let price: Int
    private let currency: String
    private let storefront: String
    private let isFinished: Bool
    private let revocationDate: Int64?

    enum Columns {
        static let id = Column(CodingKeys.id)
        static let productIdentifier = Column(CodingKeys.productIdentifier)
        static let isFinished = Column(CodingKeys.isFinished)
        static let revocationDate = Column(CodingKeys.revocationDate)
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
            revocationDate: revocationDate.map(Date.init(milliseconds:)),
            isFinished: isFinished
        )
    }
}
