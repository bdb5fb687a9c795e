public import Foundation
internal import ProductCatalog

/// Whose signature a remote catalog has to bear.
public struct CatalogTrust: Sendable, Hashable {
    /// What follows where there is no good signature.
    public enum Mode: String, Sendable, Hashable, Codable, CaseIterable {
        /// It is told, and the catalog is used all the same.
        case report
        /// The catalog is refused. From one that is out of date nothing new is sold.
        case enforce
    }

    public var mode: Mode
    /// The keys that may sign `keys.plist`: the current one, and the one that is to follow it. They stay offline.
    public var roots: [MinisignPublicKey]
    /// The bundle identifier of the app that the catalog has to be for.
    public var app: String
    /// The channel that it has to be of.
    public var channel: String

    public init(mode: Mode, roots: [MinisignPublicKey], app: String, channel: String = "production") {
        self.mode = mode
        self.roots = roots
        self.app = app
        self.channel = channel
    }
}

/// The files of a signed catalog, as they were served.
public struct SignedCatalogFiles: Sendable, Hashable {
    public var catalog: Data
    /// `<catalog>.minisig`
    public var signature: Data
    /// `keys.plist`, beside the catalog.
    public var keys: Data
    /// `keys.plist.minisig`
    public var keysSignature: Data

    /// Bytes that each of the files beside the catalog has at most.
    package static let smallFileLimit = 64 * 1024

    public init(catalog: Data, signature: Data, keys: Data, keysSignature: Data) {
        self.catalog = catalog
        self.signature = signature
        self.keys = keys
        self.keysSignature = keysSignature
    }
}

/// What came of looking at a catalog's signature.
public enum CatalogSignature: Sendable, Hashable {
    /// Nobody asked for one.
    case notChecked
    /// It is good, and the newest that was ever seen.
    case valid(CatalogStatement)
    /// It was good: it has expired since, its key has, or something newer has been seen.
    case outOfDate(CatalogStatement, CatalogSignatureFailure)
    /// It is not good.
    case invalid(CatalogSignatureFailure)
    /// It cannot be told whether it is good: what was seen before cannot be read.
    case undetermined(String)
}
