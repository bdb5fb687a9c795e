internal import HTTPTypes
internal import Hummingbird
internal import VitrineAppServerRecords
internal import VitrineFileSystem
internal import VitrineHTTPServing
internal import VitrineSupport

/// Credential of requests from operators: a bearer token in the header field `Authorization`.
///
/// The server uses no cookies, so that pages of other sites cannot make requests in the name of an operator.
struct OperatorCredential: RouteCredential {
    private let accounts: OperatorAccounts
    private let role: OperatorRole

    /// - Parameter role: Lowest role with the right to make the request.
    init(_ services: AppServices, role: OperatorRole) { (accounts, self.role) = (services.operators, role) }

    func holder(of call: RouteCall) async throws -> OperatorAccount {
        guard let token = call.request.headers.bearer, let account = accounts.account(bearing: token) else {
            throw CustomerError(code: .unauthenticated, reason: "the request has no token of an operator")
        }
        guard account.role >= role else {
            throw ErrorResponse(
                .forbidden, CustomerErrorCode.forbidden.rawValue,
                "The operator \(account.name) has the role \(account.role.rawValue); this needs \(role.rawValue).")
        }
        return account
    }
}
