internal import Crypto
public import Foundation

/// An app receipt whose signature, chain, app, environment and device have been checked, with the data that proves it.
public struct SignedAppReceipt: Sendable, Hashable {
    public let receipt: AppReceipt
    /// The PKCS#7 container as it was received: one receipt has the same bytes, whether it came raw or as base64.
    public let data: Data
    /// SHA-256 of ``data``, in hexadecimal.
    package let digest: String

    package init(receipt: AppReceipt, data: Data) {
        self.receipt = receipt
        self.data = data
        digest = SHA256.hash(data: data).map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
    }
}

/// Tells whether an app receipt can be trusted.
public protocol ReceiptVerifier: Sendable {
    /// Checks a receipt in PKCS#7 form, raw or as base64.
    func verify(receipt data: Data) async -> Verification<SignedAppReceipt>

    /// Checks a receipt again that was verified before and is kept as a proof: that the store has signed it for this app.
    /// What held only then, the device, the app's version and how long the receipt was good, is not asked again.
    func verify(kept data: Data) async -> Verification<SignedAppReceipt>

    /// Checks a receipt that another device has kept as a proof, and that was never looked at here: as a kept one, and
    /// whoever else has to agree to a new one (``confirmed(by:)``) has to agree to it.
    func verify(moved data: Data) async -> Verification<SignedAppReceipt>
}

extension ReceiptVerifier {
    /// Checks it like a new one.
    public func verify(kept data: Data) async -> Verification<SignedAppReceipt> { await verify(receipt: data) }

    /// Checks it like a kept one: nobody else has to agree.
    public func verify(moved data: Data) async -> Verification<SignedAppReceipt> { await verify(kept: data) }
}
