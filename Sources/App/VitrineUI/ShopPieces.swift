#if canImport(SwiftUI)
    public import Foundation
    public import SwiftUI
    public import VitrineShopContent

    /// View of one piece of a shop, made from its content.
    struct ShopPiece<Content>: Sendable {
        let view: @MainActor @Sendable (Content, ShopModel) -> AnyView
    }

    /// Addresses of an app's legal texts.
    struct ShopLinks: Sendable {
        var terms: URL?
        var privacy: URL?
    }

    private struct CardKey: EnvironmentKey {
        static var defaultValue: ShopPiece<ProductContent> {
            ShopPiece { AnyView(StandardCard(content: $0, model: $1)) }
        }
    }

    private struct RowKey: EnvironmentKey {
        static var defaultValue: ShopPiece<ProductContent> {
            ShopPiece { AnyView(StandardRow(content: $0, model: $1)) }
        }
    }

    private struct PlanKey: EnvironmentKey {
        static var defaultValue: ShopPiece<ProductContent> {
            ShopPiece { AnyView(StandardPlan(content: $0, model: $1)) }
        }
    }

    private struct ButtonKey: EnvironmentKey {
        static var defaultValue: ShopPiece<ProductContent> {
            ShopPiece { AnyView(StandardButton(content: $0, model: $1)) }
        }
    }

    private struct DownloadKey: EnvironmentKey {
        static var defaultValue: ShopPiece<ProductContent> {
            ShopPiece { AnyView(StandardDownload(content: $0, model: $1)) }
        }
    }

    private struct WalletKey: EnvironmentKey {
        static var defaultValue: ShopPiece<ShopDisplay.Wallet> {
            ShopPiece { wallet, _ in AnyView(Text(wallet.text)) }
        }
    }

    private struct LinksKey: EnvironmentKey {
        static var defaultValue: ShopLinks { ShopLinks() }
    }

    extension EnvironmentValues {
        var shopCard: ShopPiece<ProductContent> {
            get { self[CardKey.self] }
            set { self[CardKey.self] = newValue }
        }

        var shopRow: ShopPiece<ProductContent> {
            get { self[RowKey.self] }
            set { self[RowKey.self] = newValue }
        }

        var shopPlan: ShopPiece<ProductContent> {
            get { self[PlanKey.self] }
            set { self[PlanKey.self] = newValue }
        }

        var shopButton: ShopPiece<ProductContent> {
            get { self[ButtonKey.self] }
            set { self[ButtonKey.self] = newValue }
        }

        var shopDownload: ShopPiece<ProductContent> {
            get { self[DownloadKey.self] }
            set { self[DownloadKey.self] = newValue }
        }

        var shopWallet: ShopPiece<ShopDisplay.Wallet> {
            get { self[WalletKey.self] }
            set { self[WalletKey.self] = newValue }
        }

        var shopLinks: ShopLinks {
            get { self[LinksKey.self] }
            set { self[LinksKey.self] = newValue }
        }
    }

    /// Pieces of a shop that an app replaces by views of its own. A piece gets its content and the model, whose actions
    /// it performs; it can contain the other pieces, such as ``BuyButton``.
    extension View {
        /// Replaces the cards of products.
        public func shopCard(
            @ViewBuilder _ card: @escaping @MainActor @Sendable (ProductContent, ShopModel) -> some View
        ) -> some View {
            environment(\.shopCard, ShopPiece { AnyView(card($0, $1)) })
        }

        /// Replaces the rows of products in a list.
        public func shopRow(
            @ViewBuilder _ row: @escaping @MainActor @Sendable (ProductContent, ShopModel) -> some View
        ) -> some View {
            environment(\.shopRow, ShopPiece { AnyView(row($0, $1)) })
        }

        /// Replaces the plans of subscriptions.
        public func shopPlan(
            @ViewBuilder _ plan: @escaping @MainActor @Sendable (ProductContent, ShopModel) -> some View
        ) -> some View {
            environment(\.shopPlan, ShopPiece { AnyView(plan($0, $1)) })
        }

        /// Replaces the buttons that buy, together with the state of a product that cannot be bought.
        public func shopButton(
            @ViewBuilder _ button: @escaping @MainActor @Sendable (ProductContent, ShopModel) -> some View
        ) -> some View {
            environment(\.shopButton, ShopPiece { AnyView(button($0, $1)) })
        }

        /// Replaces the progress of downloads.
        public func shopDownload(
            @ViewBuilder _ download: @escaping @MainActor @Sendable (ProductContent, ShopModel) -> some View
        ) -> some View {
            environment(\.shopDownload, ShopPiece { AnyView(download($0, $1)) })
        }

        /// Replaces the balances of wallets.
        public func shopWallet(
            @ViewBuilder _ wallet: @escaping @MainActor @Sendable (ShopDisplay.Wallet, ShopModel) -> some View
        ) -> some View {
            environment(\.shopWallet, ShopPiece { AnyView(wallet($0, $1)) })
        }

        /// Sets the addresses of the app's legal texts, to which a shop links.
        public func shopLinks(terms: URL?, privacy: URL?) -> some View {
            environment(\.shopLinks, ShopLinks(terms: terms, privacy: privacy))
        }
    }
#endif
