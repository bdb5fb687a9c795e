public import Foundation

/// Access to the content of products that a store hosts.
public protocol StoreHostedContent: Sendable {
    /// Returns `true` if the store has content for a product, as far as that is known on the device.
    func hasContent(for productIdentifier: String) -> Bool

    /// Downloads the package with a product's content.
    ///
    /// If the call is cancelled or fails, received data may remain in the directory, and the next call resumes from
    /// there.
    ///
    /// - Parameters:
    ///   - productIdentifier: The product's identifier.
    ///   - folder: The directory for this product only. The returned package is located in it, and the caller removes
    ///     it.
    ///   - progress: Called with the number of received bytes, and the total number as soon as it is known; from any
    ///     thread.
    /// - Returns: A directory with a `ContentInfo.plist` beside a directory `Contents`; `nil` if the store has no
    ///   content.
    /// - Throws: ``StoreError`` if the store cannot be reached, or the download is interrupted.
    func contentPackage(
        for productIdentifier: String, in folder: URL,
        progress: @escaping @Sendable (_ received: Int, _ total: Int?) -> Void
    ) async throws(StoreError) -> URL?
}

extension Store {
    /// Default for stores that host no content.
    public var content: (any StoreHostedContent)? { nil }
}
