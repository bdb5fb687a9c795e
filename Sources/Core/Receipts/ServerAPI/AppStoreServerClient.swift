public import Foundation
internal import HTTPTypes
public import VitrineNetworking
public import VitrineSupport

/// Client of the [App Store Server API](https://developer.apple.com/documentation/appstoreserverapi), for the server of
/// an app.
///
/// Each request has its own token. The client never repeats a request: the code of an ``AppStoreServerError`` indicates
/// whether the same request can succeed later. Replies have at most 1 MiB.
///
/// The caller has to verify the signed data in replies with ``SignedDataVerifier``, for the environment of the server.
public struct AppStoreServerClient: Sendable {
    /// Server of the App Store Server API.
    public enum Server: Sendable, Hashable {
        /// Apple's server for purchases in the App Store.
        case production
        /// Apple's server for the sandbox: purchases of TestFlight, App Review and development builds.
        case sandbox
        /// Server that emulates Apple's. The URL is the part of its address before `/inApps`.
        case other(URL)
    }

    private let server: Server
    private let key: AppStoreServerKey
    private let bundleIdentifier: String
    private let client: JSONClient
    private let now: @Sendable () -> Date

    /// Maximum size of a reply, in bytes.
    private static let replyLimit = 1024 * 1024

    /// Creates a client.
    ///
    /// - Parameters:
    ///   - server: Server that answers the requests.
    ///   - key: Key that authorizes the requests.
    ///   - bundleIdentifier: App for which the requests are made.
    ///   - transport: Transport that sends the requests.
    ///   - timeout: Maximum number of seconds until a reply is complete.
    ///   - now: Function that returns the current date, which is the start of a token's validity.
    public init(
        server: Server, key: AppStoreServerKey, bundleIdentifier: String,
        transport: any HTTPTransport = DefaultTransport(), timeout: TimeInterval = 30,
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.server = server
        self.key = key
        self.bundleIdentifier = bundleIdentifier
        client = JSONClient(transport: transport, timeout: timeout, replyLimit: Self.replyLimit)
        self.now = now
    }

    /// Returns the transactions of a customer, page by page
    /// ([Get Transaction History](https://developer.apple.com/documentation/appstoreserverapi/get-transaction-history)).
    /// Requests are sent when the pages are read.
    ///
    /// - Parameters:
    ///   - customer: Identifier of any transaction or original transaction of the customer, or of their app
    ///     transaction.
    ///   - filter: Filter that the transactions must match.
    ///   - revision: Position where the history begins: the revision of the last page that was read with the same
    ///     filter; `nil` for the whole history.
    public func transactionHistory(
        of customer: String, filter: TransactionHistoryFilter = TransactionHistoryFilter(),
        after revision: String? = nil
    ) -> AppStoreServerPages<TransactionHistoryPage> {
        AppStoreServerPages(after: revision) { (revision) throws(AppStoreServerError) in
            let query = try filter.query(after: revision)
            let page: TransactionHistoryPage = try await send(
                AppStoreServerRequest(.get, "inApps", "v2", "history", customer, query: query))
            return (page, page.hasMore ? page.revision : nil)
        }
    }

    /// Requests the state of a customer's auto-renewable subscriptions
    /// ([Get All Subscription Statuses](https://developer.apple.com/documentation/appstoreserverapi/get-all-subscription-statuses)).
    ///
    /// - Parameters:
    ///   - customer: Identifier of any transaction or original transaction of the customer, or of their app
    ///     transaction.
    ///   - states: States of the requested subscriptions; empty for all.
    /// - Throws: ``AppStoreServerError``.
    public func subscriptionStatuses(
        of customer: String, states: [SubscriptionState] = []
    ) async throws(AppStoreServerError) -> SubscriptionStatuses {
        try await send(
            AppStoreServerRequest(
                .get, "inApps", "v1", "subscriptions", customer, query: states.map { ("status", String($0.rawValue)) }))
    }

    /// Returns the notifications that the store has sent, or tried to send, to the app's server, page by page
    /// ([Get Notification History](https://developer.apple.com/documentation/appstoreserverapi/get-notification-history)).
    /// Requests are sent when the pages are read.
    ///
    /// - Parameters:
    ///   - filter: Filter that the notifications must match.
    ///   - paginationToken: Position where the history begins: the token of the last page that was read with the same
    ///     filter; `nil` for the whole history.
    public func notificationHistory(
        _ filter: NotificationHistoryFilter, after paginationToken: String? = nil
    ) -> AppStoreServerPages<NotificationHistoryPage> {
        AppStoreServerPages(after: paginationToken) { (paginationToken) throws(AppStoreServerError) in
            let query = paginationToken.map { [("paginationToken", $0)] } ?? []
            let page: NotificationHistoryPage = try await send(
                AppStoreServerRequest(
                    .post, "inApps", "v1", "notifications", "history", query: query,
                    body: try NotificationHistoryFilter.Body(filter)))
            return (page, page.paginationToken)
        }
    }

    /// Requests that the store sends a test notification to the app's server
    /// ([Request a Test Notification](https://developer.apple.com/documentation/appstoreserverapi/request-a-test-notification)).
    ///
    /// - Returns: The token of the test notification, for ``testNotificationStatus(_:)``.
    /// - Throws: ``AppStoreServerError``.
    public func requestTestNotification() async throws(AppStoreServerError) -> String {
        struct Reply: Decodable {
            let testNotificationToken: String
        }
        let reply: Reply = try await send(AppStoreServerRequest(.post, "inApps", "v1", "notifications", "test"))
        return reply.testNotificationToken
    }

    /// Requests the status of a test notification
    /// ([Get Test Notification Status](https://developer.apple.com/documentation/appstoreserverapi/get-test-notification-status)).
    ///
    /// - Parameter token: Token of the test notification.
    /// - Throws: ``AppStoreServerError``. The store refuses the request with
    ///   ``AppStoreServerRefusalCode/testNotificationNotFound`` until it has tried to send the notification.
    public func testNotificationStatus(_ token: String) async throws(AppStoreServerError) -> SentNotification {
        try await send(AppStoreServerRequest(.get, "inApps", "v1", "notifications", "test", token))
    }

    private func send<Reply: Decodable>(_ request: AppStoreServerRequest) async throws(AppStoreServerError) -> Reply {
        var httpRequest = try request.httpRequest(to: server)
        httpRequest.headerFields[.authorization] = "Bearer \(try token())"
        let reply: HTTPReply
        do throws(HTTPTransportError) {
            reply = try await client.send(httpRequest, body: request.body)
        } catch {
            throw AppStoreServerError(error)
        }
        guard reply.response.status.kind == .successful else {
            throw AppStoreServerError(AppStoreServerRefusal(reply))
        }
        do {
            return try JSONDecoder().decodeForeign(Reply.self, from: reply.body)
        } catch {
            throw AppStoreServerError(
                code: .format, reason: "the App Store's reply does not have the expected format: \(error.inOneLine)")
        }
    }

    private func token() throws(AppStoreServerError) -> String {
        do {
            return try key.token(for: bundleIdentifier, at: now())
        } catch {
            throw AppStoreServerError(code: .invalidRequest, reason: error.reason)
        }
    }
}
