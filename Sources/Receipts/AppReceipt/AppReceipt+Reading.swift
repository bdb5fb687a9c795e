public import Foundation

extension AppReceipt {
    /// Maximum size of a receipt in bytes: ten thousand purchases of about 450 bytes each take 4.5 MB, and a third more
    /// as base64.
    public static let sizeLimit = 12 * 1024 * 1024

    /// Reads the claims of a receipt without verifying them: only to display them, and never to unlock anything.
    ///
    /// - Parameter data: A receipt in PKCS#7 form, raw or as base64.
    /// - Throws: `malformed` if the data is not such a container, `algorithm` if it is signed with an algorithm that is
    ///   not accepted, `payload` if it does not contain a receipt.
    public init(unverified data: Data) throws(RejectionReason) {
        try self.init(payload: CMSSignedData(ReceiptData.container(in: data)).content)
    }

    /// Reads the content of the container.
    ///
    /// - Throws: `payload` if an attribute is invalid, occurs twice, or is missing although it is required.
    init(payload: ArraySlice<UInt8>) throws(RejectionReason) {
        let fields = try ReceiptFields<ReceiptField>(payload)
        var purchases: [ReceiptPurchase] = []
        for attribute in fields.attributes where attribute.type == ReceiptField.purchase {
            purchases.append(try ReceiptPurchase(attribute))
        }
        self.init(
            type: ReceiptType(rawValue: try fields.required(.type, fields.string)),
            appIdentifier: try fields.integer(.appIdentifier) ?? 0,
            bundleIdentifier: try fields.required(.bundleIdentifier, fields.string),
            applicationVersion: try fields.required(.applicationVersion, fields.string),
            originalApplicationVersion: try fields.string(.originalApplicationVersion),
            creationDate: try fields.required(.creationDate, fields.date),
            originalPurchaseDate: try fields.date(.originalPurchaseDate),
            expirationDate: try fields.date(.expirationDate),
            ageRating: try fields.string(.ageRating),
            opaqueValue: try fields.required(.opaqueValue, fields.bytes),
            deviceHash: try fields.required(.deviceHash, fields.bytes),
            purchases: purchases,
            attributes: fields.attributes)
    }
}

extension ReceiptPurchase {
    fileprivate init(_ attribute: ReceiptAttribute) throws(RejectionReason) {
        let fields = try ReceiptFields<PurchaseField>(ArraySlice(attribute.value))
        let quantity = Int(exactly: try fields.required(.quantity, fields.integer))
        guard let quantity, quantity > 0 else { throw .payload("a purchase has a quantity below 1") }
        self.init(
            quantity: quantity,
            productIdentifier: try fields.required(.productIdentifier, fields.string),
            transactionID: try fields.required(.transactionID, fields.string),
            originalTransactionID: try fields.string(.originalTransactionID),
            purchaseDate: try fields.required(.purchaseDate, fields.date),
            originalPurchaseDate: try fields.date(.originalPurchaseDate),
            productType: try fields.integer(.productType).flatMap(Int.init(exactly:)).map(
                ReceiptProductType.init(rawValue:)),
            expirationDate: try fields.date(.expirationDate),
            webOrderLineItemID: try fields.integer(.webOrderLineItemID),
            cancellationDate: try fields.date(.cancellationDate),
            isTrialPeriod: try fields.boolean(.isTrialPeriod),
            isIntroductoryOfferPeriod: try fields.boolean(.isIntroductoryOfferPeriod),
            promotionalOfferIdentifier: try fields.string(.promotionalOfferIdentifier),
            attributes: fields.attributes)
    }
}
