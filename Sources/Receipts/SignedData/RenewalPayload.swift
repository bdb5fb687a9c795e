public import Foundation

/// What the store signs about the renewal of a subscription: the payload of a `JWSRenewalInfo`, in the fields of Apple's
/// [JWSRenewalInfoDecodedPayload](https://developer.apple.com/documentation/appstoreserverapi/jwsrenewalinfodecodedpayload).
public struct RenewalPayload: Sendable, Hashable, Codable {
    public var originalTransactionID: String
    /// The product that is subscribed to.
    public var productIdentifier: String
    /// Until when a subscription that could not be charged for is given all the same; `nil` where there is no such grace.
    public var gracePeriodExpiresDate: Date?
    public var environment: StoreEnvironment
    /// When the store signed this data.
    public var signedDate: Date

    package init(
        originalTransactionID: String, productIdentifier: String, gracePeriodExpiresDate: Date?,
        environment: StoreEnvironment, signedDate: Date
    ) {
        self.originalTransactionID = originalTransactionID
        self.productIdentifier = productIdentifier
        self.gracePeriodExpiresDate = gracePeriodExpiresDate
        self.environment = environment
        self.signedDate = signedDate
    }

    private enum CodingKeys: String, CodingKey {
        case originalTransactionID = "originalTransactionId"
        case productIdentifier = "productId"
        case gracePeriodExpiresDate, environment, signedDate
    }
}

extension RenewalPayload: SignedPayload {
    static let name = "a renewal"

    /// The store does not name the app in it: it is the renewal of a transaction that does.
    var app: String? { nil }

    var isComplete: Bool { !originalTransactionID.isEmpty }

    var dates: [Date] { [signedDate] + (gracePeriodExpiresDate.map { [$0] } ?? []) }
}

/// What the store says about a renewal, whose signature, chain and environment have been checked.
public struct SignedRenewal: Sendable, Hashable {
    public let payload: RenewalPayload
    /// The compact JWS as it was received.
    public let signedData: String
}
