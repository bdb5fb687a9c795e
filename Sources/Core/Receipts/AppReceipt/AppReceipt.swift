public import Foundation
internal import X509

/// App receipt of the store: the payload of the PKCS#7 container at `appStoreReceiptURL`.
///
/// The attributes are those of Apple's
/// [Receipt Validation Programming Guide](https://developer.apple.com/library/archive/releasenotes/General/ValidateAppStoreReceipt/),
/// chapter "Receipt Fields", and further attributes of real receipts.
public struct AppReceipt: Sendable, Hashable {
    /// Attribute 0: the environment that issued the receipt.
    public var type: ReceiptType
    /// Attribute 1: the app's identifier in the App Store; 0 outside production.
    public var appIdentifier: Int64
    /// Attribute 2: the bundle identifier of the app.
    public var bundleIdentifier: String
    /// Attribute 3: the app version for which the receipt was issued. It is the `CFBundleVersion`, or on macOS the
    /// `CFBundleShortVersionString`.
    public var applicationVersion: String
    /// Attribute 19: the app version that the customer first installed, in the format of ``applicationVersion``. `nil`
    /// in Xcode's receipts.
    public var originalApplicationVersion: String?
    /// Attribute 12: the creation date of the receipt.
    public var creationDate: Date
    /// Attribute 18: the date of the customer's original purchase of the app.
    public var originalPurchaseDate: Date?
    /// Attribute 21: the expiration date of the receipt; `nil` if it does not expire.
    public var expirationDate: Date?
    /// Attribute 10: the age rating of the app in the store's format, such as "4+".
    public var ageRating: String?
    /// Attribute 4: bytes that are part of the input of the device hash.
    public var opaqueValue: Data
    /// Attribute 5: SHA-1 of the device's identifier, the opaque value and the bundle identifier as DER.
    public var deviceHash: Data
    /// In-app purchases: the attributes of type 17.
    public var purchases: [ReceiptPurchase]
    /// All attributes, known or unknown, in the order of the receipt.
    public var attributes: [ReceiptAttribute]

    /// Creates a receipt from the values of its fields.
    ///
    /// - Parameter attributes: Additional attributes of the receipt. Attributes that repeat a field of this type are
    ///   omitted when the receipt is encoded.
    package init(
        type: ReceiptType, appIdentifier: Int64 = 0, bundleIdentifier: String, applicationVersion: String,
        originalApplicationVersion: String? = nil, creationDate: Date, originalPurchaseDate: Date? = nil,
        expirationDate: Date? = nil, ageRating: String? = nil, opaqueValue: Data, deviceHash: Data = Data(),
        purchases: [ReceiptPurchase] = [], attributes: [ReceiptAttribute] = []
    ) {
        self.type = type
        self.appIdentifier = appIdentifier
        self.bundleIdentifier = bundleIdentifier
        self.applicationVersion = applicationVersion
        self.originalApplicationVersion = originalApplicationVersion
        self.creationDate = creationDate
        self.originalPurchaseDate = originalPurchaseDate
        self.expirationDate = expirationDate
        self.ageRating = ageRating
        self.opaqueValue = opaqueValue
        self.deviceHash = deviceHash
        self.purchases = purchases
        self.attributes = attributes
    }
}

/// Encoded attribute of a receipt.
public struct ReceiptAttribute: Sendable, Hashable {
    public var type: Int
    public var version: Int
    /// Content of the attribute's octet string: DER in most attributes. Its first index is 0.
    public var value: Data {
        get { content.startIndex == 0 ? content : Data(content) }
        set { content = newValue }
    }

    /// Bytes of ``value``, as a part of the receipt's bytes. Thousands of values then need no memory of their own, whose
    /// allocation would take longer than reading them.
    private(set) var content: Data

    package init(type: Int, version: Int = 1, value: Data) {
        self.type = type
        self.version = version
        content = value
    }
}

/// The environment that issued a receipt, with its name in receipts. The store may add other values.
public struct ReceiptType: Sendable, Hashable, Codable, RawRepresentable {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    public static let production = ReceiptType(rawValue: "Production")
    public static let productionVolumePurchase = ReceiptType(rawValue: "ProductionVPP")
    public static let sandbox = ReceiptType(rawValue: "ProductionSandbox")
    public static let sandboxVolumePurchase = ReceiptType(rawValue: "ProductionVPPSandbox")
    public static let xcode = ReceiptType(rawValue: "Xcode")

    /// Environment of the receipt, with its name in signed JWS data.
    public var environment: StoreEnvironment {
        switch self {
        case .production, .productionVolumePurchase: .production
        case .sandbox, .sandboxVolumePurchase: .sandbox
        default: StoreEnvironment(rawValue: rawValue)
        }
    }
}

/// Signature information of a receipt, read without verification. It must only be displayed.
public struct ReceiptSignature: Sendable, Hashable {
    /// The signed digest's algorithm: `SHA-1` or `SHA-256`.
    public let digestAlgorithm: String
    /// Certificates: first the signer's, then the others in the order of the receipt.
    public let certificates: [SignerCertificate]

    /// Reads the signature information of a receipt without verifying it.
    ///
    /// - Parameter data: A receipt in PKCS#7 form, raw or as Base64.
    /// - Throws: `malformed` if the data is not a PKCS#7 container of signed data, `algorithm` if the signature
    ///   algorithm is not accepted.
    public init(unverified data: Data) throws(RejectionReason) {
        let container = try CMSSignedData(ReceiptData.container(in: data))
        digestAlgorithm = container.digest.rawValue
        let others = container.certificates.filter { $0 != container.signer }
        certificates = ([container.signer] + others).map(SignerCertificate.init)
    }
}

extension AppReceipt {
    /// Maximum size of a receipt in bytes. Ten thousand purchases of about 450 bytes each need 4.5 MB, and a third more
    /// as Base64.
    public static let sizeLimit = 12 * 1024 * 1024

    /// Reads a receipt without verifying it. The result must only be displayed, and never unlock anything.
    ///
    /// - Parameter data: A receipt in PKCS#7 form, raw or as Base64.
    /// - Throws: `malformed` if the data is not a PKCS#7 container of signed data, `algorithm` if the signature
    ///   algorithm is not accepted, `payload` if the container does not contain a receipt.
    public init(unverified data: Data) throws(RejectionReason) {
        try self.init(payload: CMSSignedData(ReceiptData.container(in: data)).content)
    }

    /// Reads the attributes of a receipt from the signed content of its container.
    ///
    /// - Throws: `payload` if an attribute is invalid or repeated, or a required attribute is missing.
    init(payload: ArraySlice<UInt8>) throws(RejectionReason) {
        let fields = try ReceiptFields<ReceiptField>(Data(payload))
        var purchases: [ReceiptPurchase] = []
        for attribute in fields.attributes where attribute.type == ReceiptField.purchase {
            purchases.append(try ReceiptPurchase(attribute))
        }
        self.init(
            type: ReceiptType(rawValue: try fields.required(.type, fields.string(.type))),
            appIdentifier: try fields.integer(.appIdentifier) ?? 0,
            bundleIdentifier: try fields.required(.bundleIdentifier, fields.string(.bundleIdentifier)),
            applicationVersion: try fields.required(.applicationVersion, fields.string(.applicationVersion)),
            originalApplicationVersion: try fields.string(.originalApplicationVersion),
            creationDate: try fields.required(.creationDate, fields.date(.creationDate)),
            originalPurchaseDate: try fields.date(.originalPurchaseDate),
            expirationDate: try fields.date(.expirationDate),
            ageRating: try fields.string(.ageRating),
            opaqueValue: try fields.required(.opaqueValue, fields.bytes(.opaqueValue)),
            deviceHash: try fields.required(.deviceHash, fields.bytes(.deviceHash)),
            purchases: purchases,
            attributes: fields.attributes)
    }
}

extension ReceiptPurchase {
    fileprivate init(_ attribute: ReceiptAttribute) throws(RejectionReason) {
        let fields = try ReceiptFields<PurchaseField>(attribute.content)
        let quantity = Int(exactly: try fields.required(.quantity, fields.integer(.quantity)))
        guard let quantity, quantity > 0 else { throw .payload("a purchase in the receipt has a quantity below 1") }
        self.init(
            quantity: quantity,
            productIdentifier: try fields.required(.productIdentifier, fields.string(.productIdentifier)),
            transactionID: try fields.required(.transactionID, fields.string(.transactionID)),
            originalTransactionID: try fields.string(.originalTransactionID),
            purchaseDate: try fields.required(.purchaseDate, fields.date(.purchaseDate)),
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
