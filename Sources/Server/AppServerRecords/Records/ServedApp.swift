package import Foundation
package import VitrineReceipts

/// App whose customers a server keeps: one bundle identifier in one environment of the store.
package struct ServedApp: Sendable {
    /// Name of the app in addresses and in the database: its bundle identifier, or another name for another environment.
    package let name: String
    package let bundleIdentifier: String
    package let environment: StoreEnvironment
    /// Verifier of what the store signs for the app.
    package let verifier: SignedDataVerifier
    /// Public keys of the app's own login, by their identifiers (`kid`), with which account tokens are signed.
    package var accountKeys: [String: AccountKey] = [:]
    /// Largest number of devices of a customer without an account.
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
    /// P-256 key for ES256, in X9.63 form.
    case es256(Data)
    /// Ed25519 key for EdDSA, in raw form.
    case edDSA(Data)
}
