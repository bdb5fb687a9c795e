public import Foundation

/// Payload of a `JWSAppTransaction`, in which the store describes the app itself, with the fields of Apple's
/// [JWSAppTransactionDecodedPayload](https://developer.apple.com/documentation/appstoreserverapi/jwsapptransactiondecodedpayload).
public struct AppTransactionPayload: Sendable, Hashable, Codable {
    public var bundleIdentifier: String
    /// Version of the app that requested the app transaction.
    public var applicationVersion: String
    /// App version that the customer first installed. It is the `CFBundleVersion`, or on macOS the
    /// `CFBundleShortVersionString`.
    public var originalApplicationVersion: String
    /// Date of the customer's original purchase of the app; `Date.distantPast` in data that Xcode signs without a date.
    public var originalPurchaseDate: Date
    /// Platform of the original purchase; `nil` in older data.
    public var originalPlatform: String?
    public var environment: StoreEnvironment
    /// Signing date of the app transaction.
    public var signedDate: Date
    /// The app's identifier in the App Store; `nil` outside production.
    public var appIdentifier: Int64?
    /// Identifier that distinguishes the customers of the app; `nil` in older data.
    public var appTransactionID: String?
    /// The number of the app's version in the App Store.
    public var versionExternalIdentifier: Int64?
    /// Date at which the customer preordered the app; `nil` if it was not preordered.
    public var preorderDate: Date?
    /// Value that binds the app transaction to a device, in Base64: the SHA-384 hash of the nonce and the device's
    /// identifier.
    public var deviceVerification: String?
    public var deviceVerificationNonce: String?

    package init(
        bundleIdentifier: String, applicationVersion: String, originalApplicationVersion: String,
        originalPurchaseDate: Date, originalPlatform: String?, environment: StoreEnvironment, signedDate: Date
    ) {
        self.bundleIdentifier = bundleIdentifier
        self.applicationVersion = applicationVersion
        self.originalApplicationVersion = originalApplicationVersion
        self.originalPurchaseDate = originalPurchaseDate
        self.originalPlatform = originalPlatform
        self.environment = environment
        self.signedDate = signedDate
    }

    private enum CodingKeys: String, CodingKey {
        case bundleIdentifier = "bundleId"
        case applicationVersion, originalApplicationVersion, originalPurchaseDate, originalPlatform
        case environment = "receiptType"
        case signedDate = "receiptCreationDate"
        case appIdentifier = "appAppleId"
        case appTransactionID = "appTransactionId"
        case versionExternalIdentifier, preorderDate, deviceVerification, deviceVerificationNonce
    }
}

extension AppTransactionPayload {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        bundleIdentifier = try container.decode(String.self, forKey: .bundleIdentifier)
        applicationVersion = try container.decode(String.self, forKey: .applicationVersion)
        originalApplicationVersion = try container.decode(String.self, forKey: .originalApplicationVersion)
        originalPurchaseDate = try container.decode(Date.self, forKey: .originalPurchaseDate)
        originalPlatform = try container.decodeIfPresent(String.self, forKey: .originalPlatform)
        environment = try container.decode(StoreEnvironment.self, forKey: .environment)
        signedDate = try container.decode(Date.self, forKey: .signedDate)
        appIdentifier = try container.decodeIfPresent(Int64.self, forKey: .appIdentifier)
        appTransactionID = container.information(.appTransactionID)
        versionExternalIdentifier = container.information(.versionExternalIdentifier)
        preorderDate = container.information(.preorderDate)
        deviceVerification = container.information(.deviceVerification)
        deviceVerificationNonce = container.information(.deviceVerificationNonce)
    }
}

extension AppTransactionPayload: SignedPayload {
    static let name = "an app transaction"

    var subjects: [SignedSubject] {
        [SignedSubject(app: bundleIdentifier, appIdentifier: appIdentifier, environment: environment)]
    }

    var signatureDate: Date? { signedDate }

    var isComplete: Bool { !originalApplicationVersion.isEmpty }

    var dates: [Date] {
        let isUnknown = environment == .xcode && originalPurchaseDate == .distantPast
        return [signedDate] + (isUnknown ? [] : [originalPurchaseDate]) + [preorderDate].compactMap(\.self)
    }
}

/// Verified app transaction, with the data that proves it. Its signature, certificate chain, app and environment were
/// checked.
public struct SignedAppTransaction: SignedContent, Hashable {
    public let payload: AppTransactionPayload
    /// Compact JWS of the app transaction as it was received.
    public let signedData: String
}
