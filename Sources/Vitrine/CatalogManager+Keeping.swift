internal import Foundation
internal import HostedContent
internal import ProductCatalog

extension CatalogManager {
    /// Removes the content of a product, whoever owns it, and what there is of its download. What was given out of it is
    /// gone.
    ///
    /// - Returns: Whether there was any.
    /// - Throws: ``OwnedContentError`` where the product is not in the catalog, has no hosted content, or it cannot be
    ///   removed.
    @discardableResult
    public func removeContent(for identifier: String) async throws(OwnedContentError) -> Bool {
        guard let path = try productWithContent(identifier).hostedContentPath else { throw .notHosted(identifier) }
        do {
            if content.downloads.status(of: identifier).map({ $0.state != .finished }) ?? false {
                try await content.downloads.cancel(identifier)
            }
            return try remove(identifier, at: path)
        } catch {
            throw OwnedContentError(error)
        }
    }

    private func remove(_ identifier: String, at path: ContentPath) throws(ContentError) -> Bool {
        guard try content.directory.installedContent(at: path)?.productIdentifier == identifier else { return false }
        try content.directory.remove(at: path)
        state.events.send(.contentRemoved([identifier]))
        return true
    }

    func removeWithheldContent() {
        do {
            for listing in try hostedContent() where listing.state == .withheld {
                _ = try remove(listing.id, at: listing.path)
            }
        } catch {
            state.events.send(.contentFailed(error))
        }
    }
}
