import Foundation
import Vitrine
import VitrineReceipts
import VitrineStoreSimulator

/// Verifier that trusts only data signed by the simulated store. It accepts production and sandbox, so that earlier
/// signed data in the ledger remains valid after `vitrine store environment`.
struct StoreVerifier: TransactionVerifier {
    private let verifiers: InEachEnvironment<SignedDataVerifier>

    /// Creates the verifier for a simulated store.
    ///
    /// - Throws: ``SignedDataError`` if the store's root certificate cannot be read.
    init(store: SimulatedStore) throws {
        let (roots, clock) = (try TrustedRoots(pem: store.rootCertificate), store.clock)
        verifiers = InEachEnvironment(of: store) { environment in
            SignedDataVerifier(
                roots: roots, bundleIdentifier: store.bundleIdentifier, environment: environment, now: { clock.now })
        }
    }

    func verify(transaction signedData: String) async -> Verification<SignedTransaction> {
        await verifiers.verify { await $0.verify(transaction: signedData) }
    }

    func verify(appTransaction signedData: String) async -> Verification<SignedAppTransaction> {
        await verifiers.verify { await $0.verify(appTransaction: signedData) }
    }

    func verify(renewal signedData: String) async -> Verification<SignedRenewal> {
        await verifiers.verify { await $0.verify(renewal: signedData) }
    }
}

/// Verifier that trusts only app receipts that the simulated store issued for its device. It accepts production and
/// sandbox.
///
/// The root certificate of the store is requested with the first receipt, because the store creates its receipt keys
/// when the certificate is first requested.
struct StoreReceiptVerifier: ReceiptVerifier {
    let store: SimulatedStore

    func verify(receipt data: Data) async -> Verification<SignedAppReceipt> {
        await verify { await $0.verify(receipt: data) }
    }

    func verify(stored data: Data) async -> Verification<SignedAppReceipt> {
        await verify { await $0.verify(stored: data) }
    }

    private func verify(
        _ body: (AppReceiptVerifier) async -> Verification<SignedAppReceipt>
    ) async -> Verification<SignedAppReceipt> {
        let (roots, clock): (TrustedRoots, StoreClock)
        do {
            (roots, clock) = (try TrustedRoots(pem: store.receiptRootCertificate), store.clock)
        } catch {
            return .undetermined("\(error)")
        }
        let verifiers = InEachEnvironment(of: store) { environment in
            AppReceiptVerifier(
                roots: roots, bundleIdentifier: store.bundleIdentifier, environment: environment,
                deviceIdentifier: store.deviceIdentifier, now: { clock.now })
        }
        return await verifiers.verify(body)
    }
}

/// Pair of verifiers: one for the store's current environment, and one for the other possible environment.
private struct InEachEnvironment<Verifier: Sendable>: Sendable {
    private let present: Verifier
    private let other: Verifier

    init(of store: SimulatedStore, _ verifier: (StoreEnvironment) -> Verifier) {
        present = verifier(store.environment)
        other = verifier(store.environment == .production ? .sandbox : .production)
    }

    func verify<Value>(_ body: (Verifier) async -> Verification<Value>) async -> Verification<Value> {
        let verification = await body(present)
        guard case .rejected(let reasons) = verification, reasons.allSatisfy({ $0.code == .environment }) else {
            return verification
        }
        return await body(other)
    }
}
