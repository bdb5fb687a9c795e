public import Foundation
public import HostedContent
internal import ProductCatalog

extension CatalogManager {
    /// The products of the catalog that have hosted content, with what is installed of it.
    ///
    /// - Throws: `ContentError` where the content directory cannot be looked at.
    public nonisolated func hostedContent() throws(ContentError) -> [ContentListing] {
        var listings: [ContentListing] = []
        for product in catalog?.products ?? [] {
            if let path = product.hostedContentPath { listings.append(try content.listing(of: product, at: path)) }
        }
        return listings
    }

    /// What is owned and not installed: what a customer on a new device may pick from. Restoring downloads none of it.
    ///
    /// - Throws: `ContentError` where the content directory cannot be looked at.
    public nonisolated func restorableContent() throws(ContentError) -> [ContentListing] {
        try hostedContent().filter { $0.state == .notInstalled }
    }

    /// The folder, or the file, with the content of a product: what its package has in `Contents`, or, where it is not
    /// hosted, what came with the app. It stays the same as long as the content is installed, whatever its version.
    ///
    /// What is installed is given out too while it cannot be told whether its product is still owned, unless the store
    /// has ever taken something back.
    ///
    /// - Throws: ``OwnedContentError`` where the product is not owned, that cannot be told, or nothing is installed.
    public nonisolated func contentURL(for identifier: String) throws(OwnedContentError) -> URL {
        guard let path = try productWithContent(identifier).hostedContentPath else {
            // It is on every device, whoever has paid.
            return try bundledContent(of: ownedProduct(identifier, orUnknown: false))
        }
        let product = try ownedProduct(identifier, orUnknown: content.mayGiveOutUnknown)
        let installed: InstalledContent?
        do {
            installed = try content.contentForUse(of: product, at: path)
        } catch {
            throw OwnedContentError(error)
        }
        guard let installed else {
            if case .unknown = ownership(of: identifier) { throw .ownershipUnknown(identifier) }
            throw OwnedContentError(code: .notInstalled, reason: "the content of \(identifier) is not installed")
        }
        return installed.url
    }

    private nonisolated func bundledContent(of product: CatalogProduct) throws(OwnedContentError) -> URL {
        guard let path = product.localContentPath, !product.isHosted else { throw .notHosted(product.identifier) }
        guard let folder = options.bundledContent else {
            throw OwnedContentError(
                code: .notInstalled, reason: "\(product.identifier) has content that comes with the app, and none does")
        }
        let place = path.components.reduce(folder) { $0.appending(component: $1) }
        guard FileManager.default.fileExists(atPath: place.path(percentEncoded: false)) else {
            throw OwnedContentError(code: .notInstalled, reason: "there is nothing at \(place.relativePath)")
        }
        return place
    }

    /// A product whose hosted content is the customer's.
    nonisolated func ownedHostedProduct(_ identifier: String) throws(OwnedContentError) -> (CatalogProduct, ContentPath)
    {
        let product = try ownedProduct(identifier, orUnknown: false)
        guard let path = product.hostedContentPath else { throw .notHosted(identifier) }
        return (product, path)
    }

    private nonisolated func ownedProduct(
        _ identifier: String, orUnknown mayBeUnknown: Bool
    ) throws(OwnedContentError) -> CatalogProduct {
        let product = try productWithContent(identifier)
        switch ownership(of: identifier) {
        case .owned: return product
        case .notOwned: throw OwnedContentError(code: .notOwned, reason: "\(identifier) is not owned")
        case .unknown where mayBeUnknown: return product
        case .unknown: throw .ownershipUnknown(identifier)
        }
    }

    /// A product that has content, whoever owns it.
    nonisolated func productWithContent(_ identifier: String) throws(OwnedContentError) -> CatalogProduct {
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
        let isBundled = product.localContentPath != nil && !product.isHosted && product.kind != .consumable
        guard isBundled || product.hostedContentPath != nil else { throw .notHosted(identifier) }
        return product
    }
}

extension OwnedContentError {
    static func ownershipUnknown(_ identifier: String) -> OwnedContentError {
        OwnedContentError(code: .ownershipUnknown, reason: "whether \(identifier) is owned cannot be told now")
    }

    static func notHosted(_ identifier: String) -> OwnedContentError {
        OwnedContentError(code: .notHosted, reason: "\(identifier) has no hosted content")
    }

    init(_ error: ContentError) {
        let code: Code =
            switch error.code {
            case .paused, .cancelled, .notAllowed: .stopped
            default: error.isAboutThisDevice ? .storage : .unavailable
            }
        self.init(code: code, reason: error.reason)
    }
}
