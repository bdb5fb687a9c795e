import SwiftUI
import Vitrine

@main
struct GuideShop: App {
    @State private var manager: CatalogManager?
    @State private var products: [ProductListing] = []

    var body: some Scene {
        WindowGroup {
            List(products) { product in
                Button("\(product.title) \(product.displayPrice ?? "")") {
                    Task { _ = await manager?.purchase(product.id) }
                }
            }
            .task {
                guard let plist = Bundle.main.url(forResource: "Shop", withExtension: "plist") else { return }
                manager = try? await CatalogManager(catalog: .file(plist))
                await manager?.loadProducts()
                products = manager?.products ?? []
            }
        }
    }
}
