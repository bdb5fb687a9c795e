public import Foundation
internal import VitrineFileSystem

/// Storage directory for the data that Vitrine needs in an app, and the layout of its files.
public struct Home: Sendable, Hashable {
    public let url: URL

    public init(url: URL) { self.url = url }

    /// File of the ledger, which records what the customer owns. It is durable and part of backups.
    public var ledger: URL { url.appending(path: "ledger.sqlite", directoryHint: .notDirectory) }

    /// Marker file that is written when a ledger is opened in the storage directory, and shows later that a ledger is
    /// missing.
    package var ledgerMark: URL { url.appending(path: "opened.mark", directoryHint: .notDirectory) }

    /// File that says which App Store account is present, if the app keeps the accounts apart and a second one was seen.
    var presentAccount: URL { url.appending(path: "account.json", directoryHint: .notDirectory) }

    /// Folder with the ledgers of all App Store accounts but the first, each in a folder of its own.
    var accounts: URL { url.appending(path: "Accounts", directoryHint: .isDirectory) }

    /// Folder of downloaded files that may be deleted at any time: catalogs and images.
    public var cache: URL { url.appending(path: "Cache", directoryHint: .isDirectory) }

    /// Folder of downloaded content, which is excluded from backups because it can be downloaded again.
    public var hostedContent: URL { url.appending(path: "HostedContent", directoryHint: .isDirectory) }

    /// Folder with the identifier of the installation, which is excluded from backups.
    var installation: URL { url.appending(path: "Installation", directoryHint: .isDirectory) }

    /// Folder that is locked while the storage directory exchanges with other devices.
    var exchange: URL { url.appending(path: "Exchange", directoryHint: .isDirectory) }

    /// File with the key and the token of this device at the app's own server. Only the owner of the file can read it.
    package var credentials: URL { url.appending(path: "server.json", directoryHint: .notDirectory) }

    /// Folder with the state and the signing keys of a simulated store, if one is used.
    public var store: URL { url.appending(path: "Store", directoryHint: .isDirectory) }

    /// Creates the storage directory if it does not exist. Only its owner can use it; an existing directory loses the
    /// permissions of other users.
    ///
    /// - Throws: Error of the file system.
    public func create() throws {
        try FileManager.default.createDirectory(
            at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: OwnerAccess.folder])
        OwnerAccess.restrict(url)
    }
}
