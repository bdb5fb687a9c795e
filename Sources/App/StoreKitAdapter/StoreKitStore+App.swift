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

    public var deviceVerificationID: UUID? { AppStore.deviceVerificationID }

    /// Requests a new app transaction if StoreKit has no verified one. It is called only after the customer has signed
    /// in, because StoreKit asks for a sign-in.
    func refreshAppTransactionIfNeeded() async {
        await uncancelled {
            if case .verified? = try? await AppTransaction.shared { return }
            // The error is ignored, because the verifier reports why there is no app transaction.
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
