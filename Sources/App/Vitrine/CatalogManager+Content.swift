public import Foundation
internal import VitrineCatalog
public import VitrineHostedContent

extension CatalogManager {
    /// Access to hosted content: installed content and its downloads.
    public nonisolated var content: Content { Content(manager: self) }

    /// Access to hosted content: installed content and its downloads.
    public struct Content: Sendable {
        let manager: CatalogManager
    }
}

extension CatalogManager {
    /// Returns the location of content that is bundled with the app; `nil` if the app names no folder of bundled files.
    nonisolated func bundledLocation(of path: ContentPath) -> URL? {
        options.bundledFiles.map { path.components.reduce($0) { $0.appending(component: $1) } }
    }
}

extension CatalogManager.Content {
    /// Returns the products of the catalog that have hosted content, with the state of its installation.
    ///
    /// - Throws: `ContentError` if the content directory cannot be read.
    public func listings() throws(ContentError) -> [ContentListing] {
        var listings: [ContentListing] = []
        for product in manager.state.snapshot.catalog?.products ?? [] {
            if let path = product.hostedContentPath {
                listings.append(try manager.ownedContent.listing(of: product, at: path))
            }
        }
        return listings
    }

    /// Returns the owned content that is not installed, for example for selection on a new device. Restoring purchases
    /// downloads none of it.
    ///
    /// - Throws: `ContentError` if the content directory cannot be read.
    public func restorable() throws(ContentError) -> [ContentListing] {
        try listings().filter { $0.state == .notInstalled }
    }

    /// Returns the folder or file with the content of a product: the contents of its package's `Contents`, or, for
    /// content that is not hosted, the content bundled with the app. The URL stays the same as long as the content is
    /// installed, even if the version changes.
    ///
    /// Installed content is provided even while the ownership of its product is unknown, unless the ledger records a
    /// purchase, of any product, that the store has revoked and not reinstated since.
    ///
    /// - Throws: ``OwnedContentError`` if the product is not owned, its ownership is unknown, or nothing is
    ///   installed.
    public func url(for identifier: String) throws(OwnedContentError) -> URL {
        guard let path = try productWithContent(identifier).hostedContentPath else {
            // Bundled content is on every device, paid for or not.
            return try bundledContent(of: ownedProduct(identifier, orUnknown: false))
        }
        let product = try ownedProduct(identifier, orUnknown: manager.ownedContent.mayGiveOutUnknown)
        let installed: InstalledContent?
        do {
            installed = try manager.ownedContent.contentForUse(of: product, at: path)
        } catch {
            throw OwnedContentError(error)
        }
        guard let installed else {
            if case .unknown = manager.ownership(of: identifier) { throw .ownershipUnknown(identifier) }
            throw OwnedContentError(code: .notInstalled, reason: "the content of \(identifier) is not installed")
        }
        return installed.url
    }

    private func bundledContent(of product: CatalogProduct) throws(OwnedContentError) -> URL {
        guard let path = product.bundledContentPath else { throw .notHosted(product.identifier) }
        guard let place = manager.bundledLocation(of: path) else {
            throw OwnedContentError(
                code: .notInstalled,
                reason: "\(product.identifier) has bundled content, but the app names no folder of bundled files")
        }
        guard FileManager.default.fileExists(atPath: place.path(percentEncoded: false)) else {
            throw OwnedContentError(
                code: .notInstalled,
                reason: "the content of \(product.identifier) is missing: no file exists at \(place.relativePath)")
        }
        return place
    }

    func ownedHostedProduct(_ identifier: String) throws(OwnedContentError) -> (CatalogProduct, ContentPath) {
        let product = try ownedProduct(identifier, orUnknown: false)
        guard let path = product.hostedContentPath else { throw .notHosted(identifier) }
        return (product, path)
    }

    private func ownedProduct(
        _ identifier: String, orUnknown mayBeUnknown: Bool
    ) throws(OwnedContentError) -> CatalogProduct {
        let product = try productWithContent(identifier)
        switch manager.ownership(of: identifier) {
        case .owned: return product
        case .notOwned: throw OwnedContentError(code: .notOwned, reason: "\(identifier) is not owned")
        case .unknown where mayBeUnknown: return product
        case .unknown: throw .ownershipUnknown(identifier)
        }
    }

    /// Returns a product that has content, owned or not.
    func productWithContent(_ identifier: String) throws(OwnedContentError) -> CatalogProduct {
        guard let product = manager.state.snapshot.catalog?[identifier] else {
            guard let catalog = manager.state.snapshot.catalog else {
                throw OwnedContentError(code: .ownershipUnknown, reason: "no catalog is loaded")
            }
            guard !catalog.hasErrors || !manager.ownership(of: identifier).isOwned else {
                throw OwnedContentError(
                    code: .ownershipUnknown,
                    reason: "\(identifier) is owned, but missing from the catalog, which has errors")
            }
            throw OwnedContentError(code: .notInCatalog, reason: "\(identifier) is not in the catalog")
        }
        guard product.hasContent else { throw .notHosted(identifier) }
        return product
    }
}

extension OwnedContentError {
    static func ownershipUnknown(_ identifier: String) -> OwnedContentError {
        OwnedContentError(code: .ownershipUnknown, reason: "the ownership of \(identifier) cannot be determined now")
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

extension CatalogManager.Content {
    /// Downloads of content that were requested, and those left by earlier launches.
    public var downloads: [DownloadStatus] { manager.ownedContent.downloads.statuses }

    // MARK: Downloading content

    /// Downloads and installs the content of an owned product, unless the version that the catalog requires is
    /// installed. Resumes a download that is paused or was canceled.
    ///
    /// - Returns: Folder with the contents of the package's `Contents`.
    /// - Throws: ``OwnedContentError`` if the product is not owned, its ownership is unknown, its content is
    ///   unavailable or cannot be written, or the download is paused, canceled or not allowed by the app. Content that
    ///   was installed earlier remains. Within the app's decision about a download (`DownloadPolicy.permission`) the
    ///   call is refused as not allowed.
    @discardableResult
    public func download(for identifier: String) async throws(OwnedContentError) -> URL {
        let (product, path) = try ownedHostedProduct(identifier)
        do {
            try manager.checkOutsideDownloadDecision("a download")
            _ = try await manager.ownedContent.download(product, at: path)
        } catch {
            throw OwnedContentError(error)
        }
        // The purchase may have been revoked in the meantime.
        return try url(for: identifier)
    }

    /// Moves the download of a product's content ahead of all downloads that have not begun, for example after the
    /// customer opened the product.
    public func prioritize(for identifier: String) async { await manager.ownedContent.downloads.prioritize(identifier) }

    // MARK: Pausing and resuming

    /// Pauses a download. Received data remains stored, even after the end of the process. A purchase that waits for
    /// the download is answered as pending.
    ///
    /// - Throws: `ContentError` if the pause cannot be stored for the next launch; the download is paused nevertheless.
    ///   `notAllowed` within the app's decision about a download: the download is not paused.
    public func pauseDownload(of identifier: String) async throws(ContentError) {
        try manager.checkOutsideDownloadDecision("the end of a download")
        try await manager.ownedContent.downloads.pause(identifier)
    }

    /// Pauses every download that is active or waiting.
    ///
    /// - Throws: `ContentError`, as ``pauseDownload(of:)`` does.
    public func pauseDownloads() async throws(ContentError) {
        try manager.checkOutsideDownloadDecision("the end of a download")
        var failure: ContentError?
        for download in downloads where download.state == .waiting || download.state == .active {
            do throws(ContentError) {
                try await manager.ownedContent.downloads.pause(download.id)
            } catch {
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
    }

    /// Resumes a download that is paused, has failed or was canceled. Events report the result.
    public func resumeDownload(of identifier: String) async { await manager.ownedContent.resumeDownload(identifier) }

    /// Resumes every paused download.
    public func resumeDownloads() async {
        for download in downloads where download.state == .paused {
            await manager.ownedContent.resumeDownload(download.id)
        }
    }

    /// Cancels a download and removes the received data. A purchase that waits for the download is finished without the
    /// content, which is downloaded when the app requests it, or when the product is bought again.
    ///
    /// - Throws: `ContentError`: `notFound` if there is no such download, `inProgress` if another process runs it,
    ///   `storage` if the data cannot be removed, `notAllowed` within the app's decision about a download.
    public func cancelDownload(of identifier: String) async throws(ContentError) {
        try manager.checkOutsideDownloadDecision("the end of a download")
        try await manager.ownedContent.downloads.cancel(identifier)
        await manager.unlessWithinHook { await $0.deliver(awaitingContent: false) }
    }
}
