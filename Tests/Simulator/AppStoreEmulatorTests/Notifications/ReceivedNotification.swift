import Foundation
import Testing
import VitrineReceipts
import VitrineTestSupport

/// Received notification with a verified form and verified signatures.
struct ReceivedNotification: Sendable {
    /// Identifier of the row in ``NotificationTable``.
    let row: String
    let payload: NotificationPayload
    let transaction: TransactionPayload?
    let renewal: RenewalPayload?

    /// Checks the request and what it contains.
    ///
    /// - Parameters:
    ///   - verifier: Verifier of the app's server, for the app and environment of the store.
    ///   - environment: Environment that each object must name.
    init(_ request: LoopbackServer.Request, _ verifier: SignedDataVerifier, in environment: StoreEnvironment)
        async throws
    {
        #expect(request.method == "POST")
        #expect(request.path == "/notifications")
        #expect(request.headers["content-type"] == "application/json")
        #expect(request.headers["content-length"] == "\(request.body.count)")
        let body = try #require(JSONSerialization.jsonObject(with: request.body) as? [String: String])
        #expect(body.keys.sorted() == ["signedPayload"])
        let signed = try #require(body["signedPayload"])
        try await self.init(signed, verifier, in: environment)
    }

    /// Checks the signed notification.
    init(_ signed: String, _ verifier: SignedDataVerifier, in environment: StoreEnvironment) async throws {
        let verification = await verifier.verify(notification: signed)
        guard case .verified(let notification) = verification else {
            Issue.record("the notification is not verified: \(verification)")
            throw CancellationError()
        }
        payload = notification.payload
        (transaction, renewal) = (notification.transaction?.payload, notification.renewal?.payload)
        row = NotificationRow.id(payload.type.rawValue, payload.subtype?.rawValue)
        try checkForm(try Self.members(of: signed), in: environment)
    }

    /// Checks that a notification has exactly the members of its row in the table.
    ///
    /// - Parameter members: Members of the signed JSON object.
    private func checkForm(_ members: [String: Any], in environment: StoreEnvironment) throws {
        let known = try #require(NotificationTable.row(row), "\(row) is no row of the table")
        let name = known.content == .summary ? "summary" : "data"
        var expected: Set = ["notificationType", "notificationUUID", "version", "signedDate", name]
        if known.subtype != nil { expected.insert("subtype") }
        #expect(Set(members.keys) == expected)
        #expect(members["version"] as? String == "2.0")
        #expect(members["signedDate"] is Int)
        let identifier = try #require(members["notificationUUID"] as? String)
        #expect(UUID(uuidString: identifier)?.uuidString.lowercased() == identifier)
        let object = try #require(members[name] as? [String: Any])
        let isProduction = environment == .production
        let optional: Set = known.content == .summary ? ["storefrontCountryCodes"] : []
        #expect(
            Set(object.keys).subtracting(optional)
                == known.content.members.union(isProduction ? ["appAppleId"] : []))
        #expect(object["environment"] as? String == environment.rawValue)
        #expect(object["bundleId"] as? String == ServedStore.bundle)
        #expect(object["appAppleId"] as? Int64 == (isProduction ? ServedStore.app : nil))
        #expect((transaction != nil) == (known.content.members.contains("signedTransactionInfo")))
        #expect((renewal != nil) == (known.content == .subscription))
        try checkInnerData(in: environment)
    }

    private func checkInnerData(in environment: StoreEnvironment) throws {
        guard let transaction else { return }
        #expect(transaction.environment == environment)
        #expect(transaction.bundleIdentifier == ServedStore.bundle)
        #expect(transaction.deviceVerification == nil)
        let signedDate = try #require(payload.signedDate)
        // The store signs two states of a transaction at one date of its clock a few milliseconds apart.
        #expect(abs(transaction.signedDate.timeIntervalSince(signedDate)) < 1)
        guard let renewal else { return }
        #expect(renewal.environment == environment)
        #expect(renewal.originalTransactionID == transaction.originalTransactionID)
        #expect(renewal.productIdentifier == transaction.productIdentifier, "\(row)")
        #expect(renewal.appTransactionID == transaction.appTransactionID)
        #expect(renewal.renewalDate == transaction.expiresDate, "\(row)")
        #expect(renewal.recentSubscriptionStartDate != nil)
        #expect(renewal.signedDate >= transaction.signedDate)
    }

    /// Returns the members of the JSON object in a compact JWS.
    static func members(of jws: String) throws -> [String: Any] {
        let parts = jws.split(separator: ".", omittingEmptySubsequences: false)
        try #require(parts.count == 3)
        var text = String(parts[1]).replacing("-", with: "+").replacing("_", with: "/")
        text += String(repeating: "=", count: (4 - text.count % 4) % 4)
        let data = try #require(Data(base64Encoded: text))
        return try #require(JSONSerialization.jsonObject(with: data) as? [String: Any])
    }
}

extension NotificationRow.Content {
    /// Names of the members of the object, without the app's number in the App Store.
    fileprivate var members: Set<String> {
        let app: Set = ["environment", "bundleId"]
        return switch self {
        case .transaction: app.union(["signedTransactionInfo"])
        case .consumptionRequest: app.union(["signedTransactionInfo", "consumptionRequestReason"])
        case .subscription: app.union(["signedTransactionInfo", "signedRenewalInfo", "status"])
        case .app: app
        case .summary: app.union(["productId", "requestIdentifier", "succeededCount", "failedCount"])
        case .externalPurchaseToken: []
        case .appData: app.union(["signedAppTransactionInfo"])
        }
    }
}
