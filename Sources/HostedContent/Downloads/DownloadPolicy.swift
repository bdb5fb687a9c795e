/// What an app has its say in about downloads.
public struct DownloadPolicy: Sendable {
    /// So many products' content is downloaded at once; at least one.
    public var mostAtOnce: Int {
        didSet { mostAtOnce = max(1, mostAtOnce) }
    }
    /// Asked before content is fetched, and again whenever its length turns out to be another than the one asked about, or
    /// is known for the first time: an app may want to wait for another network. The length is in bytes.
    public var permission: (@Sendable (ContentRequest, _ length: Int?) async -> DownloadPermission)?

    public init(
        mostAtOnce: Int = 2,
        permission: (@Sendable (ContentRequest, _ length: Int?) async -> DownloadPermission)? = nil
    ) {
        self.mostAtOnce = max(1, mostAtOnce)
        self.permission = permission
    }
}

/// What an app says about a download that is to begin.
public enum DownloadPermission: Sendable, Hashable {
    case allowed
    /// It has to wait, for a reason in words. It is asked about again when the network has changed, where the manager is told
    /// so (`ManagerOptions.networkChanges`), the app comes back to the foreground, products are loaded, or anybody asks for
    /// the content.
    case notNow(String)
}

/// Whose turn it is first.
package enum DownloadPriority: Int, Sendable, Comparable {
    /// The customer looks at the product and waits for it.
    case opened
    /// It was bought or asked for itself.
    case wanted
    /// It comes with something that was bought.
    case unlocked

    package static func < (left: DownloadPriority, right: DownloadPriority) -> Bool { left.rawValue < right.rawValue }
}
