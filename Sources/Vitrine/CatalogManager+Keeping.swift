internal import Foundation
public import HostedContent
internal import ProductCatalog

extension CatalogManager {
    /// Reads the installed content of a product again, whoever owns it, and compares it with what was installed.
    ///
    /// - Throws: ``OwnedContentError`` where the product is not in the catalog, has no hosted content, nothing is installed,
    ///   or it cannot be read.
    public func checkContent(for identifier: String) async throws(OwnedContentError) -> ContentCheck {
        let product = try productWithContent(identifier)
        guard let path = product.hostedContentPath else { throw .notHosted(identifier) }
        do throws(ContentError) {
            guard try content.content(of: product, at: path) != nil else {
                throw ContentError(code: .notFound, reason: "the content of \(identifier) is not installed")
            }
            return try await content.directory.check(at: path)
        } catch {
            throw OwnedContentError(error)
        }
    }

    /// Gets the content of a product that is owned, where it is not as it was installed: just the files that are not, where
    /// the server has files by themselves, else all of it. What is there stays until what is new is whole.
    ///
    /// - Returns: Whether anything had to be done.
    /// - Throws: ``OwnedContentError``, as ``downloadContent(for:)`` does.
    @discardableResult
    public func repairContent(for identifier: String) async throws(OwnedContentError) -> Bool {
        let (product, path) = try ownedHostedProduct(identifier)
        do {
            if try content.content(of: product, at: path) != nil, try await content.directory.check(at: path).isWhole {
                return false
            }
            _ = try await content.downloads.content(
                ContentDownloads.Wanted(ContentRequest(product), at: path), isAsked: true)
            return true
        } catch {
            throw OwnedContentError(error)
        }
    }

    /// Removes the content of a product, whoever owns it, and what there is of its download. What was given out of it is
    /// gone. It comes again once anybody wants it: a purchase that waits for it, too.
    ///
    /// - Returns: What there was.
    /// - Throws: ``OwnedContentError`` where the product is not in the catalog, has no hosted content, or it cannot be
    ///   removed, as while another process downloads it.
    @discardableResult
    public func removeContent(for identifier: String) async throws(OwnedContentError) -> ContentRemoval {
        guard let path = try productWithContent(identifier).hostedContentPath else { throw .notHosted(identifier) }
        do {
            let hasDropped = try await content.downloads.drop(identifier)
            return try remove(identifier, at: path) ? .installed : hasDropped ? .download : .nothing
        } catch {
            throw OwnedContentError(error)
        }
    }

    private func remove(_ identifier: String, at path: ContentPath) throws(ContentError) -> Bool {
        guard try content.directory.installedContent(at: path)?.productIdentifier == identifier else { return false }
        guard try content.directory.remove(at: path) != nil else { return false }
        state.tell(.content(.removed([identifier])))
        return true
    }

    /// Removes the content of what is not owned, as far as a catalog can tell that does not stand in for the server's.
    func removeWithheldContent() {
        guard wholeCatalog != nil else { return }
        do {
            for listing in try hostedContent() where listing.state == .withheld {
                _ = try remove(listing.id, at: listing.path)
            }
        } catch {
            state.tell(.content(.failed(error)))
        }
    }
}

/// What there was when the content of a product was removed.
public enum ContentRemoval: Sendable, Hashable {
    /// It was installed.
    case installed
    /// It was not installed, but there was a download that had not finished, or the record of one that was given up.
    case download
    /// Neither.
    case nothing
}
