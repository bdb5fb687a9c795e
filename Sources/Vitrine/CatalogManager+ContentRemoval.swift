internal import Foundation
public import HostedContent
internal import ProductCatalog

extension CatalogManager.Content {
    /// Reads the installed content of a product again, owned or not, and compares it with the content as installed.
    ///
    /// - Throws: ``OwnedContentError`` if the product is not in the catalog, has no hosted content, nothing is
    ///   installed, or the content cannot be read.
    public func check(for identifier: String) async throws(OwnedContentError) -> ContentCheck {
        let product = try productWithContent(identifier)
        guard let path = product.hostedContentPath else { throw .notHosted(identifier) }
        do throws(ContentError) {
            guard try manager.ownedContent.content(of: product, at: path) != nil else {
                throw ContentError(code: .notFound, reason: "the content of \(identifier) is not installed")
            }
            return try await manager.ownedContent.directory.check(at: path)
        } catch {
            throw OwnedContentError(error)
        }
    }

    /// Repairs the content of an owned product if it differs from the content as installed. Only the differing files
    /// are downloaded if the server provides single files, otherwise all content. Existing content stays until the new
    /// content is complete.
    ///
    /// - Returns: `true` if a repair was necessary.
    /// - Throws: ``OwnedContentError``, as ``download(for:)`` does.
    @discardableResult
    public func repair(for identifier: String) async throws(OwnedContentError) -> Bool {
        let (product, path) = try ownedHostedProduct(identifier)
        do {
            if try manager.ownedContent.content(of: product, at: path) != nil,
                try await manager.ownedContent.directory.check(at: path).isWhole
            {
                return false
            }
            _ = try await manager.ownedContent.downloads.content(
                ContentDownloads.Wanted(ContentRequest(product), at: path), isAsked: true)
            return true
        } catch {
            throw OwnedContentError(error)
        }
    }

    /// Removes the content of a product, owned or not, and the data of its download. Content that was provided before
    /// is no longer available. It is downloaded again on request, or for a purchase that waits for it.
    ///
    /// - Returns: State before the removal.
    /// - Throws: ``OwnedContentError`` if the product is not in the catalog, has no hosted content, or the content
    ///   cannot be removed, for example while another process downloads it.
    @discardableResult
    public func remove(for identifier: String) async throws(OwnedContentError) -> ContentRemoval {
        guard let path = try productWithContent(identifier).hostedContentPath else { throw .notHosted(identifier) }
        do {
            let hasDropped = try await manager.ownedContent.downloads.drop(identifier)
            return try remove(identifier, at: path) ? .installed : hasDropped ? .download : .nothing
        } catch {
            throw OwnedContentError(error)
        }
    }

    func remove(_ identifier: String, at path: ContentPath) throws(ContentError) -> Bool {
        guard try manager.ownedContent.directory.installedContent(at: path)?.productIdentifier == identifier else {
            return false
        }
        guard try manager.ownedContent.directory.remove(at: path) != nil else { return false }
        manager.state.tell(.content(.removed([identifier])))
        return true
    }
}

/// State of a product's content before its removal.
public enum ContentRemoval: Sendable, Hashable {
    /// Installed content.
    case installed
    /// Content that was not installed, but had an unfinished download or the record of a canceled one.
    case download
    /// Neither installed content nor a download.
    case nothing
}
