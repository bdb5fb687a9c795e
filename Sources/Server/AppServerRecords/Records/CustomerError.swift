package import VitrineSupport

/// Error of a request about a customer.
package typealias CustomerError = CodedError<CustomerErrorCode>

/// Category of ``CustomerError``.
package enum CustomerErrorCode: String, ErrorCode {
    /// The request is malformed, or not possible for any customer.
    case invalid
    /// The credential of the request is missing, wrong or no longer valid.
    case unauthenticated
    /// The credential does not permit the request.
    case forbidden
    case notFound = "not-found"
    /// The token of the request belongs to a different recorded fact, or the request conflicts with a concurrent one.
    case conflict
    /// The wallet has fewer units than the request spends or leases.
    case insufficientFunds = "insufficient-funds"
    /// The signed data was not signed by the store, or belongs to another app.
    case rejected
    case tooLarge = "too-large"
    case tooMany = "too-many"
    /// The customer has no account, and as many devices as such a customer may have.
    case tooManyDevices = "too-many-devices"
    /// The database, or the verification of signed data, is not available at the moment.
    case unavailable

    package var advice: String? {
        switch self {
        case .unavailable, .tooMany: "Try again later."
        case .unauthenticated: "Request a new token."
        case .tooManyDevices: "Log in, or let another device or the support remove a device that is no longer used."
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
