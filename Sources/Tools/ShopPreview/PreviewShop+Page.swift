internal import Foundation
internal import Vitrine
internal import VitrineCatalog
internal import VitrineEntitlements
internal import VitrineShopContent
internal import VitrineSupport

extension PreviewShop {
    /// Maximum number of findings on a page.
    private static let mostFindings = 200
    /// Maximum number of featured products at the top of a page.
    private static let mostFeatured = 5
    /// Maximum number of products that are searched for a usable featured image.
    private static let searchedFeatured = 20
    /// Maximum number of products per page.
    private static let mostCards = 1_000

    /// Returns the content of a page of the shop.
    ///
    /// - Parameters:
    ///   - range: Indexes of the products that the filter accepts, at most 1,000. Other indexes are ignored.
    ///   - filter: Filter of the products.
    package func page(
        _ view: PreviewView, products range: Range<Int>, filter: ProductFilter = ProductFilter()
    ) async -> ShopPage {
        let key = key(of: view)
        let translation = await translation(key, state)
        // The state may have changed while the store returned the translated texts.
        let (state, session) = (state, session)
        let shownListing = { (position: Int) in
            translation.map { $0(state.listings[position]) } ?? state.listings[position]
        }
        let listings = state.listings
        let accepted =
            filter.isEmpty
            ? Array(listings.indices) : listings.indices.filter { filter.accepts(shownListing($0)) }
        let start = range.clamped(to: accepted.indices)
        let shown = start.lowerBound..<min(start.upperBound, start.lowerBound + Self.mostCards)
        let phrases = ShopPhrases(languages: [key.language], timeZone: .gmt)
        var maker = cardMaker(state, phrases)
        defer { images = maker.images }
        let card = { (position: Int) in maker.card(shownListing(position), at: position) }
        var featured: [ShopCard] = []
        for position in catalog.featured.prefix(Self.searchedFeatured)
        where filter.isEmpty && listings.indices.contains(position) {
            let candidate = card(position)
            if candidate.featuredImage != nil { featured.append(candidate) }
            if featured.count == Self.mostFeatured { break }
        }
        let notes = storeFindings
        let own = store.configuration
        let title = { (product: String) in session.manager.listing(for: product)?.title ?? product }
        return ShopPage(
            revision: revision, view: view, language: key.language, storefront: key.storefront,
            languages: PreviewLanguages.choices(
                catalog.languages.union(own.languages),
                with: Set(ShopPhrases.languages).union([own.language, key.language])),
            storefronts: PreviewLanguages.storefronts(with: [own.storefront, key.storefront]),
            catalogName: files.catalog.lastPathComponent.asTitle, storeName: files.store?.lastPathComponent.asTitle,
            clock: state.clock, clockText: state.clock.minute, status: state.status, hasNetwork: switches.hasNetwork,
            asksToBuy: switches.asksToBuy, interruptsPurchases: switches.interruptsPurchases,
            isBillingWorking: switches.isBillingWorking,
            originalBuild: state.originalBuild, phrases: phrases, filter: filter, totalCount: listings.count,
            productCount: accepted.count, dropped: dropped, featured: featured, range: shown,
            cards: shown.map { card(accepted[$0]) }, wallets: state.wallets,
            subscriptions: state.subscriptions.map { ShopSubscription($0, title: title($0.productIdentifier)) },
            timeline: steps, findings: Array((findings.all + notes).prefix(Self.mostFindings)),
            findingCounts: findings.counts.merging(notes.isEmpty ? [:] : [.note: notes.count], uniquingKeysWith: +),
            fileErrors: [catalogError?.file, storeError, scenesError].compactMap(\.self),
            transactions: state.transactions, pending: state.pending, scenes: sceneFile.scenes,
            overviewVersion: overviewVersion)
    }

    /// Returns the content of a small picture of the shop. Owned and pending products come first, because scenes differ
    /// in them.
    package func overview(_ view: PreviewView) async -> SceneOverview {
        let range = 0..<SceneOverview.mostProducts
        let all = await page(view, products: range)
        var cards = await page(view, products: range, filter: ProductFilter(state: .owned)).cards
        cards += await page(view, products: range, filter: ProductFilter(state: .unavailable)).cards
            .filter { $0.state == .pending }
        cards += all.cards.filter { card in !cards.contains { $0.position == card.position } }
        return SceneOverview(
            view: view, language: all.language, name: all.catalogName,
            balances: all.wallets.compactMap { wallet in
                wallet.balance.map { "\(all.phrases.number($0)) \(wallet.name.asTitle)" }
            },
            products: cards.prefix(SceneOverview.mostProducts).map { card in
                SceneOverview.Product(
                    position: card.position, title: card.title, state: card.state,
                    label: card.sale.button ?? card.sale.status ?? "",
                    icon: card.icon.flatMap { image($0) }.flatMap { SceneOverview.fits($0) ? $0 : nil })
            })
    }

    /// Returns the card of a product; `nil` if the catalog does not contain the product.
    package func card(_ product: String, in view: PreviewView) async -> ShopCard? {
        let translation = await translation(key(of: view), state)
        let state = state
        guard let position = state.catalog.index(of: product), state.listings.indices.contains(position) else {
            return nil
        }
        var maker = cardMaker(state, ShopPhrases(languages: [key(of: view).language], timeZone: .gmt))
        defer { images = maker.images }
        return maker.card(translation.map { $0(state.listings[position]) } ?? state.listings[position], at: position)
    }

    private func cardMaker(_ state: ShopState, _ phrases: ShopPhrases) -> CardMaker {
        CardMaker(
            findings: findings, absentContent: state.absentContent, codes: store.codes,
            plans: CurrentPlans(state.listings, subscriptions: state.subscriptions), phrases: phrases, images: images)
    }

    /// Returns an image of a product's card; `nil` if there is no such image, or it cannot be shown.
    package func image(_ identifier: String) -> ShopImage? {
        guard let (position, role) = ImageRole.parse(identifier), state.listings.indices.contains(position) else {
            return nil
        }
        let listing = state.listings[position]
        guard let file = role == .icon ? listing.icon : listing.featuredImage,
            let image = try? ImageShelf.read(file)
        else { return nil }
        return ShopImage(data: image.data, mediaType: image.format.mediaType)
    }

    /// Findings about the current catalog file, even if the file is unusable.
    private var findings: ShopFindings {
        guard let catalogError, !catalogError.findings.all.isEmpty else { return catalog.findings }
        return catalogError.findings
    }

    /// Products that errors of the current catalog file exclude from the shop.
    private var dropped: [DroppedProduct] { catalogError == nil ? catalog.dropped : [] }

    /// Findings about products and values of the `.storekit` file that the simulated store does not use.
    private var storeFindings: [ShopFinding] {
        guard let name = files.store?.lastPathComponent else { return [] }
        return store.configuration.omissions.prefix(50).map { omission in
            ShopFinding(
                severity: .note, message: "\(name): \(omission)".asText, rule: nil, line: nil, column: nil,
                product: nil)
        }
    }

    /// Returns the language and storefront of a view. A missing or invalid one is replaced by the store's.
    private func key(of view: PreviewView) -> Translations.Key {
        let own = store.configuration
        return Translations.Key(
            language: view.language.flatMap { PreviewLanguages.isTag($0) ? $0 : nil } ?? own.language,
            storefront: view.storefront.flatMap { PreviewLanguages.isStorefront($0) ? $0 : nil } ?? own.storefront)
    }
}
