package import Foundation
package import HTTPTypes

/// Reason for which nothing was fetched.
package struct HTTPFetchError: Error, Sendable, Hashable, CustomStringConvertible {
    package enum Code: Sendable, Hashable {
        /// The address is not allowed: it is not encrypted, contains credentials, or has another scheme.
        case addressRefused
        /// The server could not be reached, or the connection broke before the complete reply was received.
        case unreachable
        /// The reply, or a part of it, took longer than the limits allow.
        case timeout
        /// The reply is longer than the limit.
        case tooLarge
        /// There are too many redirects, or one that is not followed.
        case redirect
        /// The server answered with a status that does not indicate success.
        case status(Int)
        case cancelled
        /// The caller rejected the reply.
        case refused
    }

    package let code: Code
    /// Description of the error, as the rest of a sentence.
    package let reason: String
    /// Number of seconds that the server asks clients to wait before the next request, an hour at most; `nil` if the
    /// server does not specify it.
    package let retryAfter: TimeInterval?

    package init(code: Code, reason: String, retryAfter: TimeInterval? = nil) {
        self.code = code
        self.reason = reason
        self.retryAfter = retryAfter
    }

    package var description: String { reason }

    package init(_ response: HTTPResponse, now: Date) {
        self.init(
            code: .status(response.status.code),
            reason: "the server answered with the status \(response.status.code)",
            retryAfter: response.headerFields[.retryAfter].flatMap { RetryAfter.seconds($0, now: now) })
    }

    package init(_ error: HTTPTransportError) {
        let code: Code =
            switch error.code {
            case .invalidRequest: .addressRefused
            case .connection: .unreachable
            case .timeout: .timeout
            case .tooLarge: .tooLarge
            case .cancelled: .cancelled
            case .refused: .refused
            }
        self.init(code: code, reason: error.reason)
    }
}
