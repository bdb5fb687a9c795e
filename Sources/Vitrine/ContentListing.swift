internal import Entitlements
public import HostedContent
public import ProductCatalog

/// The hosted content of a product, as a screen that manages downloads shows it.
public struct ContentListing: Sendable, Hashable, Identifiable {
    /// The product's identifier.
    public let id: String
    /// The version that is installed; `nil` where none is.
    public let version: String?
    /// The version that the catalog asks for; `nil` where it does not say.
    public let catalogVersion: String?
    /// The length of all installed files, in bytes; `nil` where nothing is installed.
    public let size: Int?
    /// Where it lies, or is to lie, in the content directory.
    public let path: ContentPath
    /// Whether it is there and given out.
    public let state: ContentState
    /// Its download; `nil` where nobody has asked for one.
    public let download: DownloadStatus?
}

/// Whether a product's content is there and may be used.
public enum ContentState: String, Sendable, Hashable, Codable, CaseIterable {
    /// It is there, and given out.
    case installed
    /// Another version is there, and given out, than the one that the catalog asks for.
    case updateAvailable
    /// The product is owned, and its content is not there: it can be installed.
    case notInstalled
    /// The product is not owned, and its content is not there.
    case notOwned
    /// The product is not owned any more. Its content is still there, and not given out.
    case withheld
    /// It cannot be told whether the product is owned. What is there is not given out, because something was taken back
    /// before.
    case ownershipUnknown

    /// - Parameter mayGiveOut: What is installed is given out though nobody knows whether it is owned.
    init(isInstalled: Bool, isCurrent: Bool, ownership: Ownership, mayGiveOut: Bool) {
        self =
            switch (ownership, isInstalled) {
            case (.owned, true): isCurrent ? .installed : .updateAvailable
            case (.owned, false): .notInstalled
            case (.notOwned, true): .withheld
            case (.notOwned, false): .notOwned
            case (.unknown, true) where mayGiveOut: .installed
            case (.unknown, _): .ownershipUnknown
            }
    }
}

/// Why a product's content was not given out or installed.
public struct OwnedContentError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What kind of failure it is. More may be added.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        public let description: String

        private init(_ description: String) { self.description = description }

        /// The catalog does not have the product.
        public static let notInCatalog = Code("not-in-catalog")
        /// The product has no hosted content.
        public static let notHosted = Code("not-hosted")
        /// The product is not owned.
        public static let notOwned = Code("not-owned")
        /// It cannot be told now whether the product is owned.
        public static let ownershipUnknown = Code("ownership-unknown")
        /// The product is owned, and its content is not there.
        public static let notInstalled = Code("not-installed")
        /// The content cannot be had, or cannot be used as it is.
        public static let unavailable = Code("unavailable")
        /// Something on this device cannot be read or written: no space, no permission, an I/O error.
        public static let storage = Code("storage")
        /// The download is paused, was cancelled, or waits for the app's permission.
        public static let stopped = Code("stopped")
    }

    public let code: Code
    /// What happened, as the rest of a sentence.
    public let reason: String

    public var description: String { reason }
}
