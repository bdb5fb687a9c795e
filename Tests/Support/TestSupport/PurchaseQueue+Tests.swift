package import VitrineEntitlements
package import VitrinePurchasing
package import VitrineReceipts

extension PurchaseQueue {
    package func purchase(_ identifier: String, quantity: Int) async -> PurchaseAnswer {
        await purchase(identifier, options: PurchaseOptions(quantity: quantity))
    }

    /// Records the purchases and revocations in a receipt.
    package func record(_ receipt: SignedAppReceipt) async throws(LedgerError) -> [UnrecordedPurchase] {
        try await record(receipt, includingPurchases: true)
    }
}
