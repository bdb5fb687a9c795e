/// What kind of app receipt a store for tests is to issue, as Apple's
/// [SKReceiptRefreshRequest](https://developer.apple.com/documentation/storekit/skreceiptrefreshrequest) can ask for.
public struct ReceiptRequest: Sendable, Hashable {
    /// The receipt is no longer good.
    public var isExpired: Bool
    /// Whoever had bought the app for the customer has taken it back.
    public var isRevoked: Bool
    /// Somebody has bought the app for the customer, in the Volume Purchase Program.
    public var isVolumePurchase: Bool

    public init(isExpired: Bool = false, isRevoked: Bool = false, isVolumePurchase: Bool = false) {
        self.isExpired = isExpired
        self.isRevoked = isRevoked
        self.isVolumePurchase = isVolumePurchase
    }
}
