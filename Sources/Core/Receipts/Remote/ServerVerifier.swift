internal import Crypto
public import Foundation
internal import HTTPTypes
internal import VitrineAppServerAPI
public import VitrineNetworking
internal import VitrineSupport

/// Confirmation of purchases by a server of the app, after verification on the device. The server can check, for
/// example, whether a purchase belongs to the customer's account or was used before.
///
/// The verifier posts one JSON object, and reads `{"verdict": …, "reason": …}` from a reply with status 200:
/// - `{"bundleId": …, "signedTransaction": …}` with the compact JWS, or
/// - `{"bundleId": …, "appReceipt": …}` with the receipt in Base64.
///
/// The verdict is `verified`, `rejected` or `undetermined`. Any other outcome (no connection, no reply in time, another
/// status or format, an unknown verdict) gives no information about the purchase and is treated as undetermined. This
/// includes 4xx: a server that does not understand the request has not evaluated the purchase.
///
/// Data that the server has verified is not sent again while the app runs.
public struct ServerVerifier: ReceiptConfirmation {
    private let bundleIdentifier: String
    private let endpoint: JSONEndpoint
    private let verified = VerifiedDigests(limit: 10_000)

    /// Creates a verifier.
    ///
    /// - Parameters:
    ///   - url: Address of the server, with `https`. The JSON object is posted to it.
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
            client: JSONClient(
                transport: transport, timeout: timeout, replyLimit: AppServerAPI.verify.replyLimit))
    }

    /// Asks the server to confirm a transaction.
    public func confirm(_ transaction: SignedTransaction) async -> Verification<SignedTransaction> {
        await confirm(
            transaction, proof: Data(transaction.signedData.utf8),
            VerificationQuestion(bundleId: bundleIdentifier, signedTransaction: transaction.signedData))
    }

    public func confirm(_ receipt: SignedAppReceipt) async -> Verification<SignedAppReceipt> {
        await confirm(
            receipt, proof: receipt.data,
            VerificationQuestion(bundleId: bundleIdentifier, appReceipt: receipt.data.base64EncodedString()))
    }

    private func confirm<Value>(
        _ value: Value, proof: Data, _ question: VerificationQuestion
    ) async -> Verification<Value> {
        guard !verified.contains(proof) else { return .verified(value) }
        do throws(HTTPTransportError) {
            let answer: VerificationAnswer = try await endpoint.post(question)
            switch answer.verdict {
            case "verified":
                verified.insert(proof)
                return .verified(value)
            case "rejected":
                let reason =
                    answer.reason.map { String($0.prefix(Self.reasonLimit)) } ?? "the app's server rejected the data"
                return .rejected(.app, reason)
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

    /// Maximum number of characters of a server's reason. Further characters are discarded.
    private static let reasonLimit = 500
}

/// Digests of data that a server has verified, so that the same data is not sent again. Rejected and undetermined data
/// is not recorded, so that it is sent each time.
final class VerifiedDigests: Sendable {
    private let limit: Int
    private let known = Locked((digests: Set<SHA256.Digest>(), order: [SHA256.Digest]()))

    init(limit: Int) { self.limit = limit }

    func contains(_ data: Data) -> Bool {
        known.withLock { $0.digests.contains(SHA256.hash(data: data)) }
    }

    /// Adds the digest of data, and removes the oldest digest if there are more than the limit.
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
    /// Requests the confirmation of a receipt.
    func confirm(_ receipt: SignedAppReceipt) async -> Verification<SignedAppReceipt>
}

extension ReceiptVerifier {
    /// Returns a verifier that accepts a receipt only if both this verifier and the confirmation accept it. Receipts
    /// that this verifier does not accept are not sent for confirmation.
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

    /// Verifies a stored receipt without a confirmation, because it was confirmed when it was received.
    func verify(stored data: Data) async -> Verification<SignedAppReceipt> { await base.verify(stored: data) }

    func verify(moved data: Data) async -> Verification<SignedAppReceipt> {
        await confirmed(base.verify(moved: data))
    }

    private func confirmed(_ verification: Verification<SignedAppReceipt>) async -> Verification<SignedAppReceipt> {
        guard case .verified(let receipt) = verification else { return verification }
        return await confirmation.confirm(receipt)
    }
}
