public import Foundation

/// What the store says in an app receipt: the payload of the PKCS#7 container that lies where `appStoreReceiptURL` points.
///
/// The attributes are those of Apple's
/// [Receipt Validation Programming Guide](https://developer.apple.com/library/archive/releasenotes/General/ValidateAppStoreReceipt/),
/// chapter "Receipt Fields", and what real receipts hold beside them.
public struct AppReceipt: Sendable, Hashable {
    /// Attribute 0: the environment that issued it.
    public var type: ReceiptType
    /// Attribute 1: the app's identifier in the App Store; 0 outside production.
    public var appIdentifier: Int64
    /// Attribute 2.
    public var bundleIdentifier: String
    /// Attribute 3: the version of the app that the receipt was issued to: its `CFBundleVersion`, but on macOS its
    /// `CFBundleShortVersionString`.
    public var applicationVersion: String
    /// Attribute 19: the version that the customer got first, in the same form. `nil` in Xcode's receipts.
    public var originalApplicationVersion: String?
    /// Attribute 12.
    public var creationDate: Date
    /// Attribute 18: when the customer got the app first.
    public var originalPurchaseDate: Date?
    /// Attribute 21: from then on the receipt is no longer good; `nil` where it lasts.
    public var expirationDate: Date?
    /// Attribute 10, as the store writes it, such as "4+".
    public var ageRating: String?
    /// Attribute 4: goes into the device hash.
    public var opaqueValue: Data
    /// Attribute 5: SHA-1 of the device's identifier, the opaque value and the bundle identifier as DER.
    public var deviceHash: Data
    /// Attributes 17: what was bought in the app.
    public var purchases: [ReceiptPurchase]
    /// Every attribute, known or not, in the receipt's order.
    public var attributes: [ReceiptAttribute]
}

/// A purchase as an app receipt has it.
public struct ReceiptPurchase: Sendable, Hashable {
    /// Attribute 1701: units bought.
    public var quantity: Int
    /// Attribute 1702.
    public var productIdentifier: String
    /// Attribute 1703.
    public var transactionID: String
    /// Attribute 1705: equal to ``transactionID`` but for a renewed or restored one; some receipts of Xcode's lack it.
    public var originalTransactionID: String?
    /// Attribute 1704.
    public var purchaseDate: Date
    /// Attribute 1706.
    public var originalPurchaseDate: Date?
    /// Attribute 1707; `nil` where the receipt does not say.
    public var productType: ReceiptProductType?
    /// Attribute 1708: when a period of a subscription ends.
    public var expirationDate: Date?
    /// Attribute 1711: the number of a subscription's period.
    public var webOrderLineItemID: Int64?
    /// Attribute 1712: when the store took the purchase back.
    public var cancellationDate: Date?
    /// Attribute 1713: whether the period is a free trial.
    public var isTrialPeriod: Bool?
    /// Attribute 1719: whether the period is sold at an introductory price.
    public var isIntroductoryOfferPeriod: Bool?
    /// Attribute 1721.
    public var promotionalOfferIdentifier: String?
    /// Every attribute, known or not, in the receipt's order.
    public var attributes: [ReceiptAttribute]
}

/// An attribute of a receipt as it stands there.
public struct ReceiptAttribute: Sendable, Hashable {
    public var type: Int
    public var version: Int
    /// The content of its octet string: DER in most attributes.
    public var value: Data
}

/// The environment that issued a receipt, as the receipt writes it. The store may add others.
public struct ReceiptType: Sendable, Hashable, Codable, RawRepresentable {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    public static let production = ReceiptType(rawValue: "Production")
    public static let productionVolumePurchase = ReceiptType(rawValue: "ProductionVPP")
    public static let sandbox = ReceiptType(rawValue: "ProductionSandbox")
    public static let sandboxVolumePurchase = ReceiptType(rawValue: "ProductionVPPSandbox")
    public static let xcode = ReceiptType(rawValue: "Xcode")

    /// The environment in the words of what is signed as JWS.
    public var environment: StoreEnvironment {
        switch self {
        case .production, .productionVolumePurchase: .production
        case .sandbox, .sandboxVolumePurchase: .sandbox
        default: StoreEnvironment(rawValue: rawValue)
        }
    }
}

/// The kind of a product as a receipt writes it. The store may add others.
public struct ReceiptProductType: Sendable, Hashable, Codable, RawRepresentable {
    public let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }

    public static let nonConsumable = ReceiptProductType(rawValue: 0)
    public static let consumable = ReceiptProductType(rawValue: 1)
    public static let nonRenewingSubscription = ReceiptProductType(rawValue: 2)
    public static let autoRenewableSubscription = ReceiptProductType(rawValue: 3)
}

/// An app receipt whose signature, chain, app, environment and device have been checked, with the data that proves it.
public struct SignedAppReceipt: Sendable, Hashable {
    public let receipt: AppReceipt
    /// The receipt as it was received.
    public let data: Data

    package init(receipt: AppReceipt, data: Data) {
        self.receipt = receipt
        self.data = data
    }
}

/// Tells whether an app receipt can be trusted.
public protocol ReceiptVerifier: Sendable {
    /// Checks a receipt in PKCS#7 form, raw or as base64.
    func verify(receipt data: Data) async -> Verification<SignedAppReceipt>
}
