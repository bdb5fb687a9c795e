public import Foundation

/// The folder in which an app keeps what Vitrine needs, and what lies where in it.
public struct Home: Sendable, Hashable {
    public let url: URL

    public init(url: URL) { self.url = url }

    /// What the customer owns: durable, and backed up.
    public var ledger: URL { url.appending(path: "ledger.sqlite", directoryHint: .notDirectory) }

    /// What was downloaded and may vanish: catalogs and images.
    public var cache: URL { url.appending(path: "Cache", directoryHint: .isDirectory) }

    /// Downloaded content: left out of backups, because it can be had again.
    public var hostedContent: URL { url.appending(path: "HostedContent", directoryHint: .isDirectory) }

    /// The state and keys of a simulated store, where one is used.
    public var store: URL { url.appending(path: "Store", directoryHint: .isDirectory) }

    /// Makes the folder, unless it is there.
    ///
    /// - Throws: What the file system says.
    public func create() throws {
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }
}
