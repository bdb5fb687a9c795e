public import Foundation

/// Payload of a version 2 notification of the store to an app's server, with the fields of Apple's
/// [responseBodyV2DecodedPayload](https://developer.apple.com/documentation/appstoreservernotifications/responsebodyv2decodedpayload).
public struct NotificationPayload: Sendable, Hashable {
    public var type: NotificationType
    public var subtype: NotificationSubtype?
    /// Identifier of the notification. The store may send a notification more than once.
    public var notificationID: String
    public var version: String?
    /// Signing date of the notification; `nil` in older data.
    public var signedDate: Date?
    /// Subject of most types of notification: a purchase in the app.
    public var data: PurchaseSubject?
    /// Subject of a notification of the type `RENEWAL_EXTENSION` with the subtype `SUMMARY`.
    public var summary: RenewalExtensionSummary?
    /// Subject of a notification of the type `EXTERNAL_PURCHASE_TOKEN`.
    public var externalPurchaseToken: ExternalPurchaseToken?
    /// Subject of a notification of the type `RESCIND_CONSENT`: a customer's copy of the app.
    public var appData: AppSubject?
    /// Subjects of kinds that did not exist when this was written, which name an app and an environment.
    var otherSubjects: [AppSubject] = []

    /// Purchase as the subject of a notification.
    public struct PurchaseSubject: Sendable, Hashable {
        /// The app's identifier in the App Store; `nil` outside production.
        public var appIdentifier: Int64?
        public var bundleIdentifier: String
        /// App version in which the purchase was made, as its `CFBundleVersion`.
        public var bundleVersion: String?
        public var environment: StoreEnvironment
        /// Transaction of the purchase in compact JWS form.
        public var signedTransaction: String?
        /// Renewal information of the purchase in compact JWS form.
        public var signedRenewal: String?
        public var status: SubscriptionState?
        public var consumptionRequestReason: ConsumptionRequestReason?
    }

    /// Result of extending the renewal dates of many customers.
    public struct RenewalExtensionSummary: Sendable, Hashable {
        /// The app's identifier in the App Store; `nil` outside production.
        public var appIdentifier: Int64?
        public var bundleIdentifier: String
        public var environment: StoreEnvironment
        public var productIdentifier: String?
        /// Identifier of the extension request, chosen by the app's server.
        public var requestIdentifier: String?
        /// Countries of the storefronts as ISO 3166-1 alpha-3 codes.
        public var storefrontCountryCodes: [String]?
        public var succeededCount: Int64?
        public var failedCount: Int64?
    }

    /// Token for a purchase outside the store. The app has to report such purchases.
    public struct ExternalPurchaseToken: Sendable, Hashable {
        public var identifier: String
        public var appIdentifier: Int64?
        public var bundleIdentifier: String
        public var creationDate: Date?

        /// Environment of the token. It is determined from the identifier, which begins with `SANDBOX` in the sandbox.
        public var environment: StoreEnvironment { identifier.hasPrefix("SANDBOX") ? .sandbox : .production }
    }

    /// A customer's copy of the app as the subject of a notification.
    public struct AppSubject: Sendable, Hashable {
        /// The app's identifier in the App Store; `nil` outside production.
        public var appIdentifier: Int64?
        public var bundleIdentifier: String
        public var environment: StoreEnvironment
        /// App transaction in compact JWS form.
        public var signedAppTransaction: String?
    }
}

extension NotificationPayload {
    /// Creates a notification about purchases, or a test notification.
    package init(
        _ type: NotificationType, _ subtype: NotificationSubtype? = nil, id: String, signedDate: Date,
        data: PurchaseSubject
    ) {
        self.init(type: type, subtype: subtype, notificationID: id, version: "2.0", signedDate: signedDate, data: data)
    }

    /// Creates the notification that a request to extend the subscriptions of all customers was completed.
    package init(id: String, signedDate: Date, summary: RenewalExtensionSummary) {
        self.init(
            type: .renewalExtension, subtype: .summary, notificationID: id, version: "2.0", signedDate: signedDate,
            summary: summary)
    }
}

extension NotificationPayload.PurchaseSubject {
    package init(appIdentifier: Int64?, bundleIdentifier: String, environment: StoreEnvironment) {
        self.init(
            appIdentifier: appIdentifier, bundleIdentifier: bundleIdentifier, bundleVersion: nil,
            environment: environment)
    }
}

extension NotificationPayload.RenewalExtensionSummary {
    package init(
        appIdentifier: Int64?, bundleIdentifier: String, environment: StoreEnvironment, product: String,
        request: String, storefronts: [String]?, succeeded: Int64, failed: Int64
    ) {
        self.init(
            appIdentifier: appIdentifier, bundleIdentifier: bundleIdentifier, environment: environment,
            productIdentifier: product, requestIdentifier: request, storefrontCountryCodes: storefronts,
            succeededCount: succeeded, failedCount: failed)
    }
}

extension NotificationPayload: SignedPayload {
    static let name = "a notification"
    static let required = "an identifier, or the app that it is about"

    var subjects: [SignedSubject] {
        [
            data.map { SignedSubject($0.bundleIdentifier, $0.appIdentifier, $0.environment) },
            summary.map { SignedSubject($0.bundleIdentifier, $0.appIdentifier, $0.environment) },
            externalPurchaseToken.map { SignedSubject($0.bundleIdentifier, $0.appIdentifier, $0.environment) },
            appData.map { SignedSubject($0.bundleIdentifier, $0.appIdentifier, $0.environment) },
        ].compactMap(\.self)
            + otherSubjects.map { SignedSubject($0.bundleIdentifier, $0.appIdentifier, $0.environment) }
    }

    var signatureDate: Date? { signedDate }

    /// `true` if the notification has an identifier and specifies an app. A notification without an app could be
    /// intended for any app.
    var isComplete: Bool { !notificationID.isEmpty && !subjects.isEmpty }

    var dates: [Date] { [signedDate, externalPurchaseToken?.creationDate].compactMap(\.self) }
}

extension SignedSubject {
    fileprivate init(_ app: String, _ appIdentifier: Int64?, _ environment: StoreEnvironment) {
        self.init(app: app, appIdentifier: appIdentifier, environment: environment)
    }
}

extension NotificationPayload: Codable {
    private enum CodingKeys: String, CodingKey {
        case type = "notificationType"
        case notificationID = "notificationUUID"
        case subtype, version, signedDate, data, summary, externalPurchaseToken, appData
    }

    private struct AnyKey: CodingKey {
        let stringValue: String
        let intValue: Int? = nil

        init(stringValue: String) { self.stringValue = stringValue }

        init?(intValue: Int) { return nil }
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        type = try container.decode(NotificationType.self, forKey: .type)
        subtype = try container.decodeIfPresent(NotificationSubtype.self, forKey: .subtype)
        notificationID = try container.decode(String.self, forKey: .notificationID)
        version = try container.decodeIfPresent(String.self, forKey: .version)
        signedDate = try container.decodeIfPresent(Date.self, forKey: .signedDate)
        data = try container.decodeIfPresent(PurchaseSubject.self, forKey: .data)
        summary = try container.decodeIfPresent(RenewalExtensionSummary.self, forKey: .summary)
        externalPurchaseToken = try container.decodeIfPresent(
            ExternalPurchaseToken.self, forKey: .externalPurchaseToken)
        appData = try container.decodeIfPresent(AppSubject.self, forKey: .appData)
        let all = try decoder.container(keyedBy: AnyKey.self)
        otherSubjects = all.allKeys.filter { CodingKeys(stringValue: $0.stringValue) == nil }
            .sorted { $0.stringValue < $1.stringValue }.compactMap { try? all.decode(AppSubject.self, forKey: $0) }
    }
}

extension NotificationPayload.PurchaseSubject: Codable {
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

extension NotificationPayload.RenewalExtensionSummary: Codable {
    private enum CodingKeys: String, CodingKey {
        case appIdentifier = "appAppleId"
        case bundleIdentifier = "bundleId"
        case productIdentifier = "productId"
        case environment, requestIdentifier, storefrontCountryCodes, succeededCount, failedCount
    }
}

extension NotificationPayload.ExternalPurchaseToken: Codable {
    private enum CodingKeys: String, CodingKey {
        case identifier = "externalPurchaseId"
        case appIdentifier = "appAppleId"
        case bundleIdentifier = "bundleId"
        case creationDate = "tokenCreationDate"
    }
}

extension NotificationPayload.AppSubject: Codable {
    private enum CodingKeys: String, CodingKey {
        case appIdentifier = "appAppleId"
        case bundleIdentifier = "bundleId"
        case signedAppTransaction = "signedAppTransactionInfo"
        case environment
    }
}

/// Verified notification, with the data that proves it. The signature, certificate chain, app and environment were
/// checked, for the notification and for the signed data in it.
public struct SignedNotification: SignedContent, Hashable {
    public let payload: NotificationPayload
    /// Transaction in the notification.
    public let transaction: SignedTransaction?
    /// Renewal information in the notification.
    public let renewal: SignedRenewal?
    /// App transaction in the notification.
    public let appTransaction: SignedAppTransaction?
    /// Compact JWS of the notification as it was received.
    public let signedData: String
}
