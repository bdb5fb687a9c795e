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

/// A row of the table of transactions. The date is in milliseconds since 1970.
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

    enum Columns {
        static let id = Column(CodingKeys.id)
        static let productIdentifier = Column(CodingKeys.productIdentifier)
        static let isFinished = Column(CodingKeys.isFinished)
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
            isFinished: isFinished
        )
    }
}
