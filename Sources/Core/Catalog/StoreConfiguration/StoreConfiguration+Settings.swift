extension StoreConfiguration {
    /// Settings of a test store. A setting that is missing in the file, or has an unknown value, has Xcode's default.
    ///
    /// Xcode writes rates for its earlier versions under the key `_compatibilityTimeRate`, which is not read.
    public struct Settings: Sendable, Equatable {
        /// Renewal rate of subscriptions, as a raw value of StoreKitTest's `SKTestSession.TimeRate`; 0 for
        /// real time.
        public let timeRate: Int
        /// Indicates that subscriptions whose renewal cannot be charged have a grace period.
        public let isGracePeriodEnabled: Bool
        /// Indicates that the test store cannot charge renewals of subscriptions.
        public let hasBillingIssuesOnRenewal: Bool
        /// Indicates that purchases in the test store wait for approval (Ask to Buy).
        public let isAskToBuyEnabled: Bool
        /// Indicates that purchases in the test store fail.
        public let failsTransactions: Bool
        /// Calls of StoreKit that fail in the test store.
        public let failingCalls: Set<StoreKitCall>
    }

    /// Call of StoreKit that a test store can let fail, with its name in the file.
    public enum StoreKitCall: String, Sendable, Hashable, CaseIterable {
        case loadProducts = "Load Products"
        case purchase = "Purchase"
        case verification = "Verification"
        case appStoreSync = "App Store Sync"
        case subscriptionStatus = "Subscription Status"
        case appTransaction = "App Transaction"
        case manageSubscriptionsSheet = "Manage Subscriptions Sheet"
        case refundRequestSheet = "Refund Request Sheet"
        case offerCodeRedeemSheet = "Offer Code Redeem Sheet"
    }

    /// Key pair with which an app's server signs promotional offers for the test store. The description omits the
    /// private key.
    package struct OffersKeyPair: Sendable, CustomStringConvertible, CustomReflectable {
        package let id: String
        /// Private key in the form of PKCS #8, in Base64.
        package let privateKey: String

        package var description: String { "key pair \(id.quoted)" }

        package var customMirror: Mirror { Mirror(self, children: ["id": id]) }
    }

    /// Raw values of StoreKitTest's `SKTestSession.TimeRate`.
    package static let timeRates = Set([0, 1, 2, 3, 4, 5, 6, 10, 11, 12, 13, 15] + Array(1_000...1_005))
}

// MARK: - Reading

extension StoreConfiguration.Settings {
    init(_ settings: ConfigurationObject, _ omissions: inout Omissions) {
        let rate = settings.integer("_timeRate", &omissions) ?? 0
        let isKnown = StoreConfiguration.timeRates.contains(rate)
        if !isKnown { omissions.add(.value, "settings._timeRate is ignored: the rate \(rate) is unknown") }
        timeRate = isKnown ? rate : 0
        isGracePeriodEnabled = settings.flag("_billingGracePeriodEnabled", &omissions) ?? false
        hasBillingIssuesOnRenewal = settings.flag("_renewalBillingIssuesEnabled", &omissions) ?? false
        isAskToBuyEnabled = settings.flag("_askToBuyEnabled", &omissions) ?? false
        failsTransactions = settings.flag("_failTransactionsEnabled", &omissions) ?? false
        var calls: Set<StoreConfiguration.StoreKitCall> = []
        for error in settings.objects("_storeKitErrors", &omissions) {
            guard error.flag("enabled", &omissions) == true else { continue }
            let name = error.text("name", &omissions) ?? ""
            if let call = StoreConfiguration.StoreKitCall(rawValue: name) {
                calls.insert(call)
                if error.has("current") {
                    omissions.add(.value, "\(error.path).current is ignored: the call fails with a general error")
                }
            } else {
                omissions.add(.value, "\(error.path) is ignored: the name \(name.quoted) is unknown")
            }
        }
        failingCalls = calls
    }
}

extension StoreConfiguration.OffersKeyPair {
    /// Reads the key pair. The result is `nil` if the file has no key pair, or a part of it is missing.
    init?(_ root: ConfigurationObject, _ omissions: inout Omissions) {
        guard root.has("subscriptionOffersKeyPair") else { return nil }
        let pair = root.object("subscriptionOffersKeyPair", &omissions)
        guard let id = pair.text("id", &omissions), let privateKey = pair.text("privateKey", &omissions) else {
            omissions.add(.value, "\(pair.path) is ignored: it needs an id and a privateKey")
            return nil
        }
        self.init(id: id, privateKey: privateKey)
    }
}
