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
    public var originalPurchaseDate: Date
    /// The platform on which it was; `nil` in older data.
    public var originalPlatform: String?
    public var environment: StoreEnvironment
    /// When the store signed this data.
    public var signedDate: Date

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
    }
}

extension AppTransactionPayload: SignedPayload {
    static let name = "an app transaction"

    var app: String? { bundleIdentifier }

    var isComplete: Bool { !originalApplicationVersion.isEmpty }

    var dates: [Date] { [signedDate, originalPurchaseDate] }
}

/// An app transaction whose signature, chain, app and environment have been checked, with the data that proves it.
public struct SignedAppTransaction: Sendable, Hashable {
    public let payload: AppTransactionPayload
    /// The compact JWS as it was received.
    public let signedData: String
}
