#if canImport(SwiftUI)
    public import SwiftUI
    internal import Vitrine
    internal import VitrineShopContent

    /// Whole shop: plans of subscriptions, products, balances, and what the customer can do besides buying.
    public struct ShopView: View {
        @ObservedObject private var model: ShopModel

        public init(_ model: ShopModel) { self.model = model }

        private var display: ShopDisplay { model.display }

        public var body: some View {
            NavigationStack {
                List {
                    if let notice = display.notice { Section { Text(notice) } }
                    ForEach(display.planGroups) { group in
                        Section { SubscriptionPlans(group, in: model).buttonsAreSeparate() }
                    }
                    Section {
                        ForEach(display.products) { listing in
                            NavigationLink(value: listing.id) {
                                ProductRow(display.content(of: listing), in: model).buttonsAreSeparate()
                            }
                        }
                    }
                    WalletBalances(in: model)
                    ShopActions(in: model)
                }
                .overlay { ShopConditionView(condition: display.condition) }
                .navigationTitle(model.phrases[.products])
                .navigationDestination(for: String.self) { ProductScreen(model: model, product: $0) }
                .refreshable { await model.load() }
            }
            .shopMessages(of: model)
            .environment(\.layoutDirection, model.phrases.isRightToLeft ? .rightToLeft : .leftToRight)
        }
    }

    extension View {
        /// Shows the messages of a shop to the customer, as ``ShopView`` does by itself.
        public func shopMessages(of model: ShopModel) -> some View { MessageAlert(model: model, content: self) }
    }

    extension View {
        /// Makes each button in a row of a list an own target. Otherwise a tap anywhere in the row performs the actions of
        /// all buttons that have no style, so that it would buy several plans. Buttons with a style keep it.
        @ViewBuilder
        fileprivate func buttonsAreSeparate() -> some View {
            #if os(iOS) || os(visionOS)
                buttonStyle(.borderless)
            #else
                self
            #endif
        }
    }

    /// Alert with the message about the customer's last action.
    private struct MessageAlert<Content: View>: View {
        @ObservedObject var model: ShopModel
        let content: Content

        var body: some View {
            content.alert(model.message?.text ?? "", isPresented: $model.hasMessage) {}
        }
    }

    /// Card of a product on a screen of its own, as long as the catalog contains the product.
    private struct ProductScreen: View {
        @ObservedObject var model: ShopModel
        let product: String

        var body: some View {
            ScrollView {
                if let content = model.display.content(of: product) {
                    ProductCard(content, in: model).padding(16).navigationTitle(content.title)
                }
            }
        }
    }

    /// Text or progress in place of a list without products.
    private struct ShopConditionView: View {
        let condition: ShopDisplay.Condition

        var body: some View {
            switch condition {
            case .loading: ProgressView()
            case .empty(let reason): Text(reason).foregroundStyle(.secondary).padding(16)
            case .ready: EmptyView()
            }
        }
    }

    /// Balances of the customer's wallets; nothing if there is none.
    public struct WalletBalances: View {
        @Environment(\.shopWallet) private var wallet
        @ObservedObject private var model: ShopModel

        public init(in model: ShopModel) { self.model = model }

        public var body: some View {
            if !model.display.wallets.isEmpty {
                Section(model.phrases[.balance]) {
                    ForEach(model.display.wallets) { wallet.view($0, model) }
                }
            }
        }
    }

    /// Buttons that restore purchases, manage subscriptions and redeem codes, and links to the app's legal texts.
    public struct ShopActions: View {
        @Environment(\.openURL) private var openURL
        @Environment(\.shopLinks) private var links
        @ObservedObject private var model: ShopModel

        public init(in model: ShopModel) { self.model = model }

        public var body: some View {
            Section {
                Button(model.phrases[.restore]) {
                    Task { await model.restore() }
                }
                .disabled(model.isRestoring)
                #if os(macOS)
                    // The App Store shows subscriptions there: an app on a Mac has no sheet for them.
                    if model.display.hasSubscriptions, let page = URL(string: Self.subscriptionsPage) {
                        Button(model.phrases[.manageSubscriptions]) { openURL(page) }
                    }
                #elseif !os(tvOS)
                    if model.display.hasSubscriptions {
                        Button(model.phrases[.manageSubscriptions]) {
                            Task { await model.manageSubscriptions() }
                        }
                    }
                    Button(model.phrases[.redeemCode]) {
                        Task { await model.redeemCode() }
                    }
                #endif
                #if !os(tvOS)
                    if let terms = links.terms { Link(model.phrases[.terms], destination: terms) }
                    if let privacy = links.privacy { Link(model.phrases[.privacy], destination: privacy) }
                #endif
            }
        }

        private static var subscriptionsPage: String { "https://apps.apple.com/account/subscriptions" }
    }
#endif
