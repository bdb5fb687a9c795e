public import Foundation

/// Purchase in an app receipt.
public struct ReceiptPurchase: Sendable, Hashable {
    /// Attribute 1701: the number of units.
    public var quantity: Int
    /// Attribute 1702.
    public var productIdentifier: String
    /// Attribute 1703.
    public var transactionID: String
    /// Attribute 1705: equal to ``transactionID`` except in a renewed or restored purchase; missing in some receipts of
    /// Xcode.
    public var originalTransactionID: String?
    /// Attribute 1704.
    public var purchaseDate: Date
    /// Attribute 1706.
    public var originalPurchaseDate: Date?
    /// Attribute 1707; `nil` if the receipt does not contain it.
    public var productType: ReceiptProductType?
    /// Attribute 1708: the end of a subscription period.
    public var expirationDate: Date?
    /// Attribute 1711: the number of a subscription period.
    public var webOrderLineItemID: Int64?
    /// Attribute 1712: the date on which the store revoked the purchase.
    public var cancellationDate: Date?
    /// Attribute 1713: `true` if the period is a free trial.
    public var isTrialPeriod: Bool?
    /// Attribute 1719: `true` if the period is sold at an introductory price.
    public var isIntroductoryOfferPeriod: Bool?
    /// Attribute 1721.
    public var promotionalOfferIdentifier: String?
    /// Every attribute, known or not, in the receipt's order.
    public var attributes: [ReceiptAttribute]

    /// - Parameter attributes: Attributes other than the fields. Attributes that repeat a field are not written.
    package init(
        quantity: Int = 1, productIdentifier: String, transactionID: String, originalTransactionID: String? = nil,
        purchaseDate: Date, originalPurchaseDate: Date? = nil, productType: ReceiptProductType? = nil,
        expirationDate: Date? = nil, webOrderLineItemID: Int64? = nil, cancellationDate: Date? = nil,
        isTrialPeriod: Bool? = nil, isIntroductoryOfferPeriod: Bool? = nil,
        promotionalOfferIdentifier: String? = nil, attributes: [ReceiptAttribute] = []
    ) {
        self.quantity = quantity
        self.productIdentifier = productIdentifier
        self.transactionID = transactionID
        self.originalTransactionID = originalTransactionID
        self.purchaseDate = purchaseDate
        self.originalPurchaseDate = originalPurchaseDate
        self.productType = productType
        self.expirationDate = expirationDate
        self.webOrderLineItemID = webOrderLineItemID
        self.cancellationDate = cancellationDate
        self.isTrialPeriod = isTrialPeriod
        self.isIntroductoryOfferPeriod = isIntroductoryOfferPeriod
        self.promotionalOfferIdentifier = promotionalOfferIdentifier
        self.attributes = attributes
    }
}

/// Product type in a receipt. The store may add others.
public struct ReceiptProductType: Sendable, Hashable, Codable, RawRepresentable {
    public let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }

    public static let nonConsumable = ReceiptProductType(rawValue: 0)
    public static let consumable = ReceiptProductType(rawValue: 1)
    public static let nonRenewingSubscription = ReceiptProductType(rawValue: 2)
    public static let autoRenewableSubscription = ReceiptProductType(rawValue: 3)
}
