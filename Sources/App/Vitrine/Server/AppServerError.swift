public import Foundation
internal import HTTPTypes
internal import VitrineAppServerAPI
internal import VitrineDeviceExchange
internal import VitrineNetworking
internal import VitrineSupport

/// Error of a request to the app's own server. Its context is the number of seconds until the server permits the next
/// request; `nil` if the server names none.
public typealias AppServerError = CodedError<AppServerErrorCode>

/// Category of ``AppServerError``.
public enum AppServerErrorCode: String, ErrorCode {
    /// The server could not be reached, or sent no complete reply in time.
    case connection
    /// The server cannot answer now, or this device has sent too many requests.
    case unavailable
    /// The request conflicts with a concurrent request, such as a decision of another device of the customer.
    case conflict
    /// The server does not know the device, or does not know it any more.
    case unauthenticated
    /// The device may not make this request, such as enrolling for a customer with an account without the account's
    /// token, or for a customer without an account who has too many devices.
    case forbidden
    /// The customer owns no product that has the requested file as content.
    case notOwned = "not-owned"
    /// The server does not have the requested app, document or other resource.
    case notFound = "not-found"
    /// The wallet has fewer units at the server than were to be spent or leased.
    case insufficientFunds = "insufficient-funds"
    /// The server refuses the request, and would refuse it again.
    case refused
    /// The request or the reply is longer than permitted.
    case tooLarge = "too-large"
    /// The reply does not have the expected format.
    case format
    /// The device has another customer than at the beginning of the request, because two customers were merged.
    case customerChanged = "customer-changed"
    /// The key of the device cannot be read or written in the storage directory or the keychain.
    case storage
    /// The request was not sent: its address is not valid, or the manager has no server.
    case invalidRequest = "invalid-request"

    public typealias Context = TimeInterval?

    /// `true` if the same request can succeed when it is sent again later.
    public var isTemporary: Bool {
        switch self {
        case .connection, .unavailable, .conflict, .customerChanged: true
        default: false
        }
    }

    public var advice: String? {
        switch self {
        case .connection: "Connect to the internet and try again later."
        case .unavailable: "Try again later, not before the time that the server names."
        case .conflict, .customerChanged: "Try again."
        case .unauthenticated: "Enroll the device again."
        case .forbidden: "Log in, and enroll with the token of the account, or with an invitation by another device."
        case .notOwned: "Report the purchase of the product, or buy it."
        case .notFound: "Check the address of the server, and the name that the app has there."
        case .insufficientFunds: "Buy more units, or spend fewer."
        case .refused: "Correct the request: the server names the reason."
        case .tooLarge: "Send less at once, or check what the server sends."
        case .format: "Check that the address is that of the app's server."
        case .storage: "Free space on the device and check the permissions of the storage directory, then try again."
        case .invalidRequest: "Correct the address of the server in the options of the manager."
        }
    }
}

extension CodedError<AppServerErrorCode> {
    static var noServer: AppServerError {
        AppServerError(code: .invalidRequest, reason: "the options of the manager name no server")
    }

    static var left: AppServerError {
        AppServerError(code: .unauthenticated, reason: "this device has left the app's server")
    }

    static var customerChanged: AppServerError {
        AppServerError(code: .customerChanged, reason: "the customer of this device is another one at the server now")
    }

    /// Creates the error for an unreadable reply.
    ///
    /// - Parameter name: Name of the operation.
    static func format(_ name: String) -> AppServerError {
        AppServerError(code: .format, reason: "the server's reply to \(name) does not have the expected format")
    }

    /// Creates the error for a request that the server did not answer.
    init(_ error: HTTPTransportError, at server: URL) {
        let code: AppServerErrorCode =
            switch error.code {
            case .invalidRequest: .invalidRequest
            case .tooLarge: .tooLarge
            case .refused: .format
            case .connection, .timeout, .cancelled: .connection
            }
        self.init(
            code: code, reason: "the app's server does not answer at \(WebAddress.printed(server)): \(error.reason)")
    }

    /// Creates the error for a reply with a status that is not a success.
    init(_ reply: HTTPReply, now: Date) {
        let status = reply.response.status.code
        // If a proxy in front of the server answers in its own format, only the status is known.
        let response = try? WireError(encoded: reply.body)
        let wireCode = response.flatMap { WireErrorCode(rawValue: $0.code) }
        let code: AppServerErrorCode =
            switch status {
            case _ where wireCode == .notOwned: .notOwned
            case _ where wireCode == .insufficientFunds: .insufficientFunds
            case 401: .unauthenticated
            case 403: .forbidden
            case 404: .notFound
            case 409: .conflict
            case 413: .tooLarge
            case 408, 425, 429, 500...: .unavailable
            default: .refused
            }
        let wait = HTTPFetchError(reply.response, now: now).retryAfter
        var reason = "the app's server answered with the status \(status)"
        if let message = response?.message { reason += ": \(message.prefix(Self.longestMessage))" }
        if let balance = response?.balance { reason += "; the wallet has \(balance) units" }
        if let wait { reason += "; it permits the next request after \(Int(wait.rounded(.up))) seconds" }
        self.init(code: code, reason: reason, context: wait)
    }

    /// Maximum number of characters of a server's message that are shown.
    private static var longestMessage: Int { 500 }
}

extension ExchangeError {
    init(_ error: AppServerError) {
        let code: ExchangeErrorCode =
            switch error.code {
            case .storage: .storage
            case .conflict: .busy
            case .tooLarge: .tooLarge
            case .customerChanged: .otherCustomer
            default: .transport
            }
        self.init(code: code, reason: error.reason)
    }
}
