/// Legacy library for in-app purchases, from which a customer's purchases can be imported.
public enum Predecessor: String, Sendable, Hashable, Codable, CaseIterable {
    /// [VTAInAppPurchases](https://github.com/SimonFairbairn/VTAInAppPurchases).
    case vtaInAppPurchases
    /// [MKStoreKit](https://github.com/MugunthKumar/MKStoreKit) 6.
    case mkStoreKit
    /// [RMStore](https://github.com/robotmedia/RMStore), with either of the two persistors that come with it.
    case rmStore
    /// [StoreHelper](https://github.com/russell-archer/StoreHelper).
    case storeHelper
}
