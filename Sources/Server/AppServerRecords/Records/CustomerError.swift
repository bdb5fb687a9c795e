internal import Foundation
package import VitrineSupport

/// Error of a request about a customer.
package typealias CustomerError = CodedError<CustomerErrorCode>

/// Category of ``CustomerError``.
package enum CustomerErrorCode: String, ErrorCode {
    /// The request is malformed, or asks for what no customer can have.
    case invalid
    /// The credential of the request is missing, wrong or no longer valid.
    case unauthenticated
    /// The credential does not permit the request.
    case forbidden
    case notFound = "not-found"
    /// A different fact is recorded under the same token, or another device has been faster.
    case conflict
    /// The wallet has fewer units than are to be removed or set aside.
    case insufficientFunds = "insufficient-funds"
    /// The signed data is not from the store, or not for this app.
    case rejected
    case tooLarge = "too-large"
    case tooMany = "too-many"
    /// The database cannot be used now, or what was to be verified cannot be verified now.
    case unavailable

    package var advice: String? {
        switch self {
        case .unavailable, .tooMany: "Try again later."
        case .unauthenticated: "Request a new token."
        default: nil
        }
    }

    /// `true` if the same request may succeed later.
    package var isRetryable: Bool { self == .unavailable || self == .tooMany }
}

extension CustomerError {
    package init(_ error: DatabaseError) {
        self.init(code: .unavailable, reason: error.reason)
    }
}
