internal import Entitlements
public import HostedContent
public import ProductCatalog

/// Hosted content of a product, as shown on a screen that manages downloads.
public struct ContentListing: Sendable, Hashable, Identifiable {
    /// Identifier of the product.
    public let id: String
    /// Installed version; `nil` if none is installed.
    public let version: String?
    /// Version that the catalog requires; `nil` if the catalog does not name one.
    public let catalogVersion: String?
    /// Total size of the installed files, in bytes; `nil` if nothing is installed.
    public let size: Int?
    /// Path of the content in the content directory, installed or not.
    public let path: ContentPath
    /// Availability of the content.
    public let state: ContentState
    /// Download of the content; `nil` if none was requested.
    public let download: DownloadStatus?
}

/// Availability of a product's content.
public enum ContentState: String, Sendable, Hashable, Codable, CaseIterable {
    /// Installed content that is provided.
    case installed
    /// Installed content that is provided, in another version than the catalog requires.
    case updateAvailable
    /// Content of an owned product that is not installed, and can be.
    case notInstalled
    /// Content of a product that is not owned, and is not installed.
    case notOwned
    /// Content of a product that is no longer owned. It is still installed, but not provided.
    case withheld
    /// Content of a product whose ownership is unknown. Installed content is not provided, because a purchase was
    /// revoked before.
    case ownershipUnknown

    /// - Parameter mayGiveOut: `true` to provide installed content although its ownership is unknown.
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

/// Error that explains why a product's content was not provided or installed.
public struct OwnedContentError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Type of failure. More types may be added.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        public let description: String

        private init(_ description: String) { self.description = description }

        /// Product that the catalog does not contain.
        public static let notInCatalog = Code("not-in-catalog")
        /// Product without hosted content.
        public static let notHosted = Code("not-hosted")
        /// Product that is not owned.
        public static let notOwned = Code("not-owned")
        /// Product whose ownership cannot be determined now.
        public static let ownershipUnknown = Code("ownership-unknown")
        /// Owned product whose content is not installed.
        public static let notInstalled = Code("not-installed")
        /// Content that is unavailable, or cannot be used as it is.
        public static let unavailable = Code("unavailable")
        /// Failure to read or write on this device: no space, no permission, an I/O error.
        public static let storage = Code("storage")
        /// Download that is paused, was canceled, or waits for the app's permission.
        public static let stopped = Code("stopped")
    }

    public let code: Code
    /// Reason for the failure, as the rest of a sentence.
    public let reason: String

    public var description: String { reason }
}
