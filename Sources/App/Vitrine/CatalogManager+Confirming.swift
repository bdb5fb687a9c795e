#if canImport(Darwin)
    public import VitrinePurchasing
    public import VitrineStoreKitAdapter

    #if canImport(UIKit)
        public import UIKit
    #elseif canImport(AppKit)
        public import AppKit
    #endif

    // Not built or run on Linux.
    extension CatalogManager {
        /// Buys a product, as ``purchase(_:options:)`` does, and asks the customer with a function of the app.
        ///
        /// In SwiftUI, the function calls the action of the view:
        ///
        /// ```swift
        /// @Environment(\.purchase) private var ask
        ///
        /// let answer = await manager.purchase(identifier) { product, options in
        ///     try await ask(product, options: options)
        /// }
        /// ```
        ///
        /// - Parameters:
        ///   - identifier: Identifier of the product.
        ///   - options: Options of the purchase.
        ///   - call: Function that asks the customer to pay for a product of StoreKit.
        public func purchase(
            _ identifier: String, options: PurchaseOptions = PurchaseOptions(),
            asking call: @escaping StoreKitStore.PurchaseCall
        ) async -> PurchaseAnswer {
            await StoreKitStore.$callOfPurchase.withValue(call) { await purchase(identifier, options: options) }
        }

        #if canImport(UIKit)
            /// Buys a product, as ``purchase(_:options:)`` does, and asks the customer in a scene.
            public func purchase(
                _ identifier: String, options: PurchaseOptions = PurchaseOptions(), in scene: UIWindowScene
            ) async -> PurchaseAnswer {
                await purchase(identifier, options: options, asking: StoreKitStore.asking(in: scene))
            }

            /// Buys a product, as ``purchase(_:options:)`` does, and asks the customer in a view controller.
            public func purchase(
                _ identifier: String, options: PurchaseOptions = PurchaseOptions(), in controller: UIViewController
            ) async -> PurchaseAnswer {
                await purchase(identifier, options: options, asking: StoreKitStore.asking(in: controller))
            }
        #elseif canImport(AppKit)
            /// Buys a product, as ``purchase(_:options:)`` does, and asks the customer in a window.
            public func purchase(
                _ identifier: String, options: PurchaseOptions = PurchaseOptions(), in window: NSWindow
            ) async -> PurchaseAnswer {
                await purchase(identifier, options: options, asking: StoreKitStore.asking(in: window))
            }
        #endif
    }
#endif
