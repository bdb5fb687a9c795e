import Foundation
import Receipts
import StoreSimulator

/// Verifier that trusts only the receipts that a simulated store issues for its device.
///
/// The store creates the keys for receipts when its root certificate is first requested, so the certificate is
/// requested with the first receipt.
struct StoreReceiptVerifier: ReceiptVerifier {
    let store: SimulatedStore

    func verify(receipt data: Data) async -> Verification<SignedAppReceipt> {
        await verify { await $0.verify(receipt: data) }
    }

    func verify(kept data: Data) async -> Verification<SignedAppReceipt> {
        await verify { await $0.verify(kept: data) }
    }

    private func verify(
        _ body: (AppReceiptVerifier) async -> Verification<SignedAppReceipt>
    ) async -> Verification<SignedAppReceipt> {
        let verifier: AppReceiptVerifier
        do {
            verifier = try AppReceiptVerifier(
                roots: TrustedRoots(pem: store.receiptRootCertificate), bundleIdentifier: store.bundleIdentifier,
                environment: .sandbox, deviceIdentifier: store.deviceIdentifier)
        } catch {
            return .undetermined("\(error)")
        }
        return await body(verifier)
    }
}
