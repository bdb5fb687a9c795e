public import Foundation

/// Signed fields of a promotional offer, in the format that StoreKit accepts with a nonce and a timestamp: see Apple's
/// [Generating a signature for promotional offers](https://developer.apple.com/documentation/storekit/generating-a-signature-for-promotional-offers).
public struct PromotionalOfferPayload: Sendable, Hashable {
    public var bundleIdentifier: String
    public var productIdentifier: String
    /// Identifier of the offer in App Store Connect.
    public var offerIdentifier: String
    /// Account that the app passes with the purchase; empty for none. Its case is ignored.
    public var account: String
    /// Unique value, created for each signature.
    public var nonce: UUID
    /// Time of the signature, in milliseconds since 1970.
    public var timestamp: Int64

    public init(
        bundleIdentifier: String, productIdentifier: String, offerIdentifier: String, account: String, nonce: UUID,
        timestamp: Int64
    ) {
        self.bundleIdentifier = bundleIdentifier
        self.productIdentifier = productIdentifier
        self.offerIdentifier = offerIdentifier
        self.account = account
        self.nonce = nonce
        self.timestamp = timestamp
    }

    /// Returns `true` if the customer can use the offer at a date: for 24 hours after it was signed.
    public func isActive(at date: Date) -> Bool {
        let signed = Double(timestamp) / 1_000
        return (signed..<signed + 86_400).contains(date.timeIntervalSince1970)
    }

    private static let separator = "\u{2063}"

    /// Returns the bytes that are signed.
    ///
    /// - Throws: ``SignedDataError`` if a field contains the field separator: the signature would match other fields, too.
    func message(keyIdentifier: String) throws(SignedDataError) -> Data {
        let fields = [
            bundleIdentifier, keyIdentifier, productIdentifier, offerIdentifier, account.lowercased(),
            nonce.uuidString.lowercased(), String(timestamp),
        ]
        guard !fields.contains(where: { $0.unicodeScalars.contains("\u{2063}") }) else {
            throw SignedDataError(code: .offer, reason: "a field contains the field separator U+2063")
        }
        return Data(fields.joined(separator: Self.separator).utf8)
    }
}
