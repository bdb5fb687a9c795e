public import Foundation
internal import HTTPTypes
public import VitrineNetworking
internal import VitrineSupport

/// Confirmation of app receipts by Apple's `verifyReceipt`.
///
/// Apple has deprecated the service, but still operates it. The protocol is documented as
/// [verifyReceipt](https://developer.apple.com/documentation/appstorereceipts/verifyreceipt), and the replies as
/// [status](https://developer.apple.com/documentation/appstorereceipts/status). An app has to send its requests through
/// its own server, because the owner of a device can redirect a connection from the device to Apple.
///
/// | status | result |
/// |---|---|
/// | 0, 21006 | verified, if app and environment match |
/// | 21003 | rejected: the receipt could not be authenticated |
/// | 21007, 21008 | sent once to the other environment, if its receipts are accepted; otherwise rejected |
/// | 21010 | rejected: the account does not exist |
/// | 21100 to 21199 | rejected if the reply is marked as not retryable, otherwise undetermined |
/// | 21002 | undetermined: the receipt is malformed or the service has an outage; Apple does not distinguish |
/// | 21004 | undetermined: the shared secret is wrong, which is independent of the receipt |
/// | all others, and no reply | undetermined |
public struct VerifyReceiptService: ReceiptConfirmation {
    private let bundleIdentifier: String
    private let password: String?
    private let excludesOldTransactions: Bool
    private let environments: Set<StoreEnvironment>
    private let endpoints: [StoreEnvironment: JSONEndpoint]
    private let verified = VerifiedDigests(limit: 1_000)

    /// Creates a service.
    ///
    /// - Parameters:
    ///   - bundleIdentifier: Bundle identifier of the app that the receipts must be issued for.
    ///   - password: The app's shared secret, which Apple requires for auto-renewable subscriptions.
    ///   - excludesOldTransactions: Flag that limits each subscription in a reply to its latest renewal.
    ///   - environments: Production, sandbox, or both if one server is used by the app in the App Store and in its
    ///     review. Receipts from other environments are rejected.
    ///   - production: Address of the production service; `nil` for `https://buy.itunes.apple.com/verifyReceipt`.
    ///   - sandbox: Address of the sandbox service; `nil` for `https://sandbox.itunes.apple.com/verifyReceipt`.
    ///   - transport: Transport that sends the requests.
    ///   - timeout: Number of seconds after which the result is undetermined if there is no complete reply.
    public init(
        bundleIdentifier: String, password: String? = nil, excludesOldTransactions: Bool = false,
        environments: Set<StoreEnvironment> = [.production], production: URL? = nil, sandbox: URL? = nil,
        transport: any HTTPTransport = DefaultTransport(), timeout: TimeInterval = 30
    ) {
        self.bundleIdentifier = bundleIdentifier
        self.password = password
        self.excludesOldTransactions = excludesOldTransactions
        self.environments = environments
        endpoints = [
            .production: Self.request(to: production, orAt: "buy.itunes.apple.com"),
            .sandbox: Self.request(to: sandbox, orAt: "sandbox.itunes.apple.com"),
        ].mapValues {
            JSONEndpoint(
                request: $0,
                client: JSONClient(transport: transport, timeout: timeout, replyLimit: 16 * 1_024 * 1_024))
        }
    }

    private static func request(to url: URL?, orAt host: String) -> HTTPRequest {
        url.map { HTTPRequest(method: .post, url: $0) }
            ?? HTTPRequest(method: .post, scheme: "https", authority: host, path: "/verifyReceipt")
    }

    /// Requests the reply of `verifyReceipt` for a receipt. Each call sends a request, because the reply may contain
    /// new renewals.
    ///
    /// - Parameter receipt: The receipt in PKCS#7 form, raw or as Base64.
    public func reply(to receipt: Data) async -> Verification<VerifyReceiptReply> {
        let first: StoreEnvironment = environments.contains(.production) ? .production : .sandbox
        guard environments.contains(first) else {
            return .undetermined("the verifier accepts receipts neither from production nor from the sandbox")
        }
        do throws(HTTPTransportError) {
            let body = try await ask(about: receipt, in: first)
            guard let other = body.otherEnvironment else { return verification(of: body, from: first) }
            guard environments.contains(other) else { return .rejected([wrongEnvironment(other)]) }
            guard other != first else {
                return .undetermined("Apple refers the receipt to the environment that was already asked")
            }
            return verification(of: try await ask(about: receipt, in: other), from: other)
        } catch {
            return .undetermined(error.reason)
        }
    }

    /// Requests the verification of a receipt, unless the service has verified the same receipt before.
    public func confirm(_ receipt: SignedAppReceipt) async -> Verification<SignedAppReceipt> {
        guard !verified.contains(receipt.data) else { return .verified(receipt) }
        switch await reply(to: receipt.data) {
        case .verified:
            verified.insert(receipt.data)
            return .verified(receipt)
        case .rejected(let reasons): return .rejected(reasons)
        case .undetermined(let reason): return .undetermined(reason)
        }
    }

    private func ask(
        about receipt: Data, in environment: StoreEnvironment
    ) async throws(HTTPTransportError) -> VerifyReceiptBody {
        // Data in neither format is sent unchanged, so that Apple rejects it.
        let container = (try? ReceiptData.container(in: receipt)) ?? Array(receipt)
        guard let endpoint = endpoints[environment] else {
            throw HTTPTransportError(
                code: .invalidRequest,
                reason: "Apple has no verifyReceipt service for the environment \(environment.rawValue)")
        }
        return try await endpoint.post(
            Question(
                receipt: Data(container).base64EncodedString(), password: password,
                excludesOldTransactions: excludesOldTransactions ? true : nil))
    }

    private func verification(
        of body: VerifyReceiptBody, from service: StoreEnvironment
    ) -> Verification<VerifyReceiptReply> {
        switch body.status {
        case 0, 21006: break
        case 21003: return .rejected(.signature, "Apple could not authenticate the receipt (status 21003)")
        case 21010: return .rejected(.store, "Apple could not find the account (status 21010)")
        case 21100...21199 where body.isRetryable == false:
            return .rejected(.store, "Apple cannot check the receipt (status \(body.status))")
        case 21004: return .undetermined("Apple does not accept the app's shared secret (status 21004)")
        default: return .undetermined("Apple did not check the receipt (status \(body.status))")
        }
        let environment = body.environment.map(StoreEnvironment.init) ?? service
        guard let bundle = body.bundleIdentifier else { return .undetermined("Apple's reply has no bundle identifier") }
        var reasons: [RejectionReason] = []
        if !bundle.hasSameBytes(as: bundleIdentifier) {
            reasons.append(
                RejectionReason(
                    .bundleIdentifier, "the receipt is issued for the app \(bundle), not for \(bundleIdentifier)"))
        }
        if !environments.contains(environment) { reasons.append(wrongEnvironment(environment)) }
        guard reasons.isEmpty else { return .rejected(reasons) }
        return .verified(
            VerifyReceiptReply(
                status: body.status, environment: environment, bundleIdentifier: bundle, purchases: body.purchases))
    }

    private func wrongEnvironment(_ environment: StoreEnvironment) -> RejectionReason {
        let accepted = environments.map(\.rawValue).sorted().joined(separator: " or ")
        return RejectionReason(
            .environment, "the receipt is issued in the environment \(environment.rawValue), not in \(accepted)")
    }

    private struct Question: Encodable {
        let receipt: String
        let password: String?
        let excludesOldTransactions: Bool?

        enum CodingKeys: String, CodingKey {
            case receipt = "receipt-data"
            case password
            case excludesOldTransactions = "exclude-old-transactions"
        }
    }
}

extension VerifyReceiptBody {
    /// Environment of the service that must verify the receipt instead, according to the reply; `nil` if the reply does
    /// not refer to another environment.
    fileprivate var otherEnvironment: StoreEnvironment? {
        switch status {
        case 21007: .sandbox
        case 21008: .production
        default: nil
        }
    }
}
