public import Foundation
public import HostedContent
internal import ProductCatalog
internal import Purchasing

extension CatalogManager {
    /// Downloads of content that were requested, and those left by earlier launches.
    public nonisolated var downloads: [DownloadStatus] { content.downloads.statuses }

    // MARK: Downloading content

    /// Downloads and installs the content of an owned product, unless the version that the catalog requires is
    /// installed. Resumes a download that is paused or was canceled.
    ///
    /// - Returns: Folder with the contents of the package's `Contents`.
    /// - Throws: ``OwnedContentError`` if the product is not owned, its ownership is unknown, its content is
    ///   unavailable or cannot be written, or the download is paused, canceled or not allowed by the app. Content
    ///   installed before then remains.
    @discardableResult
    public func downloadContent(for identifier: String) async throws(OwnedContentError) -> URL {
        let (product, path) = try ownedHostedProduct(identifier)
        do {
            _ = try await content.download(product, at: path)
        } catch {
            throw OwnedContentError(error)
        }
        // The purchase may have been revoked in the meantime.
        return try contentURL(for: identifier)
    }

    /// Downloads the content of a product before all content whose download has not begun, for example after the
    /// customer opened it.
    public func prioritizeContent(for identifier: String) async { await content.downloads.prioritize(identifier) }

    // MARK: Pausing and resuming

    /// Pauses a download. Received data is kept, even after the end of the process. A purchase that waits for the
    /// download is answered as pending.
    ///
    /// - Throws: `ContentError` if the pause cannot be stored for the next launch; the download is paused nevertheless.
    public func pauseDownload(of identifier: String) async throws(ContentError) {
        try await content.downloads.pause(identifier)
    }

    /// Pauses every download that is active or waiting.
    ///
    /// - Throws: `ContentError`, as ``pauseDownload(of:)`` does.
    public func pauseDownloads() async throws(ContentError) {
        var failure: ContentError?
        for download in downloads where download.state == .waiting || download.state == .active {
            do throws(ContentError) {
                try await content.downloads.pause(download.id)
            } catch {
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
    }

    /// Resumes a download that is paused, has failed or was canceled. Events report the result.
    public func resumeDownload(of identifier: String) async { await content.downloads.resume(identifier) }

    /// Resumes every paused download.
    public func resumeDownloads() async {
        for download in downloads where download.state == .paused { await content.downloads.resume(download.id) }
    }

    /// Cancels a download and removes the received data. A purchase that waits for the download is answered as pending,
    /// and stays with the store until the content is downloaded after all.
    ///
    /// - Throws: `ContentError`: `notFound` if there is no such download, `inProgress` if another process runs it,
    ///   `storage`.
    public func cancelDownload(of identifier: String) async throws(ContentError) {
        try await content.downloads.cancel(identifier)
    }

    // MARK: Responding to loads and events

    /// Catalog, if it is complete: `nil` if it has errors, which leave products out, or is a fallback for the server's
    /// catalog.
    var wholeCatalog: Catalog? {
        let snapshot = state.snapshot
        guard let catalog = snapshot.catalog, !catalog.hasErrors, !snapshot.isCatalogStandIn else { return nil }
        return catalog
    }

    /// Restores the downloads that earlier launches have left.
    func takeUpDownloads() async {
        do {
            let lacking = try wholeCatalog.map { (catalog) throws(ContentError) in
                try content.productsLackingContent(in: catalog)
            }
            if let lacking { try content.directory.removeDownloads(exceptFor: lacking) }
            try await content.downloads.takeUp(resumes: options.resumesDownloads) { [content] identifier in
                content.wanted(identifier)
            }
            if let lacking { await content.endBackgroundTransfers(exceptFor: lacking) }
        } catch {
            state.tell(.content(.failed(error)))
        }
    }

    /// Removes the data that earlier launches downloaded for products that are certainly not owned. Current downloads
    /// and those requested since stay; all data stays while a transaction is pending, because it may have been paid
    /// for.
    func removeDownloadsOfOthers() async {
        guard wholeCatalog != nil, await queue.pending().isEmpty else { return }
        do {
            let left = try content.directory.downloads()
            let kept = left.filter { content.downloads.status(of: $0) != nil || ownership(of: $0) != .notOwned }
            try content.directory.removeDownloads(exceptFor: Set(kept))
        } catch {
            state.events.send(.content(.failed(error)))
        }
    }

    /// Starts downloads of content for which the catalog requires another version, without waiting for them.
    func updateContent() async {
        do {
            let outdated = try hostedContent().filter { $0.state == .updateAvailable }
            try await content.downloads.begin(outdated.compactMap { content.wanted($0.id) })
        } catch {
            state.tell(.content(.failed(error)))
        }
    }

    func lookAfterContent(_ event: CatalogEvent) async {
        switch event {
        case .content(.installed):
            if options.removesWithheldContent { removeWithheldContent() }
            await deliverWhatWaitedForContent()
        case .entitlements(.ownershipChanged), .loading(.statusChanged(.productsLoaded)),
            .loading(.statusChanged(.productsLoadFailed)):
            if options.removesWithheldContent { removeWithheldContent() }
        default: break
        }
    }

    /// Delivers transactions that wait for content, because a download that no purchase waited for may have installed
    /// it.
    private func deliverWhatWaitedForContent() async {
        let isAwaited = await queue.pending().contains { transaction in
            if case .waiting(.content) = transaction.state { true } else { false }
        }
        if isAwaited { await deliver(awaitingContent: false) }
    }
}

extension OwnedContent {
    /// Ends background transfers of earlier launches that are no longer needed: those of products that are not in the
    /// set or not owned, or whose download was paused or canceled.
    fileprivate func endBackgroundTransfers(exceptFor products: Set<String>) async {
        guard let background else { return }
        let entitlements = state.snapshot.entitlements
        let stopped = await downloads.stopped
        await background.end(
            exceptFor: products.filter { entitlements.ownership(of: $0) != .notOwned && !stopped.contains($0) })
    }

    /// Returns the content that is currently requested for a product; `nil` if it is not owned or has no hosted
    /// content.
    func wanted(_ identifier: String) -> ContentDownloads.Wanted? {
        let entitlements = state.snapshot.entitlements
        guard let product = entitlements.catalog?[identifier], let path = product.hostedContentPath,
            entitlements.isOwned(identifier)
        else { return nil }
        return ContentDownloads.Wanted(ContentRequest(product), at: path)
    }
}
