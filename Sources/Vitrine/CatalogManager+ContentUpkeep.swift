internal import Foundation
internal import HostedContent
internal import ProductCatalog
internal import Purchasing

extension CatalogManager {
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
                try ownedContent.productsLackingContent(in: catalog)
            }
            if let lacking { try ownedContent.directory.removeDownloads(exceptFor: lacking) }
            try await ownedContent.downloads.takeUp(resumes: options.content.resumesDownloads) {
                [ownedContent] identifier in
                ownedContent.wanted(identifier)
            }
            if let lacking { await ownedContent.endBackgroundTransfers(exceptFor: lacking) }
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
            let left = try ownedContent.directory.downloads()
            let kept = left.filter { ownedContent.downloads.status(of: $0) != nil || ownership(of: $0) != .notOwned }
            try ownedContent.directory.removeDownloads(exceptFor: Set(kept))
        } catch {
            state.events.send(.content(.failed(error)))
        }
    }

    /// Starts downloads of content for which the catalog requires another version, without waiting for them.
    func updateContent() async {
        do {
            let outdated = try content.listings().filter { $0.state == .updateAvailable }
            try await ownedContent.downloads.begin(outdated.compactMap { ownedContent.wanted($0.id) })
        } catch {
            state.tell(.content(.failed(error)))
        }
    }

    func lookAfterContent(_ event: CatalogEvent) async {
        switch event {
        case .content(.installed):
            if options.content.removesWithheld { removeWithheldContent() }
            await deliverWhatWaitedForContent()
        case .entitlements(.ownershipChanged), .loading(.statusChanged(.productsLoaded)),
            .loading(.statusChanged(.productsLoadFailed)):
            if options.content.removesWithheld { removeWithheldContent() }
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

    /// Removes the content of products that are not owned, if the catalog is complete and not a fallback for the
    /// server's.
    func removeWithheldContent() {
        guard wholeCatalog != nil else { return }
        do {
            for listing in try content.listings() where listing.state == .withheld {
                _ = try content.remove(listing.id, at: listing.path)
            }
        } catch {
            state.tell(.content(.failed(error)))
        }
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
