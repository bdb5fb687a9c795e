public import Foundation

/// Request to StoreKit that an app's server signs in compact JWS form: see Apple's
/// [Generating JWS to sign App Store requests](https://developer.apple.com/documentation/storekit/generating-jws-to-sign-app-store-requests).
public struct OfferRequest: Sendable, Hashable {
    /// Action that StoreKit should perform.
    public enum Purpose: Sendable, Hashable {
        /// Permission for a customer to use a promotional offer.
        ///
        /// - Parameter transaction: Identifier of any transaction of the customer, or of their app transaction.
        case promotionalOffer(product: String, offer: String, transaction: String?)
        /// Decision about a customer's eligibility for an introductory offer.
        ///
        /// - Parameter transaction: Identifier of any transaction of the customer, or of their app transaction.
        case introductoryOffer(product: String, isAllowed: Bool, transaction: String)
        /// Request of the Advanced Commerce API.
        ///
        /// - Parameter request: JSON of the request.
        case advancedCommerce(request: Data)
    }

    public var purpose: Purpose
    public var bundleIdentifier: String
    /// Issuer identifier that App Store Connect shows for the app's keys.
    public var issuer: String
    /// Unique value, created for each request.
    public var nonce: UUID
    /// Signing date of the request, to the second.
    public var date: Date

    public init(purpose: Purpose, bundleIdentifier: String, issuer: String, nonce: UUID, date: Date) {
        self.purpose = purpose
        self.bundleIdentifier = bundleIdentifier
        self.issuer = issuer
        self.nonce = nonce
        self.date = date
    }
}

/// Encoded claims of an offer request.
struct OfferClaims: Codable {
    private enum Audience: String, Codable {
        case promotionalOffer = "promotional-offer"
        case introductoryOffer = "introductory-offer-eligibility"
        case advancedCommerce = "advanced-commerce-api"
    }

    private let aud: Audience
    private let bid: String
    private let iss: String
    private let nonce: String
    private let iat: Int64
    private var productId: String?
    private var offerIdentifier: String?
    private var transactionId: String?
    private var allowIntroductoryOffer: Bool?
    private var request: String?

    init(_ request: OfferRequest) throws(SignedDataError) {
        guard let seconds = Int64(exactly: request.date.timeIntervalSince1970.rounded(.down)) else {
            throw SignedDataError(code: .offer, reason: "the date of the offer request is out of range")
        }
        switch request.purpose {
        case .promotionalOffer(let product, let offer, let transaction):
            (aud, productId, offerIdentifier, transactionId) = (.promotionalOffer, product, offer, transaction)
        case .introductoryOffer(let product, let isAllowed, let transaction):
            (aud, productId, transactionId) = (.introductoryOffer, product, transaction)
            allowIntroductoryOffer = isAllowed
        case .advancedCommerce(let json):
            aud = .advancedCommerce
            self.request = json.base64EncodedString()
        }
        (bid, iss, iat) = (request.bundleIdentifier, request.issuer, seconds)
        nonce = request.nonce.uuidString.lowercased()
    }

    /// Request with these claims; `nil` if a claim that the audience requires is missing or invalid.
    var offerRequest: OfferRequest? {
        guard let purpose, let nonce = UUID(uuidString: nonce) else { return nil }
        return OfferRequest(
            purpose: purpose, bundleIdentifier: bid, issuer: iss, nonce: nonce,
            date: Date(timeIntervalSince1970: Double(iat)))
    }

    private var purpose: OfferRequest.Purpose? {
        switch aud {
        case .promotionalOffer:
            guard let productId, let offerIdentifier else { return nil }
            return .promotionalOffer(product: productId, offer: offerIdentifier, transaction: transactionId)
        case .introductoryOffer:
            guard let productId, let allowIntroductoryOffer, let transactionId else { return nil }
            return .introductoryOffer(
                product: productId, isAllowed: allowIntroductoryOffer, transaction: transactionId)
        case .advancedCommerce:
            return request.flatMap { Data(base64Encoded: $0) }.map { .advancedCommerce(request: $0) }
        }
    }
}

/// Signed fields of a promotional offer, in the format that StoreKit accepts with a nonce and a timestamp: see Apple's
/// [Generating a signature for promotional offers](https://developer.apple.com/documentation/storekit/generating-a-signature-for-promotional-offers).
public struct PromotionalOfferPayload: Sendable, Hashable {
    public var bundleIdentifier: String
    public var productIdentifier: String
    /// Identifier of the promotional offer in App Store Connect.
    public var offerIdentifier: String
    /// Account token that the app passes with the purchase; empty for none. Upper and lower case are equivalent.
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

    /// Returns `true` if a date is within 24 hours after the signature. The customer can use the promotional offer only
    /// during this time.
    public func isActive(at date: Date) -> Bool {
        let signed = Double(timestamp) / 1_000
        return (signed..<signed + 86_400).contains(date.timeIntervalSince1970)
    }

    private static let separator = "\u{2063}"

    /// Returns the signed bytes of the promotional offer.
    ///
    /// - Throws: ``SignedDataError`` if a field contains the field separator. The signature would otherwise also match
    ///   other values of the fields.
    func message(keyIdentifier: String) throws(SignedDataError) -> Data {
        let fields = [
            bundleIdentifier, keyIdentifier, productIdentifier, offerIdentifier, account.lowercased(),
            nonce.uuidString.lowercased(), String(timestamp),
        ]
        guard !fields.contains(where: { $0.unicodeScalars.contains("\u{2063}") }) else {
            throw SignedDataError(
                code: .offer, reason: "a field of the promotional offer contains the field separator U+2063")
        }
        return Data(fields.joined(separator: Self.separator).utf8)
    }
}
