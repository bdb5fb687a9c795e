public import HostedContent

/// How far the hosted content of a product is: its own, and, for a bundle, that of everything in it.
public struct ListedContent: Sendable, Hashable {
    /// Whether the product's own content is there; `nil` for a bundle that has none itself.
    public let state: ContentState?
    /// The download of the product's own content; `nil` where nobody has asked for one.
    public let download: DownloadStatus?
    /// How many products have content: the product itself and what it contains.
    public let count: Int
    /// Of how many of them it is installed.
    public let installedCount: Int
    /// The part that is here, from 0 to 1, each product's content counting the same.
    public let fraction: Double

    /// All of it is installed.
    public var isComplete: Bool { installedCount == count }
}
