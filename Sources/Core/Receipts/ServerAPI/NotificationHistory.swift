public import Foundation

/// Filter for the history of notifications that the store has sent, or tried to send, to the app's server.
public struct NotificationHistoryFilter: Sendable, Hashable {
    /// Criterion for selecting notifications of a history.
    public enum Selection: Sendable, Hashable {
        case all
        /// Notifications about one customer. Any transaction or original transaction identifies the customer.
        case customer(transactionID: String)
        /// Notifications of one type and, unless it is `nil`, of one subtype.
        case type(NotificationType, subtype: NotificationSubtype? = nil)
    }

    /// Earliest date of the notifications: at most 180 days ago in production, and 30 days in the sandbox.
    public var startDate: Date
    /// Latest date of the notifications. The store treats a date in the future as the current date.
    public var endDate: Date
    public var selection: Selection
    /// `true` to select only notifications that have not reached the app's server.
    public var onlyFailures: Bool

    public init(startDate: Date, endDate: Date, selection: Selection = .all, onlyFailures: Bool = false) {
        self.startDate = startDate
        self.endDate = endDate
        self.selection = selection
        self.onlyFailures = onlyFailures
    }

    /// Body of the requests for the history.
    struct Body: Encodable {
        private let startDate: Int64
        private let endDate: Int64
        private var notificationType: NotificationType?
        private var notificationSubtype: NotificationSubtype?
        private var transactionId: String?
        private let onlyFailures: Bool?

        /// Creates the body for a filter.
        ///
        /// - Throws: ``AppStoreServerError`` if a date is out of range.
        init(_ filter: NotificationHistoryFilter) throws(AppStoreServerError) {
            startDate = try filter.startDate.storeMilliseconds
            endDate = try filter.endDate.storeMilliseconds
            onlyFailures = filter.onlyFailures ? true : nil
            switch filter.selection {
            case .all: break
            case .customer(let transactionID): transactionId = transactionID
            case .type(let type, let subtype): (notificationType, notificationSubtype) = (type, subtype)
            }
        }
    }
}

/// Page of the history of notifications, with at most 20 notifications and the fields of Apple's
/// [NotificationHistoryResponse](https://developer.apple.com/documentation/appstoreserverapi/notificationhistoryresponse).
public struct NotificationHistoryPage: Sendable, Hashable {
    public let notifications: [SentNotification]
    /// Position after this page; `nil` after the last page. The position expires after some time.
    public let paginationToken: String?
}

extension NotificationHistoryPage: Decodable {
    private enum CodingKeys: String, CodingKey {
        case notificationHistory, hasMore, paginationToken
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        notifications = try container.decodeIfPresent([SentNotification].self, forKey: .notificationHistory) ?? []
        let hasMore = try container.decode(Bool.self, forKey: .hasMore)
        paginationToken = hasMore ? try container.decode(String.self, forKey: .paginationToken) : nil
    }
}

/// Notification that the store has sent, or tried to send, to the app's server.
public struct SentNotification: Sendable, Hashable {
    /// Attempt of the store to send a notification.
    public struct Attempt: Sendable, Hashable {
        public let date: Date
        public let result: SendAttemptResult
    }

    /// Notification in compact JWS form, not yet verified.
    public let signedPayload: String
    /// Attempts of the store to send the notification, at most six.
    public let attempts: [Attempt]
}

extension SentNotification: Decodable {
    private enum CodingKeys: String, CodingKey {
        case signedPayload
        case attempts = "sendAttempts"
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        signedPayload = try container.decode(String.self, forKey: .signedPayload)
        attempts = try container.decodeIfPresent([Attempt].self, forKey: .attempts) ?? []
    }
}

extension SentNotification.Attempt: Decodable {
    private enum CodingKeys: String, CodingKey {
        case date = "attemptDate"
        case result = "sendAttemptResult"
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        date = Date(timeIntervalSince1970: TimeInterval(try container.decode(Int64.self, forKey: .date)) / 1_000)
        result = try container.decode(SendAttemptResult.self, forKey: .result)
    }
}

/// Result of an attempt to send a notification, with the values of Apple's
/// [sendAttemptResult](https://developer.apple.com/documentation/appstoreserverapi/sendattemptresult). The store may
/// add other values.
public struct SendAttemptResult: Sendable, Hashable, Codable, RawRepresentable {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    public static let success = SendAttemptResult(rawValue: "SUCCESS")
    public static let timedOut = SendAttemptResult(rawValue: "TIMED_OUT")
    public static let tlsIssue = SendAttemptResult(rawValue: "TLS_ISSUE")
    public static let circularRedirect = SendAttemptResult(rawValue: "CIRCULAR_REDIRECT")
    public static let noResponse = SendAttemptResult(rawValue: "NO_RESPONSE")
    public static let socketIssue = SendAttemptResult(rawValue: "SOCKET_ISSUE")
    public static let unsupportedCharset = SendAttemptResult(rawValue: "UNSUPPORTED_CHARSET")
    public static let invalidResponse = SendAttemptResult(rawValue: "INVALID_RESPONSE")
    public static let prematureClose = SendAttemptResult(rawValue: "PREMATURE_CLOSE")
    /// The app's server answered with a status that does not indicate success.
    public static let unsuccessfulStatus = SendAttemptResult(rawValue: "UNSUCCESSFUL_HTTP_RESPONSE_CODE")
    public static let other = SendAttemptResult(rawValue: "OTHER")
}
