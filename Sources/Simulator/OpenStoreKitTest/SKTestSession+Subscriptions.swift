internal import OpenStoreKit
internal import VitrineCatalog
internal import VitrineStoreSimulator

/// Control of the customer's subscriptions.
extension SKTestSession {
    /// Speed at which subscriptions renew. The raw values are Apple's.
    public enum TimeRate: Int, Sendable, Hashable {
        case realTime = 0
        case oneHourIsOneDay = 1
        case thirtyMinutesIsOneDay = 2
        case fiveMinutesIsOneDay = 3
        case oneMinuteIsOneDay = 4
        case thirtySecondsIsOneDay = 5
        case oneSecondIsOneDay = 6
        @available(iOS 15.2, macOS 12.1, tvOS 15.2, watchOS 8.3, visionOS 1.0, *)
        case monthlyRenewalEveryHour = 10
        @available(iOS 15.2, macOS 12.1, tvOS 15.2, watchOS 8.3, visionOS 1.0, *)
        case monthlyRenewalEveryThirtyMinutes = 11
        @available(iOS 15.2, macOS 12.1, tvOS 15.2, watchOS 8.3, visionOS 1.0, *)
        case monthlyRenewalEveryFifteenMinutes = 12
        @available(iOS 15.2, macOS 12.1, tvOS 15.2, watchOS 8.3, visionOS 1.0, *)
        case monthlyRenewalEveryFiveMinutes = 13
        @available(iOS 15.2, macOS 12.1, tvOS 15.2, watchOS 8.3, visionOS 1.0, *)
        case monthlyRenewalEveryThirtySeconds = 15
        @available(iOS 16.4, macOS 13.3, tvOS 16.4, watchOS 9.4, visionOS 1.0, *)
        case oneRenewalEveryFifteenMinutes = 1_000
        @available(iOS 16.4, macOS 13.3, tvOS 16.4, watchOS 9.4, visionOS 1.0, *)
        case oneRenewalEveryFiveMinutes = 1_001
        @available(iOS 16.4, macOS 13.3, tvOS 16.4, watchOS 9.4, visionOS 1.0, *)
        case oneRenewalEveryMinute = 1_002
        @available(iOS 16.4, macOS 13.3, tvOS 16.4, watchOS 9.4, visionOS 1.0, *)
        case oneRenewalEveryThirtySeconds = 1_003
        @available(iOS 16.4, macOS 13.3, tvOS 16.4, watchOS 9.4, visionOS 1.0, *)
        case oneRenewalEveryTenSeconds = 1_004
        @available(iOS 16.4, macOS 13.3, tvOS 16.4, watchOS 9.4, visionOS 1.0, *)
        case oneRenewalEveryTwoSeconds = 1_005
    }

    /// Speed at which subscriptions renew, for all periods that begin from now on.
    public var timeRate: TimeRate {
        get { mustCall { TimeRate(rawValue: try await $0.timeRate.rawValue) ?? .realTime } }
        set {
            guard let rate = VitrineStoreSimulator.TimeRate(rawValue: newValue.rawValue) else { return }
            mustCall { try await $0.setTimeRate(rate) }
        }
    }

    /// Ends the customer's subscription now.
    ///
    /// - Throws: ``SKTestError``: `invalidProductIdentifier`; `noSubscriptionFound` if no subscription to the product
    ///   runs.
    public func expireSubscription(productIdentifier: String) throws {
        try call { try await $0.expire(productIdentifier) }
    }

    /// Ends the period of the customer's subscription now, and begins the next one. The renewal of the subscription is
    /// turned on, and a price increase that waits for consent is removed.
    ///
    /// - Throws: ``SKTestError``: `invalidProductIdentifier`; `noSubscriptionFound` if no subscription to the product
    ///   runs.
    public func forceRenewalOfSubscription(productIdentifier: String) throws {
        _ = try call { try await $0.renew(productIdentifier) }
    }

    /// Turns the renewal of a subscription on.
    ///
    /// - Throws: ``SKTestError``: `noTransactionFound`; `noSubscriptionFound` if the subscription has ended.
    public func enableAutoRenewForTransaction(identifier: UInt) throws {
        try changeSubscription(ofTransaction: identifier) { try await $0.setRenewal(true, of: $1) }
    }

    /// Turns the renewal of a subscription off.
    ///
    /// - Throws: ``SKTestError``: `noTransactionFound`; `noSubscriptionFound` if the subscription has ended.
    public func disableAutoRenewForTransaction(identifier: UInt) throws {
        try changeSubscription(ofTransaction: identifier) { try await $0.setRenewal(false, of: $1) }
    }

    // MARK: Billing

    /// `true` if the simulated store grants a grace period after a failed renewal of a subscription.
    @available(iOS 15.4, macOS 12.3, tvOS 15.4, watchOS 8.5, visionOS 1.0, *)
    public var billingGracePeriodIsEnabled: Bool {
        get { mustCall { try await $0.behavior.hasGracePeriod } }
        set { mustCall { try await $0.setGracePeriod(newValue) } }
    }

    /// Indicates that the store cannot charge for any renewal.
    @available(iOS 15.4, macOS 12.3, tvOS 15.4, watchOS 8.5, visionOS 1.0, *)
    public var shouldEnterBillingRetryOnRenewal: Bool {
        get { mustCall { try await $0.behavior.isBillingFailing } }
        set { mustCall { try await $0.setBillingFailing(newValue) } }
    }

    // MARK: Price increases

    /// Starts a price increase of a subscription that needs the customer's consent. The app receives a `Message`.
    ///
    /// - Throws: ``SKTestError``: `noTransactionFound`; `noSubscriptionFound` if the subscription has ended.
    @available(iOS 15.4, macOS 12.3, tvOS 15.4, watchOS 8.5, visionOS 1.0, *)
    public func requestPriceIncreaseConsentForTransaction(identifier: UInt) throws {
        try changeSubscription(ofTransaction: identifier) { try await $0.requestConsentToPriceIncrease(of: $1) }
        forEachConnection { $0.requestPriceIncreaseConsent() }
    }

    /// Consents to a price increase on behalf of the customer.
    ///
    /// - Throws: ``SKTestError``: `noTransactionFound`; `noSubscriptionFound` if no price increase waits for consent.
    @available(iOS 15.4, macOS 12.3, tvOS 15.4, watchOS 8.5, visionOS 1.0, *)
    public func consentToPriceIncreaseForTransaction(identifier: UInt) throws {
        try changeSubscription(ofTransaction: identifier) { try await $0.consentToPriceIncrease(true, of: $1) }
    }

    /// Declines a price increase on behalf of the customer, which also turns the renewal off.
    ///
    /// - Throws: ``SKTestError``: `noTransactionFound`; `noSubscriptionFound` if no price increase waits for consent.
    @available(iOS 15.4, macOS 12.3, tvOS 15.4, watchOS 8.5, visionOS 1.0, *)
    public func declinePriceIncreaseForTransaction(identifier: UInt) throws {
        try changeSubscription(ofTransaction: identifier) { try await $0.consentToPriceIncrease(false, of: $1) }
    }

    private func changeSubscription(
        ofTransaction identifier: UInt, _ change: @escaping @Sendable (SimulatedStore, String) async throws -> Void
    ) throws {
        try call { store in
            guard let transaction = try await store.transactions().first(where: { $0.id == String(identifier) }) else {
                throw SKTestError(.noTransactionFound)
            }
            guard transaction.kind == .autoRenewableSubscription else { throw SKTestError(.invalidProductType) }
            try await change(store, transaction.productIdentifier)
        }
    }
}

// The compiler does not synthesize the conformance, because some cases are newer than the type.
extension SKTestSession.TimeRate: CaseIterable {
    public static let allCases = VitrineStoreSimulator.TimeRate.allCases.compactMap {
        SKTestSession.TimeRate(rawValue: $0.rawValue)
    }
}
