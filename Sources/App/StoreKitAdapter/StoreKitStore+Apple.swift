public import Foundation
public import OpenStoreKitShim
internal import VitrineReceipts

#if canImport(UIKit)
    internal import UIKit
#elseif canImport(AppKit)
    internal import AppKit
#endif

extension StoreKitStore {
    /// Buys a product after the store has asked the customer in the app's foreground scene or window.
    ///
    /// - Throws: Errors of StoreKit. The purchase fails with `StoreErrorCode.notSubmitted` if the app has no such
    ///   scene.
    @MainActor
    public static func askInForeground(
        _ product: Product, _ options: Set<Product.PurchaseOption>
    ) async throws -> Product.PurchaseResult {
        #if canImport(UIKit)
            // Other scenes, such as those of CarPlay, show no dialog.
            let scenes = UIApplication.shared.connectedScenes.compactMap { $0 as? UIWindowScene }
            let scene =
                scenes.first { $0.activationState == .foregroundActive }
                ?? scenes.first { $0.activationState == .foregroundInactive }
            guard let scene else { throw MissingWindow() }
            #if os(visionOS)
                return try await product.purchase(confirmIn: scene, options: options)
            #else
                guard #available(iOS 17.0, tvOS 17.0, *) else { return try await product.purchase(options: options) }
                return try await product.purchase(confirmIn: scene, options: options)
            #endif
        #elseif canImport(AppKit)
            let application = NSApplication.shared
            // For an app without a window, such as a menu bar app, the system shows a window of its own.
            guard #available(macOS 15.2, *), let window = application.keyWindow ?? application.mainWindow else {
                return try await product.purchase(options: options)
            }
            return try await product.purchase(confirmIn: window, options: options)
        #else
            return try await product.purchase(options: options)
        #endif
    }

    /// Environment that the name of the app receipt suggests, without a proof: iOS names the file `sandboxReceipt` in
    /// TestFlight and in the sandbox. `nil` on other systems.
    static var suggestedEnvironment: StoreEnvironment? {
        #if os(iOS)
            mainReceiptFile.map { $0.lastPathComponent == "sandboxReceipt" ? .sandbox : .production }
        #else
            nil
        #endif
    }

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
