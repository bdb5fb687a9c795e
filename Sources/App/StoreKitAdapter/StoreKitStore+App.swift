public import Foundation
internal import OpenStoreKitShim
internal import VitrineFileSystem
public import VitrinePurchasing
internal import VitrineReceipts
public import VitrineSupport

extension StoreKitStore {
    public func appTransaction() async throws(StoreError) -> String? {
        switch try await uncancelled({ try await AppTransaction.shared }).getOrStoreError() {
        case .verified(let transaction): return VerificationResult.verified(transaction).jwsRepresentation
        case .unverified(_, let error):
            throw StoreError(
                code: .unavailable,
                reason: "StoreKit could not verify the app transaction: \(RejectionReason(error).reason)"
            )
        }
    }

    /// Requests the app transaction anew if there is none that StoreKit verifies. StoreKit asks the customer to sign in, which
    /// they have just done.
    func refreshAppTransactionIfNeeded() async {
        await uncancelled {
            if case .verified? = try? await AppTransaction.shared { return }
            // If that fails too, the verifier gives the reason.
            _ = try? await AppTransaction.refresh()
        }
    }

    public func appReceipt() async throws(StoreError) -> Data? {
        guard let receiptFile, !BoundedFile.isMissingOrEmpty(receiptFile) else { return nil }
        let receipt: Data
        do {
            receipt = try BoundedFile.read(receiptFile, limit: Self.maximumReceiptSize)
        } catch {
            throw StoreError(code: .storage, reason: "the app receipt cannot be read: \(error.reason)")
        }
        guard receipt.count <= Self.maximumReceiptSize else {
            throw StoreError(code: .storage, reason: "the app receipt is larger than 16 MiB")
        }
        return receipt
    }

    /// Maximum size of an app receipt, in bytes.
    private static let maximumReceiptSize = 16 << 20
}
