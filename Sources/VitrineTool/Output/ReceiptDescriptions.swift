import Foundation
import ProductCatalog
import Receipts

extension AppReceipt {
    /// Fields about the app, and attributes of unknown meaning.
    var fields: [(name: String, value: String)] {
        var fields = [
            ("environment", type.rawValue), ("app", bundleIdentifier), ("version", applicationVersion),
            ("created", creationDate.second),
        ]
        fields += [
            ("original version", originalApplicationVersion), ("original purchase", originalPurchaseDate?.second),
            ("expires", expirationDate?.second), ("age rating", ageRating),
            ("app identifier", appIdentifier == 0 ? nil : String(appIdentifier)),
        ].compactMap { name, value in value.map { (name, $0) } }
        fields += [("device hash", deviceHash.hexadecimal), ("opaque value", opaqueValue.hexadecimal)]
        return fields
            + unnamedAttributes.sorted { $0.type < $1.type }.map { ("attribute \($0.type)", $0.words) }
    }

    func purchaseTable(_ standing: String) -> Table {
        var table = Table(headings: [
            "PURCHASE", "UNITS", "TYPE", "TRANSACTION", "ORIGINAL", "BOUGHT", "UNTIL", "REVOKED", "STATUS",
        ])
        table.rows = purchases.map { purchase in
            [
                purchase.productIdentifier, String(purchase.quantity), purchase.productType?.words ?? "",
                purchase.transactionID, purchase.originalTransactionID ?? "", purchase.purchaseDate.minute,
                purchase.expirationDate?.minute ?? "", purchase.cancellationDate?.minute ?? "", standing,
            ]
        }
        return table
    }

    fileprivate var unnamedAttributes: [ReceiptAttribute] {
        attributes.filter { ![0, 1, 2, 3, 4, 5, 10, 12, 17, 18, 19, 21].contains($0.type) }
    }
}

extension ReceiptPurchase {
    fileprivate var unnamedAttributes: [ReceiptAttribute] {
        attributes.filter {
            ![1701, 1702, 1703, 1704, 1705, 1706, 1707, 1708, 1711, 1712, 1713, 1719, 1721].contains($0.type)
        }
    }
}

extension ReceiptAttribute {
    /// First bytes of a value of unknown meaning.
    fileprivate var words: String {
        "\(value.count) bytes: \(value.prefix(20).hexadecimal)" + (value.count > 20 ? "…" : "")
    }
}

extension ReceiptProductType {
    /// Product type, or its number if this version does not know the type.
    fileprivate var words: String {
        let kinds: [ReceiptProductType: ProductKind] = [
            .consumable: .consumable, .nonConsumable: .nonConsumable,
            .nonRenewingSubscription: .nonRenewingSubscription,
            .autoRenewableSubscription: .autoRenewableSubscription,
        ]
        return kinds[self]?.words ?? "\(rawValue)"
    }
}

/// JSON document of a receipt.
struct AppReceiptDocument: Encodable {
    let environment: String
    let bundleIdentifier: String
    let version: String
    let created: Date
    let originalVersion: String?
    let originalPurchaseDate: Date?
    let expires: Date?
    let ageRating: String?
    let appIdentifier: Int64
    let deviceHash: String
    let opaqueValue: String
    let purchases: [Purchase]
    let otherAttributes: [Attribute]

    init(_ receipt: AppReceipt) {
        environment = receipt.type.rawValue
        bundleIdentifier = receipt.bundleIdentifier
        version = receipt.applicationVersion
        created = receipt.creationDate
        originalVersion = receipt.originalApplicationVersion
        originalPurchaseDate = receipt.originalPurchaseDate
        expires = receipt.expirationDate
        ageRating = receipt.ageRating
        appIdentifier = receipt.appIdentifier
        deviceHash = receipt.deviceHash.hexadecimal
        opaqueValue = receipt.opaqueValue.hexadecimal
        purchases = receipt.purchases.map(Purchase.init)
        otherAttributes = receipt.unnamedAttributes.map(Attribute.init)
    }

    struct Purchase: Encodable {
        let product: String
        let quantity: Int
        let kind: Int?
        let transaction: String
        let originalTransaction: String?
        let date: Date
        let originalDate: Date?
        let expires: Date?
        let cancelled: Date?
        let webOrderLineItem: Int64?
        let trialPeriod: Bool?
        let introductoryOfferPeriod: Bool?
        let promotionalOffer: String?
        let otherAttributes: [Attribute]

        init(_ purchase: ReceiptPurchase) {
            product = purchase.productIdentifier
            quantity = purchase.quantity
            kind = purchase.productType?.rawValue
            transaction = purchase.transactionID
            originalTransaction = purchase.originalTransactionID
            date = purchase.purchaseDate
            originalDate = purchase.originalPurchaseDate
            expires = purchase.expirationDate
            cancelled = purchase.cancellationDate
            webOrderLineItem = purchase.webOrderLineItemID
            trialPeriod = purchase.isTrialPeriod
            introductoryOfferPeriod = purchase.isIntroductoryOfferPeriod
            promotionalOffer = purchase.promotionalOfferIdentifier
            otherAttributes = purchase.unnamedAttributes.map(Attribute.init)
        }
    }

    struct Attribute: Encodable {
        let type: Int
        let version: Int
        /// Value in base64.
        let value: String

        init(_ attribute: ReceiptAttribute) {
            type = attribute.type
            version = attribute.version
            value = attribute.value.base64EncodedString()
        }
    }
}

extension Data {
    /// Hexadecimal text with two digits for each byte.
    var hexadecimal: String { map { String(format: "%02x", $0) }.joined() }
}

/// JSON document of a certificate.
struct CertificateDocument: Encodable {
    let subject: String
    let validFrom: Date
    let validUntil: Date

    init(_ certificate: SignerCertificate) {
        subject = certificate.subject
        validFrom = certificate.notValidBefore
        validUntil = certificate.notValidAfter
    }
}

extension SignerCertificate {
    /// Certificate as one line of text output.
    var line: String { "  \(subject), valid from \(notValidBefore.day) to \(notValidAfter.day)" }
}
