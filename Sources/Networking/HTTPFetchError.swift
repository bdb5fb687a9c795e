public import Foundation
package import HTTPTypes

/// Why nothing was fetched.
public struct HTTPFetchError: Error, Sendable, Hashable, CustomStringConvertible {
    public enum Code: Sendable, Hashable {
        /// The address is not one that is asked: not encrypted, with credentials, or of another kind.
        case addressRefused
        /// Nobody could be reached, or the connection broke before the whole reply had come.
        case unreachable
        /// The reply, or a part of it, took longer than the limits allow.
        case timeout
        /// The reply is longer than the limit.
        case tooLarge
        /// There are too many redirects, or one that is not followed.
        case redirect
        /// The server answered with a status that is no success.
        case status(Int)
        case cancelled
        /// Who asked does not want what comes.
        case refused
    }

    public let code: Code
    /// What happened, as the rest of a sentence.
    public let reason: String
    /// For how many seconds the server does not want to be asked again, an hour at most; `nil` where it does not say.
    public let retryAfter: TimeInterval?

    public init(code: Code, reason: String, retryAfter: TimeInterval? = nil) {
        self.code = code
        self.reason = reason
        self.retryAfter = retryAfter
    }

    public var description: String { reason }

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
