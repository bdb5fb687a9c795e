import Foundation
import Receipts

/// A receipt as a file has it, and what it claims.
struct ReceiptClaims {
    let data: Data
    let receipt: AppReceipt
    let signature: ReceiptSignature

    /// - Throws: ``ToolFailure`` where the file cannot be read or is no receipt.
    init(file: String) throws {
        data = try InputFile.read(file, limit: AppReceipt.sizeLimit)
        do throws(RejectionReason) {
            signature = try ReceiptSignature(unverified: data)
            receipt = try AppReceipt(unverified: data)
        } catch {
            throw ToolFailure(status: .unusableData, reason: "\(file): not an app receipt: \(error.detail)")
        }
    }

    /// Checks who has signed it, and takes its word for everything else.
    func signatureVerdict(_ trust: TrustOptions) async throws -> Verdict {
        // Whether it is still good is another matter than who has signed it.
        let date = trust.date ?? receipt.creationDate
        let verifier = AppReceiptVerifier(
            roots: try trust.trustedRoots, bundleIdentifier: receipt.bundleIdentifier,
            environment: receipt.type.environment, deviceIdentifier: nil, validity: trust.validity, now: { date })
        return Verdict(await verifier.verify(receipt: data), ignoring: .expired)
    }
}

extension ReceiptSignature {
    var lines: [String] {
        ["signed with RSA and \(digestAlgorithm); the certificates that came with it:"] + certificates.map(\.line)
    }
}
