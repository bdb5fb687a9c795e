internal import Foundation

/// Service that confirms app receipts that were already verified on the device.
public protocol ReceiptConfirmation: Sendable {
    /// Asks the service about a receipt.
    func confirm(_ receipt: SignedAppReceipt) async -> Verification<SignedAppReceipt>
}

extension ReceiptVerifier {
    /// Returns a verifier that accepts a receipt only if both this verifier and the confirmation accept it. Receipts
    /// that this verifier does not accept are not sent to the confirmation.
    public func confirmed(by confirmation: any ReceiptConfirmation) -> any ReceiptVerifier {
        ConfirmedReceiptVerifier(base: self, confirmation: confirmation)
    }
}

private struct ConfirmedReceiptVerifier: ReceiptVerifier {
    let base: any ReceiptVerifier
    let confirmation: any ReceiptConfirmation

    func verify(receipt data: Data) async -> Verification<SignedAppReceipt> {
        await confirmed(base.verify(receipt: data))
    }

    /// Verifies a stored receipt without the confirmation, which was obtained when the receipt was received.
    func verify(kept data: Data) async -> Verification<SignedAppReceipt> { await base.verify(kept: data) }

    func verify(moved data: Data) async -> Verification<SignedAppReceipt> {
        await confirmed(base.verify(moved: data))
    }

    private func confirmed(_ verification: Verification<SignedAppReceipt>) async -> Verification<SignedAppReceipt> {
        guard case .verified(let receipt) = verification else { return verification }
        return await confirmation.confirm(receipt)
    }
}
