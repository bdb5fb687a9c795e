public import Foundation

/// What the store signs about the app itself: the payload of a `JWSAppTransaction`, in the fields of Apple's
/// [JWSAppTransactionDecodedPayload](https://developer.apple.com/documentation/appstoreserverapi/jwsapptransactiondecodedpayload).
public struct AppTransactionPayload: Sendable, Hashable, Codable {
    public var bundleIdentifier: String
    /// The version of the app that asked.
    public var applicationVersion: String
    /// The version that the customer got first: its `CFBundleVersion`, but on macOS its
    /// `CFBundleShortVersionString`.
    public var originalApplicationVersion: String
    /// When the customer got the app first; `Date.distantPast` in what Xcode signs, which does not know it.
    public var originalPurchaseDate: Date
    /// The platform on which it was; `nil` in older data.
    public var originalPlatform: String?
    public var environment: StoreEnvironment
    /// When the store signed this data.
    public var signedDate: Date
    /// The app's identifier in the App Store; `nil` outside production.
    public var appIdentifier: Int64?
    /// What tells one customer of the app from another; `nil` in older data.
    public var appTransactionID: String?
    /// The number of the app's version in the App Store.
    public var versionExternalIdentifier: Int64?
    /// When the customer ordered the app ahead of its release.
    public var preorderDate: Date?
    /// Ties the data to a device, in base64: the SHA-384 hash of the nonce and the device's own identifier.
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

/// An app transaction whose signature, chain, app and environment have been checked, with the data that proves it.
public struct SignedAppTransaction: SignedContent, Hashable {
    public let payload: AppTransactionPayload
    /// The compact JWS as it was received.
    public let signedData: String
}
