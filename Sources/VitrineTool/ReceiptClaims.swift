import Foundation
import Receipts

/// App receipt read from a file, with its unverified claims.
struct ReceiptClaims {
    let data: Data
    let receipt: AppReceipt
    let signature: ReceiptSignature

    /// - Throws: ``ToolFailure`` if the file cannot be read or is not a receipt.
    init(file: String) throws {
        data = try InputFile.read(file, limit: AppReceipt.sizeLimit)
        do throws(RejectionReason) {
            signature = try ReceiptSignature(unverified: data)
            receipt = try AppReceipt(unverified: data)
        } catch {
            throw ToolFailure(status: .unusableData, reason: "\(file): not an app receipt: \(error.reason)")
        }
    }

    /// Checks the signature only; every other claim of the receipt is accepted.
    func signatureVerdict(_ trust: TrustOptions) async throws -> Verdict {
        // Expiry does not affect who signed the receipt, so the creation date is the default.
        let date = trust.date ?? receipt.creationDate
        let verifier = AppReceiptVerifier(
            roots: try trust.trustedRoots, bundleIdentifier: receipt.bundleIdentifier,
            environment: receipt.type.environment, deviceIdentifier: nil, validity: trust.validity, now: { date })
        return Verdict(await verifier.verify(receipt: data), ignoring: .expired)
    }
}

extension ReceiptSignature {
    var lines: [String] {
        ["signed with RSA and \(digestAlgorithm); included certificates:"] + certificates.map(\.line)
    }
}
