public import Foundation

/// What is signed for a promotional offer, in the form that StoreKit takes with a nonce and a timestamp: see Apple's
/// [Generating a signature for promotional offers](https://developer.apple.com/documentation/storekit/generating-a-signature-for-promotional-offers).
public struct PromotionalOfferPayload: Sendable, Hashable {
    public var bundleIdentifier: String
    public var productIdentifier: String
    /// What App Store Connect calls the offer.
    public var offerIdentifier: String
    /// What the app gives with the purchase as its account; empty for none. Its case does not count.
    public var account: String
    /// Made anew for each signature.
    public var nonce: UUID
    /// When it is signed, in milliseconds since 1970.
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

    /// Whether the customer can still take it: for 24 hours after it was signed.
    public func isActive(at date: Date) -> Bool {
        let signed = Double(timestamp) / 1_000
        return (signed..<signed + 86_400).contains(date.timeIntervalSince1970)
    }

    private static let separator = "\u{2063}"

    /// The bytes that are signed.
    ///
    /// - Throws: ``OfferError`` where a field holds what separates the fields: it would be the signature of others, too.
    func message(keyIdentifier: String) throws(OfferError) -> Data {
        let fields = [
            bundleIdentifier, keyIdentifier, productIdentifier, offerIdentifier, account.lowercased(),
            nonce.uuidString.lowercased(), String(timestamp),
        ]
        guard !fields.contains(where: { $0.unicodeScalars.contains("\u{2063}") }) else {
            throw OfferError(reason: "a field holds the character U+2063, which separates the fields")
        }
        return Data(fields.joined(separator: Self.separator).utf8)
    }
}
