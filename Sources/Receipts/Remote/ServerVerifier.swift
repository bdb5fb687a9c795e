public import Foundation
internal import HTTPTypes
public import Networking

/// Asks a server of the app's own about what was verified on the device already: whether the purchase belongs to the
/// account, say, or was seen before.
///
/// It posts one JSON object, `{"bundleId": …, "signedTransaction": …}` with the compact JWS or
/// `{"bundleId": …, "appReceipt": …}` with the receipt in base64, and reads `{"verdict": …, "reason": …}` from a reply
/// with status 200. The verdict is `verified`, `rejected` or `undetermined`. Whatever else comes of it (no connection,
/// no reply in time, another status, another form, an unknown verdict) says nothing about the purchase and is
/// undetermined. That holds for 4xx as well: a server that does not understand the question has not answered it.
///
/// What the server has verified it is not asked about again while the app runs.
public struct ServerVerifier: ReceiptConfirmation {
    private let bundleIdentifier: String
    private let endpoint: JSONEndpoint
    private let verified = VerifiedDigests(limit: 10_000)

    /// - Parameters:
    ///   - url: Where it is posted to, by `https`.
    ///   - bundleIdentifier: The app that asks.
    ///   - transport: What sends the requests.
    ///   - timeout: After so many seconds without a whole reply the answer is undetermined.
    public init(
        url: URL, bundleIdentifier: String, transport: any HTTPTransport = DefaultTransport(),
        timeout: TimeInterval = 30
    ) {
        self.bundleIdentifier = bundleIdentifier
        endpoint = JSONEndpoint(
            request: HTTPRequest(method: .post, url: url), transport: transport, timeout: timeout,
            replyLimit: 64 * 1_024)
    }

    /// Asks about a transaction.
    public func confirm(_ transaction: SignedTransaction) async -> Verification<SignedTransaction> {
        await confirm(
            transaction, proof: Data(transaction.signedData.utf8),
            Question(bundleId: bundleIdentifier, signedTransaction: transaction.signedData))
    }

    public func confirm(_ receipt: SignedAppReceipt) async -> Verification<SignedAppReceipt> {
        await confirm(
            receipt, proof: receipt.data,
            Question(bundleId: bundleIdentifier, appReceipt: receipt.data.base64EncodedString()))
    }

    private func confirm<Value>(_ value: Value, proof: Data, _ question: Question) async -> Verification<Value> {
        guard !verified.contains(proof) else { return .verified(value) }
        do throws(JSONEndpoint.NoAnswer) {
            let answer: Answer = try await endpoint.post(question)
            switch answer.verdict {
            case "verified":
                verified.insert(proof)
                return .verified(value)
            case "rejected":
                let reason = answer.reason.map { String($0.prefix(Self.reasonLimit)) } ?? "the server rejects it"
                return .rejected([RejectionReason(code: .app, detail: reason)])
            case "undetermined":
                let reason = answer.reason.map { String($0.prefix(Self.reasonLimit)) }
                return .undetermined(reason ?? "the server cannot tell now")
            default:
                return .undetermined("the server's verdict \"\(answer.verdict.prefix(40))\" is not known")
            }
        } catch {
            return .undetermined(error.reason)
        }
    }

    /// More would not be read by anybody.
    private static let reasonLimit = 500

    private struct Question: Encodable {
        let bundleId: String
        var signedTransaction: String?
        var appReceipt: String?
    }

    private struct Answer: Decodable {
        let verdict: String
        let reason: String?
    }
}
