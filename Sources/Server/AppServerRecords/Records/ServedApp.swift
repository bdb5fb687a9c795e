package import Foundation
package import VitrineReceipts

/// App of a server: one bundle identifier in one environment of the store.
package struct ServedApp: Sendable {
    /// Name of the app in URLs and in the database: its bundle identifier, or a different name if the app is served for
    /// several environments.
    package let name: String
    package let bundleIdentifier: String
    package let environment: StoreEnvironment
    /// Verifier of data that the store has signed for the app.
    package let verifier: SignedDataVerifier
    /// Public keys of the app's own login, which verify account tokens, by key identifier (`kid`).
    package var accountKeys: [String: AccountKey] = [:]
    /// Maximum number of devices of a customer without an account.
    package var mostDevicesWithoutAccount = 10

    package init(
        name: String, bundleIdentifier: String, environment: StoreEnvironment, verifier: SignedDataVerifier
    ) {
        self.name = name
        self.bundleIdentifier = bundleIdentifier
        self.environment = environment
        self.verifier = verifier
    }
}

/// Public key of an app's own login.
package enum AccountKey: Sendable {
    /// P-256 key for the algorithm ES256, in X9.63 form.
    case es256(Data)
    /// Ed25519 key for the algorithm EdDSA, in raw form.
    case edDSA(Data)
}
