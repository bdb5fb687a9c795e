import Foundation
import VitrineCatalog
import VitrineCommandSupport
import VitrineEntitlements
import VitrinePurchasing
import VitrineReceipts
import VitrineSupport

extension AppReceipt {
    /// Fields of the receipt about the app, followed by undocumented attributes.
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
            + unnamedAttributes.sorted { $0.type < $1.type }.map { ("attribute \($0.type)", $0.description) }
    }

    func purchaseTable(_ fieldStatus: String) -> Table {
        var table = Table(headings: [
            "PURCHASE", "UNITS", "TYPE", "TRANSACTION", "ORIGINAL", "BOUGHT", "UNTIL", "REVOKED", "STATUS",
        ])
        table.rows = purchases.map { purchase in
            [
                purchase.productIdentifier, String(purchase.quantity), purchase.productType?.description ?? "",
                purchase.transactionID, purchase.originalTransactionID ?? "", purchase.purchaseDate.minute,
                purchase.expirationDate?.minute ?? "", purchase.cancellationDate?.minute ?? "", fieldStatus,
            ]
        }
        return table
    }

    /// JSON object of the receipt.
    var document: JSONObject {
        [
            "environment": type.rawValue, "bundleIdentifier": bundleIdentifier, "version": applicationVersion,
            "created": creationDate, "originalVersion": originalApplicationVersion,
            "originalPurchaseDate": originalPurchaseDate, "expires": expirationDate, "ageRating": ageRating,
            "appIdentifier": appIdentifier, "deviceHash": deviceHash.hexadecimal,
            "opaqueValue": opaqueValue.hexadecimal, "purchases": purchases.map(\.document),
            "otherAttributes": unnamedAttributes.map(\.document),
        ]
    }

    private var unnamedAttributes: [ReceiptAttribute] {
        attributes.filter { ![0, 1, 2, 3, 4, 5, 10, 12, 17, 18, 19, 21].contains($0.type) }
    }
}

extension ReceiptPurchase {
    fileprivate var document: JSONObject {
        [
            "product": productIdentifier, "quantity": quantity, "kind": productType?.rawValue,
            "transaction": transactionID, "originalTransaction": originalTransactionID, "date": purchaseDate,
            "originalDate": originalPurchaseDate, "expires": expirationDate, "cancelled": cancellationDate,
            "webOrderLineItem": webOrderLineItemID, "trialPeriod": isTrialPeriod,
            "introductoryOfferPeriod": isIntroductoryOfferPeriod,
            "promotionalOffer": promotionalOfferIdentifier,
            "otherAttributes": unnamedAttributes.map(\.document),
        ]
    }

    private var unnamedAttributes: [ReceiptAttribute] {
        attributes.filter {
            ![1701, 1702, 1703, 1704, 1705, 1706, 1707, 1708, 1711, 1712, 1713, 1719, 1721].contains($0.type)
        }
    }
}

extension ReceiptAttribute {
    fileprivate var document: JSONObject {
        ["type": type, "version": version, "value": value.base64EncodedString()]
    }

    /// Number of bytes of an undocumented attribute, and the first bytes in hexadecimal.
    fileprivate var description: String {
        "\(value.count) bytes: \(value.prefix(20).hexadecimal)" + (value.count > 20 ? "…" : "")
    }
}

extension ReceiptProductType {
    /// Name of the product type, or its number if the type is unknown.
    fileprivate var description: String {
        let kinds: [ReceiptProductType: ProductKind] = [
            .consumable: .consumable, .nonConsumable: .nonConsumable,
            .nonRenewingSubscription: .nonRenewingSubscription,
            .autoRenewableSubscription: .autoRenewableSubscription,
        ]
        return kinds[self]?.description ?? "\(rawValue)"
    }
}

extension SignerCertificate {
    var document: JSONObject {
        ["subject": subject, "validFrom": notValidBefore, "validUntil": notValidAfter]
    }

    /// Certificate as one line of text, with its subject and validity.
    var line: String { "  \(subject), valid from \(notValidBefore.day) to \(notValidAfter.day)" }
}
