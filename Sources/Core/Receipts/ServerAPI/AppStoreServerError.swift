public import Foundation
internal import HTTPTypes
internal import VitrineNetworking
public import VitrineSupport

/// Error of a request to the App Store Server API. Its context is the store's refusal; `nil` if the store did not
/// refuse the request.
public typealias AppStoreServerError = CodedError<AppStoreServerErrorCode>

/// Category of ``AppStoreServerError``.
public enum AppStoreServerErrorCode: String, ErrorCode {
    /// The store does not accept the token of the request (status 401 without an error code).
    case unauthorized
    /// The store refused the request, and would refuse it again.
    case refused
    /// The store did not answer the request for a temporary reason, such as the rate limit.
    case unavailable
    /// The server could not be reached, or sent no complete reply in time.
    case connection
    /// The reply does not have the expected format, or is too long.
    case format
    case cancelled
    /// The request was not sent, because its address, an identifier or a date is invalid.
    case invalidRequest = "invalid-request"

    public typealias Context = AppStoreServerRefusal?

    /// `true` if the same request can succeed when it is sent again later.
    public var isTemporary: Bool { self == .unavailable || self == .connection }

    public var advice: String? {
        switch self {
        case .unauthorized:
            "Check the key, its identifier and its issuer in App Store Connect, and the clock of the server."
        case .refused: "Correct the request: the App Store names the reason by its error code."
        case .unavailable: "Send the request again later, not before the date that the App Store names."
        case .connection: "Connect to the internet and try again later."
        case .format: "Check what the server sends from the requested address."
        case .cancelled: "Send the request again."
        case .invalidRequest: "Correct the identifiers and dates of the request, or the address of the server."
        }
    }
}

/// Reply of the App Store that refuses a request.
public struct AppStoreServerRefusal: Sendable, Hashable {
    /// HTTP status of the reply.
    public let status: Int
    /// Error code of the store; `nil` if the reply does not contain one.
    public let code: AppStoreServerRefusalCode?
    /// Description of the error in English, for diagnosis, with at most 500 characters.
    public let message: String?
    /// Date before which the store refuses further requests; `nil` if the reply does not contain it.
    public let retryAfter: Date?

    private static let messageLimit = 500

    init(_ reply: HTTPReply) {
        status = reply.response.status.code
        // A proxy in front of the store may answer in another format. Only the status is then known.
        let body = try? JSONDecoder().decodeForeign(Body.self, from: reply.body)
        code = body.map { AppStoreServerRefusalCode(rawValue: $0.errorCode) }
        message = body?.errorMessage.map { String($0.prefix(Self.messageLimit)) }
        retryAfter = reply.response.headerFields[.retryAfter].flatMap(Self.date)
    }

    /// Reads the value of `Retry-After`. The store uses milliseconds since 1970.
    ///
    /// - Returns: `nil` for any other value, such as the number of seconds of RFC 9110.
    private static func date(_ text: String) -> Date? {
        guard let milliseconds = Int64(text), plausibleMilliseconds.contains(milliseconds) else { return nil }
        return Date(timeIntervalSince1970: TimeInterval(milliseconds) / 1_000)
    }

    /// Plausible values of `Retry-After`: from September 2001 to the end of the year 9999.
    private static let plausibleMilliseconds: ClosedRange<Int64> = 1_000_000_000_000...253_402_300_799_999

    private struct Body: Decodable {
        let errorCode: Int
        let errorMessage: String?
    }

    fileprivate var isTemporary: Bool {
        if let code {
            AppStoreServerRefusalCode.temporary.contains(code)
        } else {
            [408, 429].contains(status) || status >= 500
        }
    }

    fileprivate var description: String {
        let detail = code.map { " and error \($0.rawValue)" } ?? ""
        return "the App Store refused the request with status \(status)\(detail)\(message.map { ": \($0)" } ?? "")"
    }
}

/// Error code of the App Store Server API, with some values of Apple's
/// [error codes](https://developer.apple.com/documentation/appstoreserverapi/error-codes). The first three
/// digits are the HTTP status.
public struct AppStoreServerRefusalCode: Sendable, Hashable, RawRepresentable {
    public let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }

    /// The revision is invalid, or belongs to a request with another filter.
    public static let invalidRevision = AppStoreServerRefusalCode(rawValue: 4_000_005)
    public static let invalidTransactionID = AppStoreServerRefusalCode(rawValue: 4_000_006)
    /// The start date of a notification history is too long ago for the store.
    public static let startDateTooEarly = AppStoreServerRefusalCode(rawValue: 4_000_012)
    public static let invalidPaginationToken = AppStoreServerRefusalCode(rawValue: 4_000_014)
    public static let expiredPaginationToken = AppStoreServerRefusalCode(rawValue: 4_000_017)
    /// The customer's account no longer exists.
    public static let accountNotFound = AppStoreServerRefusalCode(rawValue: 4_040_001)
    /// The customer's account was not found, but may be found later.
    public static let accountNotFoundNow = AppStoreServerRefusalCode(rawValue: 4_040_002)
    /// The account of the key has no app with the bundle identifier.
    public static let appNotFound = AppStoreServerRefusalCode(rawValue: 4_040_003)
    /// The app was not found, but may be found later.
    public static let appNotFoundNow = AppStoreServerRefusalCode(rawValue: 4_040_004)
    /// The original transaction was not found, but may be found later.
    public static let originalTransactionNotFoundNow = AppStoreServerRefusalCode(rawValue: 4_040_006)
    /// App Store Connect has no URL for notifications of the app in the environment.
    public static let notificationAddressNotFound = AppStoreServerRefusalCode(rawValue: 4_040_007)
    /// There is no test notification with the token, or the store has not sent it yet.
    public static let testNotificationNotFound = AppStoreServerRefusalCode(rawValue: 4_040_008)
    /// The transaction does not exist in the environment. It may exist in the other environment.
    public static let transactionNotFound = AppStoreServerRefusalCode(rawValue: 4_040_010)
    public static let rateLimitExceeded = AppStoreServerRefusalCode(rawValue: 4_290_000)
    public static let internalError = AppStoreServerRefusalCode(rawValue: 5_000_000)
    /// The store has a temporary internal error.
    public static let internalErrorNow = AppStoreServerRefusalCode(rawValue: 5_000_001)

    /// Error codes for temporary errors. Apple recommends to send the same request again later.
    fileprivate static let temporary: Set = [
        accountNotFoundNow, appNotFoundNow, originalTransactionNotFoundNow, rateLimitExceeded, internalErrorNow,
    ]
}

extension AppStoreServerError {
    /// Creates the error for a reply whose status does not indicate success.
    init(_ refusal: AppStoreServerRefusal) {
        let code: Code =
            if refusal.status == 401, refusal.code == nil {
                .unauthorized
            } else {
                refusal.isTemporary ? .unavailable : .refused
            }
        self.init(code: code, reason: refusal.description, context: refusal)
    }

    /// Creates the error for a request without a complete reply.
    init(_ error: HTTPTransportError) {
        let code: Code =
            switch error.code {
            case .invalidRequest: .invalidRequest
            case .connection, .timeout: .connection
            case .tooLarge, .refused: .format
            case .cancelled: .cancelled
            }
        self.init(code: code, reason: error.reason)
    }
}
