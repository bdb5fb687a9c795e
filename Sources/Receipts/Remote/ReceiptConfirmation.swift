internal import Foundation

/// Somebody who is asked about app receipts that were verified on the device already.
public protocol ReceiptConfirmation: Sendable {
    /// Asks about a receipt.
    func confirm(_ receipt: SignedAppReceipt) async -> Verification<SignedAppReceipt>
}

extension ReceiptVerifier {
    /// The same, where somebody else has to agree: a receipt is verified if both say so. What this verifier does not
    /// verify the other is not asked about.
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

    /// That it was confirmed when it came in is not asked again.
    func verify(kept data: Data) async -> Verification<SignedAppReceipt> { await base.verify(kept: data) }

    func verify(moved data: Data) async -> Verification<SignedAppReceipt> {
        await confirmed(base.verify(moved: data))
    }

    private func confirmed(_ verification: Verification<SignedAppReceipt>) async -> Verification<SignedAppReceipt> {
        guard case .verified(let receipt) = verification else { return verification }
        return await confirmation.confirm(receipt)
    }
}
