internal import Foundation
internal import VitrineCatalog
internal import VitrineEntitlements
internal import VitrineHostedContent
internal import VitrineNetworking
internal import VitrinePurchasing
internal import VitrineReceipts

/// Provider that downloads, installs and provides the content of owned products.
struct OwnedContent: ContentProvider {
    let directory: ContentDirectory
    let downloads: ContentDownloads
    /// Transfers that fetch archives while the app is not running; `nil` if there are none.
    let background: BackgroundTransfers?
    let packages: PackageFolder?
    /// Content on the app's own server with customers; `nil` if there is no such server.
    let server: ServerContent?
    private let sources: ContentSources
    let store: (any StoreHostedContent)?
    let state: ManagerState
    private let entitlements: EntitlementStore
    private let now: @Sendable () -> Date
    /// Record of the content whose URL the app has received, and which is not removed to free storage; `nil` if no
    /// content is removed to free storage.
    let uses: ContentUses?
    /// Paths of content that is being installed for purchases. It is not removed to free storage, because all content
    /// of a purchase must be installed at the same time.
    private let placesOfPurchases = ActiveInstallations()

    init(
        home: Home, packages: PackageFolder?, store: (any StoreHostedContent)?, entitlements: EntitlementStore,
        state: ManagerState, options: ManagerOptions
    ) {
        let directory = ContentDirectory(url: home.hostedContent)
        self.directory = directory
        self.packages = packages
        self.store = store
        self.state = state
        self.entitlements = entitlements
        now = options.date
        uses = options.content.quota == nil ? nil : ContentUses(directory: directory, now: options.date)
        let background = options.content.backgroundSession.map {
            BackgroundTransfers(
                session: $0, directory: directory, now: options.now, sleep: options.loading.schedule.sleep)
        }
        self.background = background
        let server = options.server.map {
            ServerContent($0, others: options.loading.transport, sleep: options.loading.schedule.sleep)
        }
        self.server = server
        let transport: any HTTPTransport = if let server { server } else { options.loading.transport }
        let sources = ContentSources(
            servers: ContentSources.Servers(
                transport: transport, own: server, signers: { state.contentSigners }, background: background,
                now: options.now, directory: directory),
            replacement: options.content.replacementForServers, store: store, folder: packages)
        self.sources = sources
        downloads = ContentDownloads(
            directory: directory,
            source: sources,
            policy: options.content.downloads, now: options.now, sleep: options.loading.schedule.sleep,
            send: { state.send(.content(.downloadUpdated($0))) },
            withdraw: { await background?.withdraw($0) },
            installed: { content, path throws(ContentError) in
                try await Self.record(content, at: path, in: entitlements, on: options.date())
                state.send(.content(.installed(content)))
            },
            makeRoom: { [placesOfPurchases] downloaded in
                guard let quota = options.content.quota else { return }
                do throws(ContentError) {
                    let evicted = try directory.evict(to: quota, sparing: downloaded.union(placesOfPurchases.all))
                    if !evicted.isEmpty { state.send(.content(.removed(evicted.map(\.content.productIdentifier)))) }
                } catch {
                    state.send(.content(.failed(error)))
                }
            })
    }

    /// Records installed content in the ledger. Recording the same content twice changes nothing.
    private static func record(
        _ content: InstalledContent, at path: ContentPath, in entitlements: EntitlementStore, on date: Date
    ) async throws(ContentError) {
        let fact = Fact.Content(
            productIdentifier: content.productIdentifier, version: content.version, digest: content.digest,
            path: path.description)
        do {
            try await entitlements.record([.content(fact)], at: date)
        } catch {
            throw ContentError(code: .storage, reason: error.reason)
        }
    }

    // MARK: Installing

    func lacksContent(unlockedBy transaction: SignedTransaction) -> Bool {
        do {
            return try hostedProducts(unlockedBy: transaction.payload).contains { product in
                try product.hostedContentPath.map { try content(of: product, at: $0) == nil } ?? false
            }
        } catch {
            return false
        }
    }

    func installContent(unlockedBy transaction: SignedTransaction) async throws(ContentProviderError) -> [String] {
        let hosted = try hostedProducts(unlockedBy: transaction.payload)
        let places = hosted.compactMap(\.hostedContentPath)
        placesOfPurchases.add(places)
        defer { placesOfPurchases.remove(places) }
        do throws(ContentError) {
            var installed: [String] = []
            let missing = try await missingContent(of: hosted)
            for (wanted, result) in zip(missing, await downloads.contents(missing, isUserInitiated: false)) {
                switch result {
                case .success(let content): installed.append(content.productIdentifier)
                // Content whose download the customer has canceled is downloaded when the app requests it.
                case .failure where await downloads.isCancelled(wanted.request.productIdentifier): continue
                case .failure(let error): throw error
                }
            }
            return installed
        } catch {
            throw ContentProviderError(
                code: error.isAboutThisDevice ? .storage : .unavailable, reason: error.reason)
        }
    }

    /// Returns the products whose hosted content a purchase unlocks, with the purchased product first.
    private func hostedProducts(unlockedBy payload: TransactionPayload) throws(ContentProviderError) -> [CatalogProduct]
    {
        let snapshot = state.snapshot
        let entitlements = snapshot.entitlements
        guard let catalog = entitlements.catalog else {
            throw ContentProviderError(
                code: .unavailable, reason: "no catalog is loaded that lists the content of the purchase")
        }
        guard entitlements.counts(payload.purchaseID, of: payload.productIdentifier) else {
            throw ContentProviderError(
                code: .unavailable, reason: "the purchase of \(payload.productIdentifier) is no longer valid")
        }
        // A purchase whose period has ended by now is delivered without content.
        guard entitlements.isOwned(payload.productIdentifier) else { return [] }
        // A renewal unlocks nothing new: missing content was not selected after the period before it, or was removed.
        if payload.reason == .renewal,
            entitlements.hasPeriod(
                of: payload.productIdentifier, before: payload.purchaseDate, in: payload.originalTransactionID)
        {
            return []
        }
        guard let index = catalog.index(of: payload.productIdentifier) else {
            let defect: String
            switch (catalog.hasErrors, snapshot.isCatalogStandIn) {
            case (true, _): defect = "has errors"
            case (false, true): defect = "is a fallback for the server's catalog"
            // The product was removed from the catalog, and no longer has content.
            case (false, false): return []
            }
            throw ContentProviderError(
                code: .unavailable,
                reason: "the catalog, which \(defect), does not contain \(payload.productIdentifier)")
        }
        return catalog.bundles.descendants(of: index).map { catalog.products[$0] }
            .filter { $0.hostedContentPath != nil }
    }

    private func missingContent(
        of products: [CatalogProduct]
    ) async throws(ContentError) -> [ContentDownloads.Wanted] {
        var wanted: [ContentDownloads.Wanted] = []
        for product in products {
            guard let path = product.hostedContentPath else { continue }
            if let installed = try content(of: product, at: path) {
                try await settle(installed, at: path)
            } else {
                wanted.append(
                    ContentDownloads.Wanted(
                        ContentRequest(product), at: path, priority: wanted.isEmpty ? .wanted : .unlocked))
            }
        }
        return wanted
    }

    /// Completes an installation, which may have been interrupted: makes the content durable and records it in the
    /// ledger.
    private func settle(_ installed: InstalledContent, at path: ContentPath) async throws(ContentError) {
        try directory.makeDurable(path)
        try await Self.record(installed, at: path, in: entitlements, on: now())
    }

    /// Downloads the content of a product, unless the version that the catalog requires is installed.
    func download(_ product: CatalogProduct, at path: ContentPath) async throws(ContentError) -> InstalledContent {
        let request = ContentRequest(product)
        if let installed = try content(of: product, at: path), request.isMet(by: installed) ?? false {
            try await settle(installed, at: path)
            return installed
        }
        return try await downloads.content(ContentDownloads.Wanted(request, at: path), isUserInitiated: true)
    }
}

extension ContentError {
    /// `true` if the error concerns the storage of this device, rather than the content or the network.
    var isAboutThisDevice: Bool { code == .storage || code == .noSpace }
}

extension OwnedContent {
    func content(of product: CatalogProduct, at path: ContentPath) throws(ContentError) -> InstalledContent? {
        guard let content = try directory.installedContent(at: path) else { return nil }
        return content.productIdentifier == product.identifier ? content : nil
    }

    /// Returns the installed content of a product, which is not removed to free storage from now on.
    func contentForUse(of product: CatalogProduct, at path: ContentPath) throws(ContentError) -> InstalledContent? {
        guard let installed = try content(of: product, at: path) else { return nil }
        guard let uses else { return installed }
        return try uses.begin(at: path) ? installed : nil
    }

    /// Returns the installed content of the products of a catalog. A path that cannot be used, such as a symbolic link,
    /// affects only its own product, which is listed without content.
    func installedContent(in catalog: Catalog) throws(ContentError) -> [String: InstalledContent] {
        var installed: [String: InstalledContent] = [:]
        for product in catalog.products {
            guard let path = product.hostedContentPath else { continue }
            installed[product.identifier] = try contentIfUsable(of: product, at: path)
        }
        return installed
    }

    private func contentIfUsable(
        of product: CatalogProduct, at path: ContentPath
    ) throws(ContentError) -> InstalledContent? {
        do throws(ContentError) {
            return try content(of: product, at: path)
        } catch {
            guard error.code == .invalidPlace else { throw error }
            return nil
        }
    }

    /// Products of a catalog by the source of their hosted content.
    struct Sources {
        /// Identifiers of products whose content has a source and can be installed at its path. Whether the source still
        /// has the content is determined when the product is sold.
        var available: Set<String> = []
        /// Identifiers of products whose content has neither an address in the catalog nor another source.
        var missing: Set<String> = []
    }

    /// Determines the sources of the hosted content of a catalog's products.
    func sources(in catalog: Catalog) throws(ContentError) -> Sources {
        let packaged = try packages?.index().products ?? []
        var found = Sources()
        for product in catalog.products {
            guard let path = product.hostedContentPath else { continue }
            let request = ContentRequest(product)
            let isHere = packaged.contains(product.identifier) || store?.hasContent(for: product.identifier) ?? false
            if isHere || sources.mayAsk(for: request) {
                if try directory.canInstall(at: path) { found.available.insert(product.identifier) }
            } else if request.urls.isEmpty {
                found.missing.insert(product.identifier)
            }
        }
        return found
    }

    /// Allows the download of content that a purchase unlocks, even if the customer has canceled the download before,
    /// or the downloaded content was wrong.
    func allowDownloads(ofContentIn product: String) async {
        guard let catalog = state.snapshot.catalog, let index = catalog.index(of: product) else { return }
        await downloads.allow(catalog.bundles.descendants(of: index).map { catalog.products[$0].identifier })
    }

    /// Checks before a purchase that the content can be obtained that the purchase unlocks.
    ///
    /// - Throws: ``ContentError`` of the first content that cannot be obtained.
    func checkPresence(ofContentIn product: String) async throws(ContentError) {
        let entitlements = state.snapshot.entitlements
        guard let catalog = entitlements.catalog, let index = catalog.index(of: product) else { return }
        var requests: [ContentRequest] = []
        for part in catalog.bundles.descendants(of: index).map({ catalog.products[$0] }) {
            guard let path = part.hostedContentPath, !entitlements.isOwned(part.identifier),
                try content(of: part, at: path) == nil
            else { continue }
            requests.append(ContentRequest(part))
        }
        guard !requests.isEmpty else { return }
        try await sources.checkPresence(of: requests)
    }

    /// Returns the identifiers of products whose content has to be downloaded: it is missing, outdated or being
    /// repaired.
    func productsLackingContent(in catalog: Catalog) throws(ContentError) -> Set<String> {
        let begun = try directory.productsWithDownloadedBytes()
        var products: Set<String> = []
        for product in catalog.products {
            guard let path = product.hostedContentPath else { continue }
            let installed = try contentIfUsable(of: product, at: path)
            if begun.contains(product.identifier)
                || installed.map({ ContentRequest(product).isMet(by: $0) ?? true }) != true
            {
                products.insert(product.identifier)
            }
        }
        return products
    }

    func listing(of product: CatalogProduct, at path: ContentPath) throws(ContentError) -> ContentListing {
        let installed = try contentIfUsable(of: product, at: path)
        let ownership = state.snapshot.entitlements.ownership(of: product.identifier)
        let request = ContentRequest(product)
        return ContentListing(
            id: product.identifier,
            version: installed?.version,
            catalogVersion: request.version,
            size: try installed.map { (content) throws(ContentError) in try directory.size(of: content) },
            path: path,
            state: ContentState(
                isInstalled: installed != nil,
                isCurrent: installed.map { request.isMet(by: $0) ?? true } ?? true,
                ownership: ownership, mayGiveOut: mayGiveOutUnknown),
            download: downloads.status(of: product.identifier))
    }

    /// `true` if installed content is provided to the app while the ownership of its product is unknown, because the
    /// product was owned when its content was installed. `false` if the ledger records a purchase, of any product, that
    /// the store has revoked and not reinstated since.
    var mayGiveOutUnknown: Bool { !state.snapshot.entitlements.hasRevocations }
}
