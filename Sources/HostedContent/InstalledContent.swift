public import Foundation

/// Content in its place: complete, as it was packed.
public struct InstalledContent: Sendable, Hashable {
    /// The package's `IAPProductIdentifier`.
    public let productIdentifier: String
    /// The package's `ContentVersion`.
    public let version: String
    /// The folder with what the package had in `Contents`.
    public let url: URL

    /// The package's `ContentInfo.plist` lies under this name in the installed folder, and so came there with it.
    static let recordName = ".ContentInfo.plist"
}
