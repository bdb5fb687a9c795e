import Foundation
import Vitrine

/// Shop of the app for its Objective-C code, which sees each `async` method as one with a completion handler.
#if canImport(ObjectiveC)
    @objcMembers
#endif
final class Shop: NSObject, Sendable {
    private let manager: CatalogManager

    init(_ manager: CatalogManager) {
        self.manager = manager
        manager.postNotifications()
    }

    func owns(_ product: String) -> Bool { manager.ownership(of: product).isOwned }

    func price(of product: String) -> String? { manager.listing.first { $0.id == product }?.displayPrice }

    /// Returns a text for the customer; `nil` if the product is owned now, or the customer has cancelled.
    func buy(_ product: String) async -> String? {
        switch await manager.purchase(product) {
        case .success, .cancelled: nil
        case .pending: "Your purchase is pending."
        case .failed(let failure): failure.localizedDescription
        }
    }

    func restore() async throws { _ = try await manager.restore() }
}
