public import Foundation
public import OpenStoreKitShim

#if canImport(UIKit)
    package import UIKit
#elseif canImport(AppKit)
    package import AppKit
#endif

extension StoreKitStore {
    // MARK: Asking the customer

    /// Function that asks the customer in place of the store's own, during one purchase.
    @TaskLocal package static var callOfPurchase: PurchaseCall?

    /// Buys a product after the store has asked the customer in the app's active scene or window.
    ///
    /// - Throws: Errors of StoreKit. The purchase fails with `StoreErrorCode.notSubmitted` if the app has no such
    ///   scene.
    @MainActor
    public static func askInForeground(
        _ product: Product, _ options: Set<Product.PurchaseOption>
    ) async throws -> Product.PurchaseResult {
        #if canImport(UIKit)
            guard let scene = activeScene else { throw MissingWindow() }
            return try await asking(in: scene)(product, options)
        #elseif canImport(AppKit)
            let application = NSApplication.shared
            // For an app without a window, such as a menu bar app, the system shows a window of its own.
            guard let window = application.keyWindow ?? application.mainWindow else {
                return try await product.purchase(options: options)
            }
            return try await asking(in: window)(product, options)
        #else
            return try await product.purchase(options: options)
        #endif
    }

    #if canImport(UIKit)
        /// Scene that the customer uses; `nil` if the app has none in the foreground.
        @MainActor
        static var activeScene: UIWindowScene? {
            // Other scenes, such as those of CarPlay, show no dialog.
            let scenes = UIApplication.shared.connectedScenes.compactMap { $0 as? UIWindowScene }
            let active = scenes.filter { $0.activationState == .foregroundActive }
            // Several scenes can be active, such as side by side on an iPad.
            return active.first { $0.keyWindow?.isKeyWindow == true } ?? active.first
                ?? scenes.first { $0.activationState == .foregroundInactive }
        }

        /// Returns a function that asks the customer in a scene.
        package static func asking(in scene: UIWindowScene) -> PurchaseCall {
            { product, options in
                #if os(visionOS)
                    return try await product.purchase(confirmIn: scene, options: options)
                #else
                    guard #available(iOS 17.0, tvOS 17.0, *) else {
                        return try await product.purchase(options: options)
                    }
                    return try await product.purchase(confirmIn: scene, options: options)
                #endif
            }
        }

        /// Returns a function that asks the customer in a view controller, or on older systems in its scene.
        package static func asking(in controller: UIViewController) -> PurchaseCall {
            { product, options in
                if #available(iOS 18.2, tvOS 18.2, visionOS 2.2, *) {
                    return try await product.purchase(confirmIn: controller, options: options)
                }
                guard let scene = controller.viewIfLoaded?.window?.windowScene else { throw MissingWindow() }
                return try await asking(in: scene)(product, options)
            }
        }
    #elseif canImport(AppKit)
        /// Returns a function that asks the customer in a window, or on older systems in a window of the system.
        package static func asking(in window: NSWindow) -> PurchaseCall {
            { product, options in
                guard #available(macOS 15.2, *) else { return try await product.purchase(options: options) }
                return try await product.purchase(confirmIn: window, options: options)
            }
        }
    #endif

    // MARK: Receipts

    /// File of the app receipt that the system has issued to the app; `nil` outside Apple's platforms.
    public static var mainReceiptFile: URL? {
        #if canImport(Darwin)
            // Apple has deprecated it in iOS 18 and macOS 15 in favor of the app transaction, which does not contain the
            // purchases of the original StoreKit.
            Bundle.main.appStoreReceiptURL
        #else
            nil
        #endif
    }
}
