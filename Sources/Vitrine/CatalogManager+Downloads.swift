public import Foundation
public import HostedContent
internal import ProductCatalog
internal import Purchasing

extension CatalogManager {
    /// The downloads of content that anybody has asked for, and those that earlier launches have left.
    public nonisolated var downloads: [DownloadStatus] { content.downloads.statuses }

    // MARK: Getting content

    /// Gets and installs the content of a product that is owned, unless the version that the catalog asks for is there.
    /// What is paused or was cancelled goes on.
    ///
    /// - Returns: The folder with what the package has in `Contents`.
    /// - Throws: ``OwnedContentError`` where the product is not owned, that cannot be told, its content cannot be had or
    ///   written, or the download is paused, cancelled or not allowed by the app. What was installed before is then still
    ///   there.
    @discardableResult
    public func downloadContent(for identifier: String) async throws(OwnedContentError) -> URL {
        let (product, path) = try ownedHostedProduct(identifier)
        do {
            _ = try await content.download(product, at: path)
        } catch {
            throw OwnedContentError(error)
        }
        // It may have been taken back meanwhile.
        return try contentURL(for: identifier)
    }

    /// What a customer has just opened is downloaded before everything else that has not begun.
    public func prioritizeContent(for identifier: String) async { await content.downloads.prioritize(identifier) }

    // MARK: Stopping and going on

    /// Pauses a download: what has come is kept, also beyond the end of the process. A purchase that waits for it is
    /// answered as pending.
    ///
    /// - Throws: `ContentError` where that cannot be remembered for the next launch; it is paused all the same.
    public func pauseDownload(of identifier: String) async throws(ContentError) {
        try await content.downloads.pause(identifier)
    }

    /// Pauses every download that is under way or waits.
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

    /// Lets a download go on that is paused, has failed or was cancelled. Events tell what it comes to.
    public func resumeDownload(of identifier: String) async { await content.downloads.resume(identifier) }

    /// Lets every download go on that is paused.
    public func resumeDownloads() async {
        for download in downloads where download.state == .paused { await content.downloads.resume(download.id) }
    }

    /// Gives a download up and removes what has come. A purchase that waits for it is answered as pending, and stays with
    /// the store until the content is downloaded after all.
    ///
    /// - Throws: `ContentError`: `notFound` where there is no such download, `inProgress` where another process has it,
    ///   `storage`.
    public func cancelDownload(of identifier: String) async throws(ContentError) {
        try await content.downloads.cancel(identifier)
    }

    // MARK: What follows from loading and from events

    /// The catalog, where it lacks nothing: `nil` where it has errors, which leave products out, or stands in for the
    /// server's.
    var wholeCatalog: Catalog? {
        let snapshot = state.snapshot
        guard let catalog = snapshot.catalog, !catalog.hasErrors, !snapshot.isCatalogStandIn else { return nil }
        return catalog
    }

    /// Finds the downloads that earlier launches have left.
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

    /// Removes what earlier launches have fetched for products that are certainly not owned. What is being fetched, what
    /// anybody has asked for since, and all of it while a transaction waits, stays: it may be what was paid for.
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

    /// Downloads the content of which the catalog asks for another version, without waiting for it.
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
        case .entitlements(.ownershipChanged), .loading(.statusChanged(.productsLoaded)), .loading(.statusChanged(.productsLoadFailed)):
            if options.removesWithheldContent { removeWithheldContent() }
        default: break
        }
    }

    /// A download that nobody's purchase has waited for may be what a transaction lacks.
    private func deliverWhatWaitedForContent() async {
        let isAwaited = await queue.pending().contains { transaction in
            if case .waiting(.content) = transaction.state { true } else { false }
        }
        if isAwaited { await deliver(awaitingContent: false) }
    }
}

extension OwnedContent {
    /// Ends what earlier launches have left under way in the background that is not wanted any more: what is not among
    /// the products, is not owned, or was paused or given up.
    fileprivate func endBackgroundTransfers(exceptFor products: Set<String>) async {
        guard let background else { return }
        let entitlements = state.snapshot.entitlements
        let stopped = await downloads.stopped
        await background.end(
            exceptFor: products.filter { entitlements.ownership(of: $0) != .notOwned && !stopped.contains($0) })
    }

    /// What is asked for now for a product; `nil` where it is not owned or has no hosted content.
    func wanted(_ identifier: String) -> ContentDownloads.Wanted? {
        let entitlements = state.snapshot.entitlements
        guard let product = entitlements.catalog?[identifier], let path = product.hostedContentPath,
            entitlements.isOwned(identifier)
        else { return nil }
        return ContentDownloads.Wanted(ContentRequest(product), at: path)
    }
}
