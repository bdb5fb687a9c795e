package import Foundation
package import VitrineReceipts

extension AppReceipt {
    package static func sample(
        type: ReceiptType = .sandbox, bundle: String = "com.example.app", version: String = "42",
        purchases: [ReceiptPurchase] = [.sample(), .subscription], attributes: [ReceiptAttribute] = []
    ) -> AppReceipt {
        AppReceipt(
            type: type, appIdentifier: 7, bundleIdentifier: bundle, applicationVersion: version,
            originalApplicationVersion: "1.0", creationDate: .sample, originalPurchaseDate: .sample - 86_400,
            ageRating: "4+", opaqueValue: Data(1...16), purchases: purchases, attributes: attributes)
    }
}

extension ReceiptPurchase {
    package static func sample(id: Int = 1) -> ReceiptPurchase {
        ReceiptPurchase(
            quantity: 2, productIdentifier: "com.example.app.coins", transactionID: "\(id)",
            originalTransactionID: "\(id)", purchaseDate: .sample - 60, originalPurchaseDate: .sample - 60,
            productType: .consumable)
    }

    package static let subscription = ReceiptPurchase(
        productIdentifier: "com.example.app.pro", transactionID: "9", originalTransactionID: "8",
        purchaseDate: .sample - 50, originalPurchaseDate: .sample - 100, productType: .autoRenewableSubscription,
        expirationDate: .sample + 86_400, webOrderLineItemID: 2_000_000_123_357_229,
        cancellationDate: .sample - 10, isTrialPeriod: false, isIntroductoryOfferPeriod: true,
        promotionalOfferIdentifier: "spring")
}

extension ReceiptSigningIdentity {
    /// Signing identity that all tests share, because generating RSA keys is slow.
    package static let sample = make("Test Store")
    /// Another signing identity with the same names.
    package static let other = make("Test Store")

    private static func make(_ name: String) -> ReceiptSigningIdentity {
        do {
            return try ReceiptSigningIdentity(commonName: name, around: .sample)
        } catch {
            fatalError("no signing identity: \(error)")
        }
    }
}

extension Data {
    /// Identifier of a device.
    package static let device = Data(0xA0...0xAF)

    /// Decodes hexadecimal digits.
    ///
    /// - Returns: `nil` if the text is not pairs of hexadecimal digits.
    package init?(hex: String) {
        guard hex.count.isMultiple(of: 2) else { return nil }
        var (bytes, rest) = (Data(), hex[...])
        while !rest.isEmpty {
            guard let byte = UInt8(rest.prefix(2), radix: 16) else { return nil }
            bytes.append(byte)
            rest = rest.dropFirst(2)
        }
        self = bytes
    }
}
