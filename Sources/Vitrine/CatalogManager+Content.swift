public import Foundation
public import HostedContent
internal import ProductCatalog

extension CatalogManager {
    /// The products of the catalog that have hosted content, with what is installed of it.
    ///
    /// - Throws: ``ContentError`` where the content directory cannot be looked at.
    public nonisolated func hostedContent() throws(ContentError) -> [ContentListing] {
        var listings: [ContentListing] = []
        for product in catalog?.products ?? [] {
            if let path = product.hostedContentPath { listings.append(try content.listing(of: product, at: path)) }
        }
        return listings
    }

    /// The folder with the installed content of a product: what its package has in `Contents`.
    ///
    /// What is installed is given out too while it cannot be told whether its product is still owned, unless the store
    /// has ever taken something back.
    ///
    /// - Throws: ``OwnedContentError`` where the product is not owned, that cannot be told, or nothing is installed.
    public nonisolated func contentURL(for identifier: String) throws(OwnedContentError) -> URL {
        let (product, path) = try ownedHostedProduct(identifier, orUnknown: content.mayGiveOutUnknown)
        let installed: InstalledContent?
        do {
            installed = try content.content(of: product, at: path)
        } catch {
            throw OwnedContentError(error)
        }
        guard let installed else {
            if case .unknown = ownership(of: identifier) { throw .ownershipUnknown(identifier) }
            throw OwnedContentError(code: .notInstalled, reason: "the content of \(identifier) is not installed")
        }
        return installed.url
    }

    /// Installs the content of a product that is owned, or another version of it where there is one.
    ///
    /// - Returns: The folder with what the package has in `Contents`.
    /// - Throws: ``OwnedContentError`` where the product is not owned, that cannot be told, or its content cannot be
    ///   had or written. What was installed before is then still there.
    @discardableResult
    public func installContent(for identifier: String) async throws(OwnedContentError) -> URL {
        let (product, path) = try ownedHostedProduct(identifier, orUnknown: false)
        do {
            return try await content.install(product, at: path).url
        } catch {
            throw OwnedContentError(error)
        }
    }

    private nonisolated func ownedHostedProduct(
        _ identifier: String, orUnknown mayBeUnknown: Bool
    ) throws(OwnedContentError) -> (CatalogProduct, ContentPath) {
        guard let product = catalog?[identifier] else {
            guard let catalog else {
                throw OwnedContentError(code: .ownershipUnknown, reason: "no catalog is loaded")
            }
            guard !catalog.hasErrors || !ownership(of: identifier).isOwned else {
                throw OwnedContentError(
                    code: .ownershipUnknown,
                    reason: "\(identifier) is owned, and the catalog, which has errors, does not say what it has")
            }
            throw OwnedContentError(code: .notInCatalog, reason: "\(identifier) is not in the catalog")
        }
        guard let path = product.hostedContentPath else {
            throw OwnedContentError(code: .notHosted, reason: "\(identifier) has no hosted content")
        }
        switch ownership(of: identifier) {
        case .owned: return (product, path)
        case .notOwned: throw OwnedContentError(code: .notOwned, reason: "\(identifier) is not owned")
        case .unknown where mayBeUnknown: return (product, path)
        case .unknown: throw .ownershipUnknown(identifier)
        }
    }
}

extension OwnedContentError {
    fileprivate static func ownershipUnknown(_ identifier: String) -> OwnedContentError {
        OwnedContentError(code: .ownershipUnknown, reason: "whether \(identifier) is owned cannot be told now")
    }

    fileprivate init(_ error: ContentError) {
        self.init(code: [.storage, .noSpace].contains(error.code) ? .storage : .unavailable, reason: error.reason)
    }
}
