internal import Crypto
public import Foundation
internal import HTTPTypes
public import VitrineNetworking
internal import VitrineSupport

/// Confirmation of purchases by a server of the app, after they were verified on the device: the server can check, for
/// example, whether the purchase belongs to the account or was used before.
///
/// The verifier posts one JSON object, `{"bundleId": …, "signedTransaction": …}` with the compact JWS or
/// `{"bundleId": …, "appReceipt": …}` with the receipt in base64, and reads `{"verdict": …, "reason": …}` from a reply
/// with status 200. The verdict is `verified`, `rejected` or `undetermined`. Any other outcome (no connection, no reply
/// in time, another status, another format, an unknown verdict) gives no information about the purchase and is
/// undetermined. That includes 4xx: a server that does not understand the request has not evaluated the purchase.
///
/// Data that the server has verified is not sent again while the app runs.
public struct ServerVerifier: ReceiptConfirmation {
    private let bundleIdentifier: String
    private let endpoint: JSONEndpoint
    private let verified = VerifiedDigests(limit: 10_000)

    /// Creates a verifier that asks a server.
    ///
    /// - Parameters:
    ///   - url: Address of the server, with `https`, to which the JSON object is posted.
    ///   - bundleIdentifier: Bundle identifier of the app.
    ///   - transport: Transport that sends the requests.
    ///   - timeout: Number of seconds after which the result is undetermined if there is no complete reply.
    public init(
        url: URL, bundleIdentifier: String, transport: any HTTPTransport = DefaultTransport(),
        timeout: TimeInterval = 30
    ) {
        self.bundleIdentifier = bundleIdentifier
        endpoint = JSONEndpoint(
            request: HTTPRequest(method: .post, url: url),
            client: JSONClient(transport: transport, timeout: timeout, replyLimit: 64 * 1_024))
    }

    /// Asks the server to confirm a transaction.
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
        do throws(HTTPTransportError) {
            let answer: Answer = try await endpoint.post(question)
            switch answer.verdict {
            case "verified":
                verified.insert(proof)
                return .verified(value)
            case "rejected":
                let reason =
                    answer.reason.map { String($0.prefix(Self.reasonLimit)) } ?? "the app's server rejected the data"
                return .rejected([RejectionReason(code: .app, reason: reason)])
            case "undetermined":
                let reason = answer.reason.map { String($0.prefix(Self.reasonLimit)) }
                return .undetermined(reason ?? "the app's server cannot verify the data now")
            default:
                return .undetermined("the app's server sent an unknown verdict: \"\(answer.verdict.prefix(40))\"")
            }
        } catch {
            return .undetermined(error.reason)
        }
    }

    /// Maximum number of characters of a server's reason that are kept.
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

/// Digests of the data that a server has verified, so that the same data is not sent again. Data that was rejected or
/// undetermined is not recorded and is sent each time.
final class VerifiedDigests: Sendable {
    private let limit: Int
    private let known = Locked((digests: Set<SHA256.Digest>(), order: [SHA256.Digest]()))

    init(limit: Int) { self.limit = limit }

    func contains(_ data: Data) -> Bool {
        known.withLock { $0.digests.contains(SHA256.hash(data: data)) }
    }

    /// Adds the digest of data, and removes the digest that was added first if there are more than the limit.
    func insert(_ data: Data) {
        known.withLock { known in
            let digest = SHA256.hash(data: data)
            guard known.digests.insert(digest).inserted else { return }
            known.order.append(digest)
            if known.order.count > limit { known.digests.remove(known.order.removeFirst()) }
        }
    }
}

/// Service that confirms app receipts that were already verified on the device.
public protocol ReceiptConfirmation: Sendable {
    /// Asks the service to confirm a receipt.
    func confirm(_ receipt: SignedAppReceipt) async -> Verification<SignedAppReceipt>
}

extension ReceiptVerifier {
    /// Returns a verifier that accepts a receipt only if both this verifier and the confirmation accept it. Receipts
    /// that this verifier does not accept are not sent to the confirmation.
    public func confirmed(by confirmation: any ReceiptConfirmation) -> any ReceiptVerifier {
        ConfirmedReceiptVerifier(base: self, confirmation: confirmation)
    }
}

private struct ConfirmedReceiptVerifier: ReceiptVerifier {
    let base: any ReceiptVerifier
    let confirmation: any ReceiptConfirmation

    func verify(receipt data: Data) async -> Verification<SignedAppReceipt> {
        await confirmed(base.verify(receipt: data))
    }

    /// Verifies a stored receipt without the confirmation, which was obtained when the receipt was received.
    func verify(kept data: Data) async -> Verification<SignedAppReceipt> { await base.verify(kept: data) }

    func verify(moved data: Data) async -> Verification<SignedAppReceipt> {
        await confirmed(base.verify(moved: data))
    }

    private func confirmed(_ verification: Verification<SignedAppReceipt>) async -> Verification<SignedAppReceipt> {
        guard case .verified(let receipt) = verification else { return verification }
        return await confirmation.confirm(receipt)
    }
}
