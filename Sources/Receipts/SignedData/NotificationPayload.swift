public import Foundation

/// What the store tells an app's server: the payload of version 2 notifications, in the fields of Apple's
/// [responseBodyV2DecodedPayload](https://developer.apple.com/documentation/appstoreservernotifications/responsebodyv2decodedpayload).
public struct NotificationPayload: Sendable, Hashable {
    public var type: NotificationType
    public var subtype: NotificationSubtype?
    /// The notification's own identifier: the store may send one more than once.
    public var notificationID: String
    public var version: String?
    /// When the store signed this data; `nil` in older data.
    public var signedDate: Date?
    /// What most types are about: a purchase of the app's.
    public var data: PurchaseSubject?
    /// What a `RENEWAL_EXTENSION` with the subtype `SUMMARY` is about.
    public var summary: RenewalExtensionSummary?
    /// What an `EXTERNAL_PURCHASE_TOKEN` is about.
    public var externalPurchaseToken: ExternalPurchaseToken?
    /// What a `RESCIND_CONSENT` is about: the app as a customer has it.
    public var appData: AppSubject?

    /// A purchase in the app, as far as the notification is about one.
    public struct PurchaseSubject: Sendable, Hashable {
        /// The app's identifier in the App Store; `nil` outside production.
        public var appIdentifier: Int64?
        public var bundleIdentifier: String
        /// The version of the app that the purchase was made in, as its `CFBundleVersion`.
        public var bundleVersion: String?
        public var environment: StoreEnvironment
        /// A transaction in compact JWS form.
        public var signedTransaction: String?
        /// What the store says about a renewal, in compact JWS form.
        public var signedRenewal: String?
        public var status: SubscriptionStatus?
        public var consumptionRequestReason: ConsumptionRequestReason?
    }

    /// The end of an extension of the renewal dates of many customers.
    public struct RenewalExtensionSummary: Sendable, Hashable {
        /// The app's identifier in the App Store; `nil` outside production.
        public var appIdentifier: Int64?
        public var bundleIdentifier: String
        public var environment: StoreEnvironment
        public var productIdentifier: String?
        /// What the app's server called its request.
        public var requestIdentifier: String?
        /// The storefronts' countries as ISO 3166-1 alpha-3 names them.
        public var storefrontCountryCodes: [String]?
        public var succeededCount: Int64?
        public var failedCount: Int64?
    }

    /// A token for purchases outside the store that the app has to report.
    public struct ExternalPurchaseToken: Sendable, Hashable {
        public var identifier: String
        public var appIdentifier: Int64?
        public var bundleIdentifier: String
        public var creationDate: Date?

        /// The store names it in the identifier alone: one of the sandbox begins with `SANDBOX`.
        public var environment: StoreEnvironment { identifier.hasPrefix("SANDBOX") ? .sandbox : .production }
    }

    /// The app as a customer has it.
    public struct AppSubject: Sendable, Hashable {
        /// The app's identifier in the App Store; `nil` outside production.
        public var appIdentifier: Int64?
        public var bundleIdentifier: String
        public var environment: StoreEnvironment
        /// An app transaction in compact JWS form.
        public var signedAppTransaction: String?
    }
}

extension NotificationPayload: SignedPayload {
    static let name = "a notification"

    var subjects: [SignedSubject] {
        [
            data.map { SignedSubject($0.bundleIdentifier, $0.appIdentifier, $0.environment) },
            summary.map { SignedSubject($0.bundleIdentifier, $0.appIdentifier, $0.environment) },
            externalPurchaseToken.map { SignedSubject($0.bundleIdentifier, $0.appIdentifier, $0.environment) },
            appData.map { SignedSubject($0.bundleIdentifier, $0.appIdentifier, $0.environment) },
        ].compactMap(\.self)
    }

    var signatureDate: Date? { signedDate }

    /// One that names no app could have been meant for any.
    var isComplete: Bool { !notificationID.isEmpty && !subjects.isEmpty }

    var dates: [Date] { [signedDate, externalPurchaseToken?.creationDate].compactMap(\.self) }
}

extension SignedSubject {
    fileprivate init(_ app: String, _ appIdentifier: Int64?, _ environment: StoreEnvironment) {
        self.init(app: app, appIdentifier: appIdentifier, environment: environment)
    }
}

extension NotificationPayload: Decodable {
    private enum CodingKeys: String, CodingKey {
        case type = "notificationType"
        case notificationID = "notificationUUID"
        case subtype, version, signedDate, data, summary, externalPurchaseToken, appData
    }
}

extension NotificationPayload.PurchaseSubject: Decodable {
    private enum CodingKeys: String, CodingKey {
        case appIdentifier = "appAppleId"
        case bundleIdentifier = "bundleId"
        case signedTransaction = "signedTransactionInfo"
        case signedRenewal = "signedRenewalInfo"
        case bundleVersion, environment, status, consumptionRequestReason
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        appIdentifier = try container.decodeIfPresent(Int64.self, forKey: .appIdentifier)
        bundleIdentifier = try container.decode(String.self, forKey: .bundleIdentifier)
        environment = try container.decode(StoreEnvironment.self, forKey: .environment)
        signedTransaction = try container.decodeIfPresent(String.self, forKey: .signedTransaction)
        signedRenewal = try container.decodeIfPresent(String.self, forKey: .signedRenewal)
        bundleVersion = container.information(.bundleVersion)
        status = container.information(.status)
        consumptionRequestReason = container.information(.consumptionRequestReason)
    }
}

extension NotificationPayload.RenewalExtensionSummary: Decodable {
    private enum CodingKeys: String, CodingKey {
        case appIdentifier = "appAppleId"
        case bundleIdentifier = "bundleId"
        case productIdentifier = "productId"
        case environment, requestIdentifier, storefrontCountryCodes, succeededCount, failedCount
    }
}

extension NotificationPayload.ExternalPurchaseToken: Decodable {
    private enum CodingKeys: String, CodingKey {
        case identifier = "externalPurchaseId"
        case appIdentifier = "appAppleId"
        case bundleIdentifier = "bundleId"
        case creationDate = "tokenCreationDate"
    }
}

extension NotificationPayload.AppSubject: Decodable {
    private enum CodingKeys: String, CodingKey {
        case appIdentifier = "appAppleId"
        case bundleIdentifier = "bundleId"
        case signedAppTransaction = "signedAppTransactionInfo"
        case environment
    }
}

/// A notification whose signature, chain, app and environment have been checked, and those of what it holds, with the
/// data that proves it.
public struct SignedNotification: SignedContent, Hashable {
    public let payload: NotificationPayload
    /// The transaction that it is about.
    public let transaction: SignedTransaction?
    /// What the store says about the renewal that it is about.
    public let renewal: SignedRenewal?
    /// How the customer has the app that it is about.
    public let appTransaction: SignedAppTransaction?
    /// The compact JWS as it was received.
    public let signedData: String
}
