package import Foundation
package import VitrineReceipts
package import VitrineSupport

extension Date {
    package static let sample = Date(timeIntervalSince1970: 1_790_000_000)
}

extension TransactionPayload {
    package static func sample() -> TransactionPayload {
        TransactionPayload(
            transactionID: "7", originalTransactionID: "7", bundleIdentifier: "com.example.app",
            productIdentifier: "com.example.app.coins", purchaseDate: .sample, originalPurchaseDate: .sample,
            quantity: 2, type: .consumable, environment: .sandbox, signedDate: .sample, storefront: "USA",
            price: 990, currency: "USD")
    }
}

extension Verification {
    package var value: Value? {
        if case .verified(let value) = self { value } else { nil }
    }

    /// Reason why the verification is undetermined; `nil` for another result.
    package var reason: String? {
        if case .undetermined(let reason) = self { reason } else { nil }
    }

    /// Codes of the reasons for the rejection; empty for another result.
    package var codes: [RejectionReason.Code] {
        if case .rejected(let reasons) = self { reasons.map(\.code) } else { [] }
    }
}
