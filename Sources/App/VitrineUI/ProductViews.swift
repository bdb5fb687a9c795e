#if canImport(SwiftUI)
    public import SwiftUI
    internal import Vitrine
    public import VitrineShopContent

    /// Card of a product: images, texts, contents of a bundle, download, and the button that buys it.
    public struct ProductCard: View {
        @Environment(\.shopCard) private var card
        private let content: ProductContent
        private let model: ShopModel

        public init(_ content: ProductContent, in model: ShopModel) {
            self.content = content
            self.model = model
        }

        public var body: some View { card.view(content, model) }
    }

    /// Row of a product in a list.
    public struct ProductRow: View {
        @Environment(\.shopRow) private var row
        private let content: ProductContent
        private let model: ShopModel

        public init(_ content: ProductContent, in model: ShopModel) {
            self.content = content
            self.model = model
        }

        public var body: some View { row.view(content, model) }
    }

    /// Button that buys a product, with its price, or the state of a product that cannot be bought now.
    public struct BuyButton: View {
        @Environment(\.shopButton) private var button
        private let content: ProductContent
        private let model: ShopModel

        public init(_ content: ProductContent, in model: ShopModel) {
            self.content = content
            self.model = model
        }

        public var body: some View { button.view(content, model) }
    }

    /// Progress of a product's hosted content, with the button that downloads, pauses or resumes it.
    public struct DownloadProgress: View {
        @Environment(\.shopDownload) private var download
        private let content: ProductContent
        private let model: ShopModel

        public init(_ content: ProductContent, in model: ShopModel) {
            self.content = content
            self.model = model
        }

        public var body: some View { download.view(content, model) }
    }

    struct StandardCard: View {
        let content: ProductContent
        let model: ShopModel

        var body: some View {
            VStack(alignment: .leading, spacing: 12) {
                if let image = content.featuredImage {
                    ProductImage(url: image).frame(maxWidth: .infinity).clipShape(RoundedRectangle(cornerRadius: 12))
                }
                ProductTitle(content: content)
                if !content.text.isEmpty { Text(content.text) }
                if let credit = content.credit { Text(credit).font(.subheadline) }
                if let bundle = content.bundle { BundleContents(bundle: bundle, phrases: model.phrases) }
                if let plan = content.plan { PlanTerms(plan: plan) }
                DownloadProgress(content, in: model)
                BuyButton(content, in: model)
                if let explanation = content.sale.explanation {
                    Text(explanation).font(.footnote).foregroundStyle(.secondary)
                }
            }
        }
    }

    struct StandardRow: View {
        @Environment(\.dynamicTypeSize) private var size
        let content: ProductContent
        let model: ShopModel

        var body: some View {
            // Large texts need the whole width.
            if size.isAccessibilitySize {
                VStack(alignment: .leading, spacing: 8) {
                    ProductTitle(content: content)
                    BuyButton(content, in: model)
                }
            } else {
                HStack(spacing: 12) {
                    ProductTitle(content: content)
                    Spacer()
                    BuyButton(content, in: model)
                }
            }
        }
    }

    /// Icon, title and badges of a product.
    private struct ProductTitle: View {
        let content: ProductContent

        var body: some View {
            HStack(spacing: 12) {
                if let icon = content.icon {
                    ProductImage(url: icon).frame(width: 44, height: 44).clipShape(RoundedRectangle(cornerRadius: 8))
                }
                VStack(alignment: .leading, spacing: 2) {
                    Text(content.title).font(.headline)
                    if !content.badges.isEmpty {
                        Text(content.badges.joined(separator: " · ")).font(.caption).foregroundStyle(.secondary)
                    }
                }
            }
            .accessibilityElement(children: .combine)
        }
    }

    /// Image that only decorates: the title says what it shows.
    private struct ProductImage: View {
        let url: URL

        var body: some View {
            AsyncImage(url: url) { image in
                image.resizable().scaledToFit()
            } placeholder: {
                Color.secondary.opacity(0.2)
            }
            .accessibilityHidden(true)
        }
    }

    /// Products of a bundle, and the saving.
    private struct BundleContents: View {
        let bundle: BundleContent
        let phrases: ShopPhrases

        var body: some View {
            VStack(alignment: .leading, spacing: 4) {
                Text(phrases[.includes]).font(.subheadline).accessibilityAddTraits(.isHeader)
                ForEach(bundle.children) { child in
                    LabeledContent(child.title, value: child.isOwned ? phrases[.owned] : child.displayPrice ?? "")
                }
                if let saving = bundle.saving { Text(saving).font(.subheadline) }
            }
        }
    }

    struct StandardButton: View {
        let content: ProductContent
        let model: ShopModel

        var body: some View {
            VStack(alignment: .trailing, spacing: 4) {
                if let button = content.sale.button {
                    Button {
                        Task { await model.buy(content) }
                    } label: {
                        Text(button)
                    }
                    .buttonStyle(.borderedProminent)
                    .accessibilityLabel(content.accessibilityLabel)
                }
                if case .unfinished(.inProgress) = content.state { ProgressView() }
                if let price = content.sale.price { Text(price).font(.subheadline) }
                if let status = content.sale.status {
                    Text(status).font(.subheadline).foregroundStyle(.secondary)
                }
            }
        }
    }

    struct StandardDownload: View {
        let content: ProductContent
        let model: ShopModel

        var body: some View {
            if let download = content.download {
                HStack(spacing: 12) {
                    if download.isRunning {
                        ProgressView(download.text, value: download.fraction)
                    } else {
                        Text(download.text).font(.subheadline)
                    }
                    if let action = download.action, let label = download.actionLabel {
                        Button(label) {
                            Task { await model.perform(action, on: content.id) }
                        }
                        .buttonStyle(.bordered)
                        .accessibilityLabel("\(label): \(content.title)")
                    }
                }
            }
        }
    }
#endif
