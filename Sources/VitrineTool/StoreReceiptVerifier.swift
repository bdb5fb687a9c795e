import Foundation
import Receipts
import StoreSimulator

/// Trusts the receipts that a simulated store issues for its device, and no others.
///
/// The store makes the keys for them only when it is asked for the root certificate: so it is asked with the first receipt.
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
