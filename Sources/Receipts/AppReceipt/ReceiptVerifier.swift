internal import Crypto
public import Foundation

/// App receipt whose signature, chain, app, environment and device have been checked, with the data that proves it.
public struct SignedAppReceipt: Sendable, Hashable {
    public let receipt: AppReceipt
    /// PKCS#7 container. A receipt has the same bytes, whether it was received raw or as base64.
    public let data: Data
    /// SHA-256 of ``data``, in hexadecimal.
    package let digest: String

    package init(receipt: AppReceipt, data: Data) {
        self.receipt = receipt
        self.data = data
        digest = SHA256.hash(data: data).map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
    }
}

/// Verifier of app receipts.
public protocol ReceiptVerifier: Sendable {
    /// Verifies a receipt in PKCS#7 form, raw or as base64.
    func verify(receipt data: Data) async -> Verification<SignedAppReceipt>

    /// Verifies again a receipt that was verified before and is stored as a proof: checks that the store has signed it
    /// for this app. The device, the app's version and the receipt's expiration, which are evaluated only when a
    /// receipt is new, are not checked again.
    func verify(kept data: Data) async -> Verification<SignedAppReceipt>

    /// Verifies a receipt that another device has stored as a proof, and that was never verified on this device: like a
    /// stored one, and with the confirmation that a new receipt requires (``confirmed(by:)``).
    func verify(moved data: Data) async -> Verification<SignedAppReceipt>
}

extension ReceiptVerifier {
    /// Verifies the receipt like a new one.
    public func verify(kept data: Data) async -> Verification<SignedAppReceipt> { await verify(receipt: data) }

    /// Verifies the receipt like a stored one, without a confirmation.
    public func verify(moved data: Data) async -> Verification<SignedAppReceipt> { await verify(kept: data) }
}
