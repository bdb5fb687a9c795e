/// Type of app receipt that a test store issues on request, as Apple's
/// [SKReceiptRefreshRequest](https://developer.apple.com/documentation/storekit/skreceiptrefreshrequest) offers it.
public struct ReceiptRequest: Sendable, Hashable {
    /// `true` for an expired receipt.
    public var isExpired: Bool
    /// `true` for a receipt whose app was revoked by the buyer who had bought it for the customer.
    public var isRevoked: Bool
    /// `true` for an app that was bought for the customer in the Volume Purchase Program.
    public var isVolumePurchase: Bool

    public init(isExpired: Bool = false, isRevoked: Bool = false, isVolumePurchase: Bool = false) {
        self.isExpired = isExpired
        self.isRevoked = isRevoked
        self.isVolumePurchase = isVolumePurchase
    }
}
