package import Foundation
package import VitrineReceipts

/// App whose signed data a test makes itself, with a signing identity of its own.
package struct SignedApp: Sendable {
    package static let bundleIdentifier = "com.example.voyager"
    package static let environment = StoreEnvironment.sandbox

    package let identity: SigningIdentity

    package init() throws { identity = try SigningIdentity(commonName: "Test Store", around: .sample) }

    package func verifier(now: @escaping @Sendable () -> Date = { .sample }) throws -> SignedDataVerifier {
        SignedDataVerifier(
            roots: try TrustedRoots(pem: identity.rootPEM), bundleIdentifier: Self.bundleIdentifier,
            environment: Self.environment, now: now)
    }

    /// Returns the signed app transaction of a store account.
    ///
    /// - Parameter device: Identifier of the device for which it is signed; `nil` for one that a server receives.
    package func appTransaction(
        of account: String?, version: String = "300", bought: Date = .sample - 86_400, signed: Date = .sample,
        bundle: String = Self.bundleIdentifier, boundTo device: UUID? = nil
    ) throws -> String {
        var payload = AppTransactionPayload(
            bundleIdentifier: bundle, applicationVersion: "300", originalApplicationVersion: version,
            originalPurchaseDate: bought, originalPlatform: "iOS", environment: Self.environment,
            signedDate: signed)
        payload.appTransactionID = account
        if let device {
            (payload.deviceVerificationNonce, payload.deviceVerification) = Self.verification(of: device)
        }
        return try identity.sign(payload)
    }

    /// Returns a nonce and the value that binds signed data to a device.
    package static func verification(of device: UUID) -> (nonce: String, value: String) {
        let nonce = UUID()
        let value = DeviceVerification.value(nonce: nonce, device: device)
        return (nonce.uuidString.lowercased(), value.base64EncodedString())
    }

    /// Returns the signed transaction of a purchase, which a closure may change.
    package func transaction(
        _ product: String, id: String, account: String? = nil, kind: SignedProductKind = .nonConsumable,
        signed: Date = .sample, _ change: (inout TransactionPayload) -> Void = { _ in }
    ) throws -> String {
        try identity.sign(
            payload(product, id: id, account: account, kind: kind, signed: signed, change))
    }

    package func payload(
        _ product: String, id: String, account: String? = nil, kind: SignedProductKind = .nonConsumable,
        signed: Date = .sample, _ change: (inout TransactionPayload) -> Void = { _ in }
    ) -> TransactionPayload {
        var payload = TransactionPayload(
            transactionID: id, originalTransactionID: id, bundleIdentifier: Self.bundleIdentifier,
            productIdentifier: .voyager(product), purchaseDate: .sample - 3_600, originalPurchaseDate: .sample - 3_600,
            quantity: 1, type: kind, environment: Self.environment, signedDate: signed, storefront: "USA",
            price: 990, currency: "USD")
        payload.appTransactionID = account
        change(&payload)
        return payload
    }

    /// Returns a signed notification about a transaction, and the renewal of its subscription.
    package func notification(
        _ type: NotificationType, id: String, transaction: String?, renewal: String? = nil, signed: Date = .sample
    ) throws -> String {
        var data = NotificationPayload.PurchaseSubject(
            appIdentifier: nil, bundleIdentifier: Self.bundleIdentifier, environment: Self.environment)
        (data.signedTransaction, data.signedRenewal) = (transaction, renewal)
        return try identity.sign(NotificationPayload(type, id: id, signedDate: signed, data: data))
    }
}

extension TransactionPayload {
    /// Binds the data to a device, as the store does for data that it signs on the device.
    package mutating func bind(to device: UUID) {
        (deviceVerificationNonce, deviceVerification) = SignedApp.verification(of: device)
    }
}
