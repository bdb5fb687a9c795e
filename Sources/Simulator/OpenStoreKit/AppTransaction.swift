internal import VitrineReceipts

/// The store's signed statement about the customer's original purchase of the app.
@available(iOS 16.0, macOS 13.0, tvOS 16.0, watchOS 9.0, visionOS 1.0, *)
public struct AppTransaction: Hashable, Sendable, CustomDebugStringConvertible {
    let payload: AppTransactionPayload
    let jws: UnverifiedJWS

    /// App transaction of the customer.
    ///
    /// - Throws: ``StoreKitError`` if the store cannot be reached, or fails.
    public static var shared: VerificationResult<AppTransaction> {
        get async throws { try await StoreConnection.current.appTransaction(refreshing: false) }
    }

    /// Requests a new app transaction from the store, which asks the customer for a password.
    ///
    /// - Throws: ``StoreKitError``: `userCancelled` if the customer cancels; other cases if the store cannot be
    ///   reached, or fails.
    public static func refresh() async throws -> VerificationResult<AppTransaction> {
        try await StoreConnection.current.appTransaction(refreshing: true)
    }

    /// Identifier of the app in the App Store; `nil` outside production.
    public var appID: UInt64? { payload.appIdentifier.flatMap { UInt64(exactly: $0) } }

    /// Version of the app.
    public var appVersion: String { payload.applicationVersion }

    /// Identifier of the app's version in the App Store; `nil` outside production.
    public var appVersionID: UInt64? { payload.versionExternalIdentifier.flatMap { UInt64(exactly: $0) } }

    public var bundleID: String { payload.bundleIdentifier }

    /// Version of the app that the customer first installed.
    public var originalAppVersion: String { payload.originalApplicationVersion }

    public var originalPurchaseDate: Date { payload.originalPurchaseDate }

    /// Date at which the customer ordered the app before its release; `nil` if they did not.
    public var preorderDate: Date? { payload.preorderDate }

    public var environment: AppStore.Environment { AppStore.Environment(rawValue: payload.environment.rawValue) }

    public var signedDate: Date { payload.signedDate }

    /// Hash that binds the app transaction to a device, computed from ``deviceVerificationNonce`` and
    /// ``AppStore/deviceVerificationID``.
    public var deviceVerification: Data { payload.deviceVerification.flatMap { Data(base64Encoded: $0) } ?? Data() }

    public var deviceVerificationNonce: UUID { payload.deviceVerificationNonce.flatMap(UUID.init) ?? .zero }

    /// JSON payload that the store has signed.
    public var jsonRepresentation: Data { jws.payload }

    public var debugDescription: String { String(decoding: jws.payload, as: UTF8.self) }

    /// Identifier that is unique to the customer's store account and the app.
    public var appTransactionID: String { payload.appTransactionID ?? "" }

    /// Platform of the original purchase; iOS if the store does not name it.
    @available(iOS 18.4, macOS 15.4, tvOS 18.4, watchOS 11.4, visionOS 2.4, *)
    public var originalPlatform: AppStore.Platform { AppStore.Platform(rawValue: payload.originalPlatform ?? "iOS") }

    @available(iOS, introduced: 16.0, deprecated: 18.4, renamed: "originalPlatform.rawValue")
    @available(macOS, introduced: 13.0, deprecated: 15.4, renamed: "originalPlatform.rawValue")
    @available(tvOS, introduced: 16.0, deprecated: 18.4, renamed: "originalPlatform.rawValue")
    @available(watchOS, introduced: 9.0, deprecated: 11.4, renamed: "originalPlatform.rawValue")
    @available(visionOS, introduced: 1.0, deprecated: 2.4, renamed: "originalPlatform.rawValue")
    public var originalPlatformStringRepresentation: String { payload.originalPlatform ?? "iOS" }

    /// Date at which the store revoked the app; always `nil` in a simulated store, which revokes no app.
    public var revocationDate: Date? { nil }

    public static func == (left: AppTransaction, right: AppTransaction) -> Bool { left.jws == right.jws }

    public func hash(into hasher: inout Hasher) { hasher.combine(jws) }
}
