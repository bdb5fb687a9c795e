public import Foundation

/// An app receipt whose signature, chain, app, environment and device have been checked, with the data that proves it.
public struct SignedAppReceipt: Sendable, Hashable {
    public let receipt: AppReceipt
    /// The receipt as it was received.
    public let data: Data

    package init(receipt: AppReceipt, data: Data) {
        self.receipt = receipt
        self.data = data
    }
}

/// Tells whether an app receipt can be trusted.
public protocol ReceiptVerifier: Sendable {
    /// Checks a receipt in PKCS#7 form, raw or as base64.
    func verify(receipt data: Data) async -> Verification<SignedAppReceipt>
}
