// A sample, not a part of the library. The compiler checks it; it has not been run: it needs SwiftUI.
#if canImport(SwiftUI)
    import SwiftUI
    import Vitrine
    import VitrineUI

    /// The shop of the library, with rows of the app.
    struct ShopScreen: View {
        @StateObject private var shop: ShopModel

        init(_ manager: CatalogManager) { _shop = StateObject(wrappedValue: ShopModel(manager)) }

        var body: some View {
            ShopView(shop)
                .shopRow { product, shop in GuideRow(product: product, shop: shop) }
                .shopLinks(
                    terms: URL(string: "https://example.com/terms"),
                    privacy: URL(string: "https://example.com/privacy"))
        }
    }

    /// A row of the app, with the library's button.
    private struct GuideRow: View {
        let product: ProductContent
        let shop: ShopModel

        var body: some View {
            VStack(alignment: .leading) {
                Text(product.title).font(.headline)
                if let credit = product.credit { Text(credit).font(.caption) }
                BuyButton(product, in: shop)
            }
        }
    }
#endif
