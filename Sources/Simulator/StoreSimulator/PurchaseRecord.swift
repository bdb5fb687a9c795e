internal import Foundation
internal import GRDB
internal import VitrineCatalog
internal import VitrineReceipts

/// Row of the table of purchases: a transaction, or a pending purchase that waits for approval or until the customer
/// resolves an issue. Dates are in milliseconds since 1970.
struct PurchaseRecord: NumberedRecord, Codable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "purchase"

    private(set) var id: Int64?
    /// Number of the customer who owns the purchase.
    let customer: Int64
    /// Number of the device that bought the product; `nil` if the store does not know the device.
    var device: Int64?
    let productIdentifier: String
    let kind: ProductKind
    let quantity: Int
    /// Date of the purchase or approval; for a pending purchase, the date of the request.
    var purchaseDate: Int64
    /// Price of the whole quantity, in thousandths of the currency's unit.
    var price: Int
    let currency: String
    let storefront: String
    var ownershipType = OwnershipType.purchased
    var accountToken: String?
    var isPending = false
    /// `true` for a pending purchase that waits until the customer resolves an issue, `false` for one that needs
    /// approval.
    var isInterrupted = false
    /// Number of the first transaction of the purchase or subscription; `nil` if this is the first one.
    var originalID: Int64?
    /// Date of the first transaction of the purchase or subscription; `nil` if this is the first one.
    var originalDate: Int64?
    var isRenewal = false
    var isUpgraded = false
    /// Identifier of the subscription group; `nil` for a product that is not an auto-renewable subscription.
    var groupID: String?
    var expiresDate: Int64?
    /// Offer that set the price; `nil` without an offer.
    var offer: AppliedOffer?
    var revocationDate: Int64?
    var revocationType: RevocationType?
    /// Refunded share of the price, in thousandths of a percent.
    var revocationPercentage: Int?
    /// Number of the purchase that a family member shares with the customer in this row; `nil` if the purchase is not
    /// shared, or if its owner is not a customer of the store.
    var sharedFrom: Int64?
    /// Earliest date for signatures of the purchase's current state, in milliseconds since 1970. It is later than all
    /// signatures of earlier states.
    var signedFrom: Int64 = 0
    /// Sequence number of the last change, which orders the transactions in the history that servers request.
    var modification: Int64 = 0

    enum Columns {
        static let id = Column(CodingKeys.id)
        static let customer = Column(CodingKeys.customer)
        static let productIdentifier = Column(CodingKeys.productIdentifier)
        static let revocationDate = Column(CodingKeys.revocationDate)
        static let isPending = Column(CodingKeys.isPending)
        static let isInterrupted = Column(CodingKeys.isInterrupted)
        static let purchaseDate = Column(CodingKeys.purchaseDate)
        static let ownershipType = Column(CodingKeys.ownershipType)
        static let sharedFrom = Column(CodingKeys.sharedFrom)
        static let groupID = Column(CodingKeys.groupID)
        static let offer = Column(CodingKeys.offer)
        static let modification = Column(CodingKeys.modification)
    }

    /// Returns the transactions of a customer, without pending purchases.
    static func transactions(of customer: Int64) -> QueryInterfaceRequest<PurchaseRecord> {
        filter { $0.customer == customer && !$0.isPending }
    }

    /// Returns the transactions that a customer bought, without those that family members share.
    static func bought(by customer: Int64) -> QueryInterfaceRequest<PurchaseRecord> {
        transactions(of: customer).filter { $0.ownershipType == OwnershipType.purchased.rawValue }
    }

    /// Stores a new purchase, and assigns a number to it if it has none.
    mutating func store(in database: Database) throws {
        let statement = try database.cachedStatement(
            sql: """
                INSERT INTO purchase (
                    id, customer, device, productIdentifier, kind, quantity, purchaseDate, price, currency, storefront,
                    ownershipType, accountToken, isPending, isInterrupted, originalID, originalDate, isRenewal,
                    isUpgraded, groupID, expiresDate, offer, revocationDate, revocationType, revocationPercentage,
                    sharedFrom, signedFrom, modification
                ) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """)
        try statement.execute(arguments: [
            id, customer, device, productIdentifier, kind.rawValue, quantity, purchaseDate, price, currency, storefront,
            ownershipType.rawValue, accountToken, isPending, isInterrupted, originalID, originalDate, isRenewal,
            isUpgraded, groupID, expiresDate, offer, revocationDate, revocationType?.rawValue, revocationPercentage,
            sharedFrom, signedFrom, modification,
        ])
        id = database.lastInsertedRowID
    }

    /// Number of the first transaction of the purchase or subscription.
    var originalNumber: Int64 { originalID ?? number }

    var isShared: Bool { ownershipType == .familyShared }

    /// Returns a copy of the purchase, without a number, that is shared with a family member.
    func shared(with member: Int64) -> PurchaseRecord {
        var copy = PurchaseRecord(
            customer: member, productIdentifier: productIdentifier, kind: kind, quantity: quantity,
            purchaseDate: purchaseDate, price: 0, currency: currency, storefront: storefront)
        copy.ownershipType = .familyShared
        (copy.isRenewal, copy.groupID, copy.expiresDate, copy.offer) = (isRenewal, groupID, expiresDate, offer)
        copy.sharedFrom = number
        return copy
    }

    /// Returns the transaction of an approved pending purchase, with the same number.
    func approved(at date: Date) -> PurchaseRecord {
        var approved = self
        (approved.isPending, approved.isInterrupted, approved.purchaseDate) = (false, false, date.milliseconds)
        return approved
    }

    /// Returns the sequence number for a purchase that changes now.
    static func nextModification(in database: Database) throws -> Int64 {
        let latest = try database.cachedStatement(sql: "SELECT MAX(modification) FROM purchase")
        return (try Int64.fetchOne(latest) ?? 0) + 1
    }

    /// Begins a new state of the purchase. Its signatures have later dates than those of all earlier states.
    ///
    /// - Parameter signature: The latest date, in milliseconds since 1970, with which the purchase may have been
    ///   signed.
    mutating func beginState(after signature: Int64) { signedFrom = max(signedFrom, signature) + 1 }

    /// Revokes the purchase, unless it is revoked already.
    mutating func revoke(
        _ type: RevocationType, percentage: Int?, at date: Date, after signature: Int64
    ) {
        guard revocationDate == nil else { return }
        (revocationDate, revocationType, revocationPercentage) = (date.milliseconds, type, percentage)
        beginState(after: signature)
    }

    func transaction(isFinished: Bool) -> SimulatedTransaction {
        SimulatedTransaction(
            id: id.map(String.init) ?? "",
            originalID: String(originalID ?? id ?? 0),
            productIdentifier: productIdentifier,
            kind: kind,
            quantity: quantity,
            purchaseDate: Date(milliseconds: purchaseDate),
            originalPurchaseDate: Date(milliseconds: originalDate ?? purchaseDate),
            price: price,
            currency: currency,
            storefront: storefront,
            ownershipType: ownershipType,
            accountToken: accountToken.flatMap(UUID.init),
            revocationDate: revocationDate.map(Date.init(milliseconds:)),
            revocationType: revocationType,
            revocationPercentage: revocationPercentage,
            groupID: groupID,
            expirationDate: expiresDate.map(Date.init(milliseconds:)),
            isRenewal: isRenewal,
            isUpgraded: isUpgraded,
            offer: offer,
            isFinished: isFinished && !isPending,
            isPending: isPending,
            isInterrupted: isInterrupted,
            customer: customer,
            signedFrom: Date(milliseconds: signedFrom)
        )
    }
}
