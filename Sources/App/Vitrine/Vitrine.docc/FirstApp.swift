import SwiftUI
import Vitrine

@main
struct GuideShop: App {
    @State private var manager: CatalogManager?
    @State private var products: [ProductListing] = []
    @State private var message = ""

    var body: some Scene {
        WindowGroup {
            List(products) { product in
                Button("\(product.title) \(product.displayPrice ?? "")") {
                    Task {
                        guard case .failed(let failure)? = await manager?.purchase(product.id) else { return }
                        message = failure.localizedDescription
                    }
                }
            }
            .overlay { Text(message) }
            .task {
                guard let plist = Bundle.main.url(forResource: "Shop", withExtension: "plist") else { return }
                do {
                    manager = try await CatalogManager(catalog: .file(plist))
                    await manager?.loadProducts()
                    products = manager?.products ?? []
                } catch {
                    message = error.localizedDescription
                }
            }
        }
    }
}
