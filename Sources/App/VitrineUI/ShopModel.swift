#if canImport(SwiftUI)
    public import Combine
    public import Foundation
    public import Vitrine
    internal import VitrineHostedContent
    internal import VitrinePurchasing
    public import VitrineShopContent
    internal import VitrineSupport

    /// Shop of a manager, which views observe, with the actions of its customer. An app keeps one as long as the manager.
    @MainActor
    public final class ShopModel: ObservableObject {
        public let manager: CatalogManager
        /// Token of the app's account that purchases and restores are for; `nil` for an app without accounts.
        public var accountToken: UUID?
        /// Content of the shop at this moment.
        @Published public private(set) var display: ShopDisplay
        /// Message about the last action of the customer; `nil` if there is nothing to say.
        @Published public var message: ShopMessage?
        /// `true` if there is a ``message``. The message is removed when it becomes `false`.
        public var hasMessage: Bool {
            get { message != nil }
            set { if !newValue { message = nil } }
        }

        @Published public private(set) var isRestoring = false
        /// Products whose purchases have not returned.
        private var buying: Set<String> = []
        /// Task that reads the events of the manager.
        private var following: Task<Void, Never>?

        public var phrases: ShopPhrases { display.phrases }

        /// - Parameter phrases: Phrases in the language of the customer, which is that of the manager's
        ///   `ManagerOptions.languages`.
        public init(_ manager: CatalogManager, phrases: ShopPhrases = ShopPhrases()) {
            self.manager = manager
            // Subscribes first: a change made while the state is read arrives as an event.
            let events = manager.events()
            display = ShopDisplay(of: manager, phrases: phrases)
            following = Task { [weak self] in
                for await event in events where event.changesShop { self?.update() }
            }
        }

        deinit { following?.cancel() }

        private func update() { display = ShopDisplay(of: manager, phrases: phrases) }

        // MARK: Actions of the customer

        /// Loads the products again.
        public func load() async { await manager.loadProducts() }

        /// Buys a product, with the win-back offer of the given content, which the customer has seen. The display shows
        /// the result, and ``message`` says what it does not show. Does nothing while a call for the product has not
        /// returned, as after a second tap.
        public func buy(_ content: ProductContent, quantity: Int = 1) async {
            guard buying.insert(content.id).inserted else { return }
            let options = PurchaseOptions(
                quantity: quantity, accountToken: accountToken, winBackOffer: content.plan?.winBackOffer)
            message = ShopMessage(await manager.purchase(content.id, options: options), phrases: phrases)
            buying.remove(content.id)
        }

        /// Restores the purchases of the customer. ``message`` says with what result.
        public func restore() async {
            isRestoring = true
            do throws(StoreError) {
                message = ShopMessage(try await manager.restore(accountToken: accountToken), phrases: phrases)
            } catch {
                message = ShopMessage(error, phrases: phrases)
            }
            isRestoring = false
        }

        /// Shows the store's sheet with the subscriptions of the customer.
        public func manageSubscriptions() async {
            do throws(StoreError) {
                try await manager.sheets.manageSubscriptions()
            } catch {
                message = ShopMessage(error, phrases: phrases)
            }
        }

        /// Shows the store's sheet in which the customer enters an offer code.
        public func redeemCode() async {
            do throws(StoreError) {
                try await manager.sheets.redeemOfferCode()
            } catch {
                message = ShopMessage(error, phrases: phrases)
            }
        }

        /// Performs an action on the hosted content of a product.
        public func perform(_ action: DownloadContent.Action, on product: String) async {
            switch action {
            case .download, .retry:
                do throws(OwnedContentError) {
                    _ = try await manager.content.download(for: product)
                } catch {
                    message = ShopMessage(download: error, phrases: phrases)
                }
            case .pause:
                do throws(ContentError) {
                    try await manager.content.pauseDownload(of: product)
                } catch {
                    message = ShopMessage(download: error, phrases: phrases)
                }
            case .resume: await manager.content.resumeDownload(of: product)
            }
        }
    }
#endif
