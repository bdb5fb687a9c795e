public import VitrineCatalog
internal import VitrineEntitlements
public import VitrineHostedContent

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
    /// Installed content that is provided to the app.
    case installed
    /// Installed content that is provided to the app, in another version than the catalog requires.
    case updateAvailable
    /// Content of an owned product that is not installed, and can be downloaded.
    case notInstalled
    /// Content of a product that is not owned, and is not installed.
    case notOwned
    /// Content of a product that is no longer owned. It is still installed, but not provided to the app.
    case withheld
    /// Content of a product whose ownership is unknown. It is not provided to the app even if it is installed, because
    /// the ledger records a purchase, of any product, that the store has revoked and not reinstated since.
    case ownershipUnknown

    /// Creates the state of a product's content from its installation and the product's ownership.
    ///
    /// - Parameter mayGiveOut: `true` to provide installed content although the ownership of its product is unknown.
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
public typealias OwnedContentError = CodedError<OwnedContentErrorCode>

/// Category of ``OwnedContentError``.
public enum OwnedContentErrorCode: String, ErrorCode {
    /// The catalog does not contain the product.
    case notInCatalog = "not-in-catalog"
    /// The product has no hosted content.
    case notHosted = "not-hosted"
    /// The customer does not own the product.
    case notOwned = "not-owned"
    /// The ownership of the product cannot be determined now.
    case ownershipUnknown = "ownership-unknown"
    /// The product is owned, but its content is not installed.
    case notInstalled = "not-installed"
    /// The content cannot be downloaded now, or is invalid.
    case unavailable
    /// Reading or writing failed on this device: no space, no permission, an I/O error.
    case storage
    /// The download is paused, was canceled, or waits for the app's permission.
    case stopped

    public var advice: String? {
        switch self {
        case .notInCatalog: "Add the product to the catalog, or correct the identifier."
        case .notHosted: "Request only the content of products for which the catalog names hosted content."
        case .notOwned: "Buy the product, or restore earlier purchases."
        case .ownershipUnknown: "Load the products, and try again when the store can be reached."
        case .notInstalled: "Download the content."
        case .unavailable: "Connect to the internet and try again later."
        case .storage: "Free space on the device and check the permissions of the storage directory, then try again."
        case .stopped: "Resume the download, or start it again."
        }
    }
}
