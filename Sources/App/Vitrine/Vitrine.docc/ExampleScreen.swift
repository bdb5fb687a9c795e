// A sample, not a part of the library. It has not been built or run: it needs SwiftUI.
#if canImport(SwiftUI)
    import SwiftUI
    import Vitrine

    /// All products of the catalog.
    @available(iOS 17.0, tvOS 17.0, *)
    struct ShopScreen: View {
        let model: CatalogModel
        @State private var isRestoring = false
        @State private var isAnswered = false
        @State private var answer = ""

        var body: some View {
            NavigationStack {
                List {
                    if model.status != .productsLoaded, let error = model.lastError {
                        Section { Label(String(describing: error), systemImage: "exclamationmark.triangle") }
                    }
                    ForEach(model.listing) { product in
                        NavigationLink(value: product.id) { ProductRow(product: product) }
                    }
                    Section {
                        Button("Restore Purchases", action: restore).disabled(isRestoring)
                    }
                }
                .overlay {
                    if model.listing.isEmpty { EmptyShop(status: model.status) }
                }
                .navigationTitle("Shop")
                .navigationDestination(for: String.self) { ProductScreen(model: model, id: $0) }
                .refreshable { await model.manager.loadProducts() }
                .alert("Restore Purchases", isPresented: $isAnswered) {
                } message: {
                    Text(answer)
                }
            }
        }

        private func restore() {
            Task {
                isRestoring = true
                do throws(StoreError) {
                    answer = try await model.manager.restore().description
                } catch {
                    answer = "The purchases cannot be restored: \(error.reason)"
                }
                isRestoring = false
                isAnswered = true
            }
        }
    }

    extension RestoreResult {
        fileprivate var description: String {
            if !failed.isEmpty { return "Some purchases could not be restored. Try again later." }
            if !restored.isEmpty { return "Your purchases are restored." }
            if !alreadyOwned.isEmpty { return "You already have everything you have bought." }
            return "There is nothing to restore."
        }
    }

    /// A product in the list.
    private struct ProductRow: View {
        let product: ProductListing

        var body: some View {
            HStack {
                ProductImage(url: product.icon).frame(width: 44, height: 44)
                Text(product.title)
                Spacer()
                if product.ownership.isOwned {
                    Image(systemName: "checkmark.circle").accessibilityLabel("Owned")
                } else {
                    Text(product.displayPrice ?? "")
                }
            }
        }
    }

    /// Screen about one product, with its contents.
    @available(iOS 17.0, tvOS 17.0, *)
    private struct ProductScreen: View {
        let model: CatalogModel
        let id: String

        var body: some View {
            if let product = model.listing.first(where: { $0.id == id }) {
                List {
                    Section {
                        if let image = product.featuredImage { ProductImage(url: image) }
                        Text(product.description)
                    }
                    if let bundle = product.bundle { BundleSection(bundle: bundle) }
                    Section { ProductState(model: model, product: product) }
                }
                .navigationTitle(product.title)
            } else {
                ContentUnavailableView("Not in the Shop Any More", systemImage: "bag")
            }
        }
    }

    /// Contents of a bundle, and the saving.
    private struct BundleSection: View {
        let bundle: BundleListing

        var body: some View {
            Section("Contains") {
                ForEach(bundle.children) { child in
                    LabeledContent(child.title, value: child.isOwned ? "Owned" : child.displayPrice ?? "")
                }
                if let saving = bundle.displaySaving { LabeledContent("You Save", value: saving) }
            }
        }
    }

    /// Possible action for a product: buy it, wait for it, use it.
    @available(iOS 17.0, tvOS 17.0, *)
    private struct ProductState: View {
        let model: CatalogModel
        let product: ProductListing
        @State private var hasFailed = false
        @State private var reason = ""

        var body: some View {
            switch product.purchase {
            case .inProgress: ProgressView("Buying…")
            case .waitingForApproval:
                Label("Waiting for Approval", systemImage: "hourglass")
                // The store does not report that a request was declined: the customer may ask again.
                offer
            case .delivering:
                if let content = product.content {
                    ContentProgressRow(content: content)
                } else {
                    ProgressView("Delivering…")
                }
            case nil where product.ownership.isOwned:
                owned
                // A non-renewing subscription can be extended while it lasts.
                if product.isOffered { offer }
            case nil: offer
            }
        }

        @ViewBuilder private var owned: some View {
            Label("Owned", systemImage: "checkmark.circle")
            if let content = product.content, !content.isComplete { ContentProgressRow(content: content) }
        }

        @ViewBuilder private var offer: some View {
            switch product.offer {
            case .offered:
                Button(product.displayPrice.map { "Buy for \($0)" } ?? "Buy") {
                    Task { await buy() }
                }
                .alert("Not Bought", isPresented: $hasFailed) {
                } message: {
                    Text(reason)
                }
            case .notOffered(let reason):
                Text("Not available: \(reason.description)").foregroundStyle(.secondary)
            }
        }

        /// Buys the product. The listing shows the result, except for the reason of a failure.
        private func buy() async {
            guard case .failed(let failure) = await model.manager.purchase(product.id) else { return }
            (reason, hasFailed) = (failure.reason, true)
        }
    }

    /// Progress of a download.
    private struct ContentProgressRow: View {
        let content: ListedContent

        var body: some View {
            switch content.download?.state {
            case .waiting, .active: ProgressView("Downloading…", value: content.fraction)
            case .paused: Label("Paused", systemImage: "pause.circle")
            case .failed: Label("Could Not Be Downloaded", systemImage: "exclamationmark.triangle")
            case .finished, .cancelled, nil:
                Text("\(content.installedCount) of \(content.count) downloaded")
            }
        }
    }

    /// Text in place of a list without products.
    private struct EmptyShop: View {
        let status: LoadingStatus

        var body: some View {
            switch status {
            case .productsLoading, .listLoaded: ProgressView()
            case .productsLoaded: ContentUnavailableView("Nothing to Buy", systemImage: "bag")
            case .listLoadFailed, .productsLoadFailed:
                ContentUnavailableView("The Shop Cannot Be Reached", systemImage: "wifi.slash")
            }
        }
    }

    /// An image of the catalog.
    private struct ProductImage: View {
        let url: URL?

        var body: some View {
            AsyncImage(url: url) { image in
                image.resizable().scaledToFit()
            } placeholder: {
                Color.secondary.opacity(0.2)
            }
        }
    }
#endif
