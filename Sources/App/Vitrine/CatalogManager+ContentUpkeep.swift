internal import Foundation
internal import VitrineCatalog
public import VitrineHostedContent
internal import VitrinePurchasing

extension CatalogManager {
    /// Current catalog if it is complete and authoritative: it has no errors and is not a fallback for the server's
    /// catalog. Otherwise `nil`.
    var wholeCatalog: Catalog? {
        let snapshot = state.snapshot
        guard let catalog = snapshot.catalog, !catalog.hasErrors, !snapshot.isCatalogStandIn else { return nil }
        return catalog
    }

    /// Registers the unfinished downloads of earlier launches.
    func resumeDownloads() async {
        do {
            let lacking = try wholeCatalog.map { (catalog) throws(ContentError) in
                try ownedContent.productsLackingContent(in: catalog)
            }
            if let lacking { try ownedContent.directory.removeDownloads(exceptFor: lacking) }
            try await ownedContent.downloads.restoreStored(resumes: options.content.resumesDownloads) {
                [ownedContent] identifier in
                ownedContent.wanted(identifier)
            }
            if let lacking { await ownedContent.endBackgroundTransfers(exceptFor: lacking) }
        } catch {
            state.send(.content(.failed(error)))
        }
    }

    /// Removes the data that earlier launches downloaded for products that are certainly not owned. Data of this
    /// launch's downloads stays; all data stays while a transaction is pending, because the customer may have paid for
    /// its content.
    func removeDownloadsOfOthers() async {
        guard wholeCatalog != nil, await queue.pending().isEmpty else { return }
        do {
            let left = try ownedContent.directory.downloads()
            let retained = left.filter {
                ownedContent.downloads.status(of: $0) != nil || ownership(of: $0) != .notOwned
            }
            try ownedContent.directory.removeDownloads(exceptFor: Set(retained))
        } catch {
            state.events.send(.content(.failed(error)))
        }
    }

    /// Starts downloads of content whose installed version differs from the version in the catalog, without waiting for
    /// them.
    func updateContent() async {
        do {
            let outdated = try content.listings().filter { $0.state == .updateAvailable }
            try await ownedContent.downloads.begin(outdated.compactMap { ownedContent.wanted($0.id) })
        } catch {
            state.send(.content(.failed(error)))
        }
    }

    func lookAfterContent(_ event: CatalogEvent) async {
        followContradictions(event)
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

    /// Delivers the transactions that wait for content, because a download for another purpose may have installed it.
    private func deliverWhatWaitedForContent() async {
        let isAwaited = await queue.pending().contains { transaction in
            if case .waiting(.content) = transaction.state { true } else { false }
        }
        if isAwaited { await deliver(awaitingContent: false) }
    }

    /// Removes the content of products that are not owned, if the catalog is complete and authoritative.
    func removeWithheldContent() {
        guard wholeCatalog != nil else { return }
        do {
            for listing in try content.listings() where listing.state == .withheld {
                _ = try content.remove(listing.id, at: listing.path)
            }
        } catch {
            state.send(.content(.failed(error)))
        }
    }
}

extension OwnedContent {
    /// Ends background transfers of earlier launches that are no longer needed: their product is not in the given set
    /// or not owned, or its download was paused or canceled.
    fileprivate func endBackgroundTransfers(exceptFor products: Set<String>) async {
        guard let background else { return }
        let entitlements = state.snapshot.entitlements
        let stopped = await downloads.stopped
        await background.end(
            exceptFor: products.filter { entitlements.ownership(of: $0) != .notOwned && !stopped.contains($0) })
    }

    /// Returns the content that the catalog names for a product; `nil` if the product is not owned or has no hosted
    /// content.
    func wanted(_ identifier: String) -> ContentDownloads.Wanted? {
        let entitlements = state.snapshot.entitlements
        guard let product = entitlements.catalog?[identifier], let path = product.hostedContentPath,
            entitlements.isOwned(identifier)
        else { return nil }
        return ContentDownloads.Wanted(ContentRequest(product), at: path)
    }

    /// Resumes a download of the content that the catalog requires now.
    func resumeDownload(_ identifier: String) async { await downloads.resume(identifier, as: wanted(identifier)) }

    /// Retries the downloads that wait for the app's permission, for disk space or for the system.
    func retryHeldDownloads() async { await downloads.retryHeld { wanted($0) } }
}

extension CatalogManager.Content {
    /// Checks whether the installed content of a product, owned or not, was changed since it was installed.
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

    /// Repairs the content of an owned product if it was changed since it was installed. Only the changed files are
    /// downloaded if the server provides single files, otherwise all content. Existing content stays until the new
    /// content is complete.
    ///
    /// - Returns: `true` if a repair was necessary.
    /// - Throws: ``OwnedContentError``, as ``download(for:)`` does.
    @discardableResult
    public func repair(for identifier: String) async throws(OwnedContentError) -> Bool {
        let (product, path) = try ownedHostedProduct(identifier)
        do {
            try manager.checkOutsideDownloadDecision("a download")
            if try manager.ownedContent.content(of: product, at: path) != nil,
                try await manager.ownedContent.directory.check(at: path).isWhole
            {
                return false
            }
            _ = try await manager.ownedContent.downloads.content(
                ContentDownloads.Wanted(ContentRequest(product), at: path), isUserInitiated: true)
            return true
        } catch {
            throw OwnedContentError(error)
        }
    }

    /// Removes the content of a product, owned or not, and the data of its download. URLs of the content that were
    /// provided before are invalid. The content is downloaded again on request, or for a purchase that waits for it.
    ///
    /// - Returns: State before the removal.
    /// - Throws: ``OwnedContentError`` if the product is not in the catalog, has no hosted content, or the content
    ///   cannot be removed, for example while another process downloads it. Within the app's decision about a download
    ///   the call is refused as not allowed.
    @discardableResult
    public func remove(for identifier: String) async throws(OwnedContentError) -> ContentRemoval {
        guard let path = try productWithContent(identifier).hostedContentPath else { throw .notHosted(identifier) }
        do {
            try manager.checkOutsideDownloadDecision("the end of a download")
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
        manager.state.send(.content(.removed([identifier])))
        return true
    }
}

/// State that a product's content had before it was removed.
public enum ContentRemoval: Sendable, Hashable {
    /// Content that was installed until its removal.
    case installed
    /// Content that was not installed, but had an unfinished download or the record of a canceled one.
    case download
    /// Neither installed content nor a download, so that nothing was removed.
    case nothing
}
