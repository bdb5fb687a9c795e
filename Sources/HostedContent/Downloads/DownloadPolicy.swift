/// Settings of an app for downloads.
public struct DownloadPolicy: Sendable {
    /// Number of products whose content is downloaded at the same time; at least 1.
    public var mostAtOnce: Int {
        didSet { mostAtOnce = max(1, mostAtOnce) }
    }
    /// Called before content is fetched, and again whenever its length becomes known or differs from the one before: an
    /// app may want to wait for another network. The length is in bytes.
    public var permission: (@Sendable (ContentRequest, _ length: Int?) async -> DownloadPermission)?

    public init(
        mostAtOnce: Int = 2,
        permission: (@Sendable (ContentRequest, _ length: Int?) async -> DownloadPermission)? = nil
    ) {
        self.mostAtOnce = max(1, mostAtOnce)
        self.permission = permission
    }
}

/// Answer of an app about a download that is to start.
public enum DownloadPermission: Sendable, Hashable {
    case allowed
    /// The download has to wait, for a reason to be shown. The app is asked again when the network changes (with
    /// `ManagerOptions.networkChanges`), when it returns to the foreground, when products are loaded, and when the
    /// content is requested.
    case notNow(String)
}

/// Priority of a download in the queue.
package enum DownloadPriority: Int, Sendable, Comparable {
    /// The customer has opened the product and waits for it.
    case opened
    /// The product itself was bought or requested.
    case wanted
    /// The product is part of a bundle that was bought.
    case unlocked

    package static func < (left: DownloadPriority, right: DownloadPriority) -> Bool { left.rawValue < right.rawValue }
}
