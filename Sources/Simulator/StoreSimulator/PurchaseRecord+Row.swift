internal import GRDB
internal import VitrineCatalog
internal import VitrineReceipts

extension PurchaseRecord {
    /// Reads a row column by column. This is much faster than `Decodable`, which matters because every launch of an app
    /// reads all purchases of its customer.
    init(row: Row) throws {
        guard let kind: ProductKind = try row.decodeRaw(forColumn: "kind") else {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(codingPath: [], debugDescription: "a purchase has no kind"))
        }
        self.init(
            id: try row.decode(forColumn: "id"), customer: try row.decode(forColumn: "customer"),
            device: try row.decode(forColumn: "device"),
            productIdentifier: try row.decode(forColumn: "productIdentifier"), kind: kind,
            quantity: try row.decode(forColumn: "quantity"), purchaseDate: try row.decode(forColumn: "purchaseDate"),
            price: try row.decode(forColumn: "price"), currency: try row.decode(forColumn: "currency"),
            storefront: try row.decode(forColumn: "storefront"),
            ownershipType: OwnershipType(rawValue: try row.decode(forColumn: "ownershipType")))
        accountToken = try row.decode(forColumn: "accountToken")
        isPending = try row.decode(forColumn: "isPending")
        isInterrupted = try row.decode(forColumn: "isInterrupted")
        originalID = try row.decode(forColumn: "originalID")
        originalDate = try row.decode(forColumn: "originalDate")
        isRenewal = try row.decode(forColumn: "isRenewal")
        isUpgraded = try row.decode(forColumn: "isUpgraded")
        groupID = try row.decode(forColumn: "groupID")
        expiresDate = try row.decode(forColumn: "expiresDate")
        // GRDB would decode `NULL` as JSON as well.
        let storedOffer: (any DatabaseValueConvertible)? = row["offer"]
        if storedOffer != nil { offer = try row.decode(forColumn: "offer") }
        revocationDate = try row.decode(forColumn: "revocationDate")
        revocationType = try row.decodeRaw(forColumn: "revocationType")
        revocationPercentage = try row.decode(forColumn: "revocationPercentage")
        sharedFrom = try row.decode(forColumn: "sharedFrom")
        signedFrom = try row.decode(forColumn: "signedFrom")
        modification = try row.decode(forColumn: "modification")
    }
}
