internal import HTTPTypes
internal import Hummingbird
internal import Logging
internal import Metrics
internal import VitrineAppServerRecords
internal import VitrineFileSystem
internal import VitrineHTTPServing
internal import VitrineSupport

/// Credential of requests from operators: a bearer token in the header field `Authorization`.
///
/// The server uses no cookies, so that pages of other sites cannot make requests in the name of an operator.
struct OperatorCredential: RouteCredential {
    private let services: AppServices
    private let role: OperatorRole

    /// - Parameter role: Lowest role with the right to make the request.
    init(_ services: AppServices, role: OperatorRole) { (self.services, self.role) = (services, role) }

    func holder(of call: RouteCall) async throws -> OperatorAccount {
        let token = call.request.headers.bearer
        guard let token, let account = services.operators.account(bearing: token) else {
            try services.refusedOperators.note(services.addresses.name(of: call.request, call.context), services.logger)
            throw CustomerError(
                code: .unauthenticated,
                reason: token == nil
                    ? "the request has no token of an operator, which has at least \(OperatorAccounts.shortestToken) "
                        + "characters" : "the token is wrong: it belongs to no operator of this server")
        }
        guard account.role >= role else {
            throw ErrorResponse(
                .forbidden, CustomerErrorCode.forbidden.rawValue,
                "The operator \(account.name) has the role \(account.role.rawValue); this needs \(role.rawValue).")
        }
        return account
    }
}

/// Requests without a valid token of an operator: they are counted, logged, and limited for each address. Requests with
/// a valid token are never limited, so that nobody can keep operators out.
struct RefusedOperators: Sendable {
    private let limits: RequestLimits
    private let counter: Counter

    init(_ limits: RequestLimits, _ metrics: any MetricsFactory) {
        self.limits = limits
        counter = Counter(label: "operator_refusals_total", dimensions: [], factory: metrics)
    }

    /// Notes a refused request.
    ///
    /// - Throws: ``ErrorResponse`` with status 429 if the address has made too many of them. These are not logged.
    func note(_ address: String, _ logger: Logger) throws(ErrorResponse) {
        counter.increment()
        try limits.count(address)
        logger.warning("a request of \(address) has no valid token of an operator")
    }
}
