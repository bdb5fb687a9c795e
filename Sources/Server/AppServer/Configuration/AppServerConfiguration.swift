package import Foundation
package import VitrineAppServerRecords
package import VitrineCatalogLoading
internal import VitrineNetworking
package import VitrineReceipts

/// Configuration of the app server: the addresses where it listens, the storage of customers, and the served apps.
///
/// A configuration file is a property list; `Documentation/AppServer.md` describes its keys.
public struct AppServerConfiguration: Sendable {
    /// Address at which a server listens.
    package struct Address: Sendable, Hashable {
        /// Host name or IP address of this machine.
        package var host = "127.0.0.1"
        /// Port; 0 lets the system choose one.
        package var port: Int

        package init(host: String = "127.0.0.1", port: Int) { (self.host, self.port) = (host, port) }

        /// Indicates that no server can listen at another address while one listens at this address.
        fileprivate func excludes(_ other: Address) -> Bool {
            port != 0 && port == other.port && (contains(other) || other.contains(self))
        }

        /// Indicates that both addresses have the same host, or this one stands for all hosts of this machine.
        private func contains(_ other: Address) -> Bool {
            host.lowercased() == other.host.lowercased() || host == "::"
                || host == "0.0.0.0" && !other.host.contains(":")
        }
    }

    /// Storage of customers.
    package enum Storage: Sendable, Hashable {
        /// Folder with a SQLite file.
        case folder(URL)
        /// SQLite database in memory, for tests.
        case memory
        /// PostgreSQL database with this connection string.
        case postgreSQL(String)
    }

    package var listen = Address(port: 8_080)
    /// Address for operators; used only if there is an operator.
    package var operatorsListen = Address(port: 8_081)
    package var storage = Storage.folder(URL(filePath: ".vitrine/Server", directoryHint: .isDirectory))
    package var apps: [ConfiguredApp] = []
    package var operators: [OperatorAccount] = []
    /// Number of proxies through which all requests come. Each adds the address of its client to `X-Forwarded-For`.
    package var proxies = 0
    package var limits = ServerLimits()
    /// Delay in seconds of a shutdown, during which the server reports that it is not ready but still accepts
    /// connections.
    package var drain: TimeInterval = 0

    /// Reason why the server cannot listen at both of its addresses; `nil` if the configuration shows none.
    package var addressError: String? {
        guard !operators.isEmpty, listen.excludes(operatorsListen) else { return nil }
        return "the addresses for devices and for operators have the same port, \(listen.port): "
            + "give one of them another"
    }

    /// Creates the configuration of a server without apps, which stores customers below the working directory.
    package init() {}
}

/// Configuration of one app that a server serves.
package struct ConfiguredApp: Sendable {
    /// Name of the app in URLs: by default its bundle identifier.
    package var name: String
    package var bundleIdentifier: String
    package var environment: StoreEnvironment
    /// Number of the app in the App Store (Apple ID).
    package var appleID: Int64?
    /// Root certificates that are trusted for data signed by the store.
    package var roots: TrustedRoots
    /// Catalog that is published at the start if the app has none.
    package var catalog: URL?
    /// Folder with hosted content.
    package var content: URL?
    /// Root keys that must have signed the catalogs; `nil` if the app's catalogs need no signature.
    package var catalogTrust: CatalogTrust?
    package var accountKeys: [String: AccountKey] = [:]
    /// Key for requests to the App Store Server API; `nil` if there is none.
    package var serverKey: AppStoreServerKey?
    /// Address of the store's server, if it is not Apple's server for production or the sandbox.
    package var storeServer: URL?
    /// Date at which the certificates of signed data must be valid.
    package var validity = CertificateValidity.whenSigned
    /// `true` to ask the issuers of the certificates by OCSP whether they have revoked them. Without an answer nothing is
    /// verified.
    package var checksRevocation = false

    /// Maximum lead in seconds of dates in production's data over the clock of the server.
    private static let longestLead: TimeInterval = 86_400

    package init(name: String, bundleIdentifier: String, environment: StoreEnvironment, roots: TrustedRoots) {
        (self.name, self.bundleIdentifier) = (name, bundleIdentifier)
        (self.environment, self.roots) = (environment, roots)
    }

    /// Converts the configured app to the app of ``CustomerRecords``.
    func served(now: @escaping @Sendable () -> Date) -> ServedApp {
        var app = ServedApp(
            name: name, bundleIdentifier: bundleIdentifier, environment: environment,
            verifier: SignedDataVerifier(
                roots: roots, bundleIdentifier: bundleIdentifier, appIdentifier: appleID, environment: environment,
                validity: validity,
                // Apple's certificates name responders with plain HTTP.
                revocation: checksRevocation ? DefaultTransport(plainHTTP: .everywhere) : nil,
                // The clock of a simulated store may be ahead.
                lead: environment == .production ? Self.longestLead : nil, now: now))
        app.accountKeys = accountKeys
        return app
    }
}
