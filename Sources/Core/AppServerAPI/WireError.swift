package import HTTPTypes

/// Reason of an error response, for programs.
package enum WireErrorCode: String, Sendable, Hashable, Codable, CaseIterable {
    /// The request is malformed, or not possible for any customer.
    case invalid
    /// The signed data in the request was not signed by the store, or belongs to another app.
    case rejected
    /// The credential of the request is missing, wrong or no longer valid.
    case unauthenticated
    /// The credential does not permit the request.
    case forbidden
    /// The customer has no account, and as many devices as such a customer may have.
    case tooManyDevices = "too-many-devices"
    /// The file exists, but the customer owns no product that has it as content.
    case notOwned = "not-owned"
    case notFound = "not-found"
    case methodNotAllowed = "method-not-allowed"
    case timeout
    /// The token of the request belongs to a different recorded fact, or the request conflicts with a concurrent one.
    case conflict
    /// The wallet has fewer units than the request spends or leases.
    case insufficientFunds = "insufficient-funds"
    case tooLarge = "too-large"
    case tooMany = "too-many"
    case `internal`
    /// The database, or the verification of signed data, is not available at the moment.
    case unavailable

    package var status: HTTPResponse.Status {
        switch self {
        case .invalid, .rejected: .badRequest
        case .unauthenticated: .unauthorized
        case .forbidden, .tooManyDevices, .notOwned: .forbidden
        case .notFound: .notFound
        case .methodNotAllowed: .methodNotAllowed
        case .timeout: .requestTimeout
        case .conflict, .insufficientFunds: .conflict
        case .tooLarge: .contentTooLarge
        case .tooMany: .tooManyRequests
        case .internal: .internalServerError
        case .unavailable: .serviceUnavailable
        }
    }
}

/// Body of an error response.
package struct WireError: JSONBody, Hashable {
    /// A ``WireErrorCode``, or a code that only operators receive.
    package let code: String
    /// Description of the error for people, as a complete sentence.
    package let message: String
    /// `true` if the same request may succeed later.
    package let retryable: Bool
    /// Name of the invalid field in the request; `nil` if the error does not concern a single field.
    package let field: String?
    /// Number of units in a wallet that has too few for the request; `nil` for other errors.
    package let balance: Int?

    package init(code: String, message: String, retryable: Bool, field: String? = nil, balance: Int? = nil) {
        (self.code, self.message, self.retryable) = (code, message, retryable)
        (self.field, self.balance) = (field, balance)
    }
}
