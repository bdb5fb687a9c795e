import Testing
import VitrineReceipts
import VitrineStoreSimulator

/// Notifications about random actions.
@Suite struct NotificationLifeTests {
    @Test(arguments: 1...12)
    func `random store events create only notifications of documented types that match the state of the purchase`(
        seed: UInt64
    ) async throws {
        let environment: StoreEnvironment = seed.isMultiple(of: 2) ? .sandbox : .production
        var life = try await NotificationLife(seed: seed, environment)
        try await life.live(150)
        let made = try await life.store.notifications()
        let verifier = SignedDataVerifier(
            roots: try TrustedRoots(pem: life.store.rootCertificate), bundleIdentifier: ServedStore.bundle,
            appIdentifier: environment == .production ? ServedStore.app : nil, environment: environment)

        #expect(made.count > 30)
        #expect(Set(made.map(\.identifier)).count == made.count)
        #expect(made.map(\.date) == made.map(\.date).sorted())
        for notification in made {
            let received = try await ReceivedNotification(notification.signedPayload, verifier, in: environment)
            #expect(received.row == NotificationRow.id(notification.type, notification.subtype))
            #expect(hasState(received), "\(NotificationFacts(received, names: [:]))")
        }
    }

    /// Returns `true` if the state in a notification is possible for its type. A family member can begin to share a
    /// subscription in any running state.
    private func hasState(_ received: ReceivedNotification) -> Bool {
        let (transaction, renewal) = (received.transaction, received.renewal)
        let status = received.payload.data?.status
        let isOn = renewal?.autoRenewStatus == .on
        let isShared = transaction?.ownershipType == .familyShared
        let isValid = transaction?.revocationDate == nil && transaction?.isUpgraded == nil
        let isActive = status == .active && renewal?.expirationIntent == nil && isValid
        let isRenewal = transaction?.reason == .renewal
        let isRetrying = renewal?.isInBillingRetryPeriod == true && renewal?.expirationIntent == .billingError
        let hasGrace = renewal?.gracePeriodExpiresDate != nil
        return switch received.row {
        case "SUBSCRIBED/INITIAL_BUY", "SUBSCRIBED/RESUBSCRIBE": isShared && isValid || isActive && isOn && !isRenewal
        case "DID_RENEW": isActive && isOn && isRenewal
        case "DID_RENEW/BILLING_RECOVERY": isActive && isRenewal
        case "DID_CHANGE_RENEWAL_PREF/UPGRADE", "OFFER_REDEEMED/UPGRADE": isActive && isOn && !isRenewal
        case "DID_CHANGE_RENEWAL_PREF", "DID_CHANGE_RENEWAL_PREF/DOWNGRADE", "OFFER_REDEEMED",
            "OFFER_REDEEMED/DOWNGRADE", "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_ENABLED":
            isOn && isValid
        case "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED": !isOn && isValid
        case "DID_FAIL_TO_RENEW", "GRACE_PERIOD_EXPIRED": status == .billingRetry && isRetrying && !hasGrace && isValid
        case "DID_FAIL_TO_RENEW/GRACE_PERIOD": status == .billingGracePeriod && isRetrying && hasGrace && isValid
        case let row where row == "EXPIRED" || row.hasPrefix("EXPIRED/"): status == .expired && !isOn && isValid
        case "REFUND": transaction?.revocationDate == received.payload.signedDate && !isShared
        case "REVOKE": transaction?.revocationType == .family && isShared
        default: transaction?.revocationDate == nil
        }
    }
}
