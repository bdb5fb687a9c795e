package import Foundation
package import VitrineCatalog
package import VitrineReceipts
package import VitrineStoreSimulator

/// Store of the sample app, in a temporary folder.
package struct VoyagerStore: Sendable {
    package let folder: TemporaryFolder
    package let store: SimulatedStore
    package let clock: TestClock

    /// - Parameters:
    ///   - seed: Seed of the transaction numbers; 0 numbers transactions from 1.
    ///   - receiptIdentity: What signs app receipts; `nil` for an identity of this store alone.
    package init(
        configuration: URL = Repository.sample("Voyager.storekit"), seed: UInt64 = 0,
        receiptIdentity: ReceiptSigningIdentity? = .sample
    ) throws {
        let (folder, clock) = (try TemporaryFolder(), TestClock())
        try SimulatedStore.create(
            in: folder["Store"], configuration: Data(contentsOf: configuration),
            bundleIdentifier: Self.bundleIdentifier, receiptIdentity: receiptIdentity, now: { clock.now }, seed: seed)
        self.folder = folder
        self.clock = clock
        store = try SimulatedStore(folder: folder["Store"], now: { clock.now })
    }

    package static let bundleIdentifier = "com.example.voyager"

    package static func catalog() throws -> Catalog { try CatalogFile(url: Repository.sample("Voyager.plist")).catalog }

    /// Returns the store as after a restart of the process.
    package func reopened() throws -> SimulatedStore {
        let clock = clock
        return try SimulatedStore(folder: folder["Store"], now: { clock.now })
    }

    /// Returns a verifier that trusts only the app receipts of this store's device.
    package func receiptVerifier() throws -> AppReceiptVerifier {
        let clock = clock
        return AppReceiptVerifier(
            roots: try TrustedRoots(pem: store.receiptRootCertificate), bundleIdentifier: Self.bundleIdentifier,
            environment: .sandbox, deviceIdentifier: store.deviceIdentifier, now: { clock.now })
    }

    /// Returns a verifier that trusts only this store.
    package func verifier() throws -> SignedDataVerifier {
        SignedDataVerifier(
            roots: try TrustedRoots(pem: store.rootCertificate),
            bundleIdentifier: Self.bundleIdentifier, environment: .sandbox)
    }
}

extension String {
    /// Returns the identifier of a product of the sample app.
    package static func voyager(_ name: String) -> String { "com.example.voyager.\(name)" }
}
