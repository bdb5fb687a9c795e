package import Foundation
package import VitrineAppServerRecords
package import VitrineCatalogLoading
package import VitrineReceipts

/// Configuration of the server of apps: where it listens, where it keeps customers, and which apps it serves.
///
/// Files with a configuration are property lists; `Documentation/AppServer.md` describes their keys.
public struct AppServerConfiguration: Sendable {
    /// Address at which a server listens.
    package struct Address: Sendable, Hashable {
        /// Name or number of an address of this machine.
        package var host = "127.0.0.1"
        /// Port; 0 for one that the system chooses.
        package var port: Int

        package init(host: String = "127.0.0.1", port: Int) { (self.host, self.port) = (host, port) }
    }

    /// Place at which customers are kept.
    package enum Storage: Sendable, Hashable {
        /// Folder with a file of SQLite.
        case folder(URL)
        /// Memory, for tests.
        case memory
        /// Connection string of PostgreSQL.
        case postgreSQL(String)
    }

    package var listen = Address(port: 8_080)
    /// Address for operators, which is used if there is an operator.
    package var operatorsListen = Address(port: 8_081)
    package var storage = Storage.folder(URL(filePath: ".vitrine/Server", directoryHint: .isDirectory))
    package var apps: [ConfiguredApp] = []
    package var operators: [OperatorAccount] = []
    /// `true` if all requests come from a proxy, which adds the address of its client to `X-Forwarded-For`.
    package var isBehindProxy = false
    /// Time in seconds between the start of the shutdown, from which the server says that it is not ready, and the
    /// moment from which it accepts no more connections.
    package var drain: TimeInterval = 0

    /// Creates the configuration of a server without apps, which keeps customers in the working directory.
    package init() {}
}

/// App that a server serves, as it is configured.
package struct ConfiguredApp: Sendable {
    /// Name of the app in addresses: its bundle identifier, unless another name is given.
    package var name: String
    package var bundleIdentifier: String
    package var environment: StoreEnvironment
    /// Number of the app in the App Store.
    package var appleID: Int64?
    /// Roots of what the store signs.
    package var roots: TrustedRoots
    /// Catalog that is published at start if the app has none.
    package var catalog: URL?
    /// Folder with hosted content.
    package var content: URL?
    /// Roots that must have signed the catalogs; `nil` if the app's catalogs need no signature.
    package var catalogTrust: CatalogTrust?
    package var accountKeys: [String: AccountKey] = [:]
    /// Key for requests to the store's server; `nil` if there is none.
    package var serverKey: AppStoreServerKey?
    /// Server of the store, if it is neither production nor the sandbox of Apple.
    package var storeServer: URL?

    package init(name: String, bundleIdentifier: String, environment: StoreEnvironment, roots: TrustedRoots) {
        (self.name, self.bundleIdentifier) = (name, bundleIdentifier)
        (self.environment, self.roots) = (environment, roots)
    }

    /// Returns the app as the records of customers know it.
    func served(now: @escaping @Sendable () -> Date) -> ServedApp {
        var app = ServedApp(
            name: name, bundleIdentifier: bundleIdentifier, environment: environment,
            verifier: SignedDataVerifier(
                roots: roots, bundleIdentifier: bundleIdentifier, appIdentifier: appleID, environment: environment,
                now: now))
        app.accountKeys = accountKeys
        return app
    }
}
