package import Foundation
package import VitrineCatalog
package import VitrineReceipts
package import VitrineStoreSimulator

/// The sample app's store, in a folder of a test's own.
package struct VoyagerStore: Sendable {
    package let folder: TemporaryFolder
    package let store: SimulatedStore
    package let clock: TestClock

    /// - Parameter seed: With 0, transactions are numbered from 1.
    package init(configuration: URL = Repository.sample("Voyager.storekit"), seed: UInt64 = 0) throws {
        let (folder, clock) = (try TemporaryFolder(), TestClock())
        try SimulatedStore.create(
            in: folder["Store"], configuration: Data(contentsOf: configuration),
            bundleIdentifier: Self.bundleIdentifier, now: { clock.now }, seed: seed)
        self.folder = folder
        self.clock = clock
        store = try SimulatedStore(folder: folder["Store"], now: { clock.now })
    }

    package static let bundleIdentifier = "com.example.voyager"

    package static func catalog() throws -> Catalog { try CatalogFile(url: Repository.sample("Voyager.plist")).catalog }

    /// The store as it is after the process has ended and begun again.
    package func reopened() throws -> SimulatedStore {
        let clock = clock
        return try SimulatedStore(folder: folder["Store"], now: { clock.now })
    }

    /// Trusts the app receipts of this store's device and no others.
    package func receiptVerifier() throws -> AppReceiptVerifier {
        let clock = clock
        return AppReceiptVerifier(
            roots: try TrustedRoots(pem: store.receiptRootCertificate), bundleIdentifier: Self.bundleIdentifier,
            environment: .sandbox, deviceIdentifier: store.deviceIdentifier, now: { clock.now })
    }

    /// Trusts this store and no other.
    package func verifier() throws -> SignedDataVerifier {
        SignedDataVerifier(
            roots: try TrustedRoots(pem: store.rootCertificate),
            bundleIdentifier: Self.bundleIdentifier, environment: .sandbox)
    }
}

extension String {
    /// The identifier of a product of the sample app.
    package static func voyager(_ name: String) -> String { "com.example.voyager.\(name)" }
}
