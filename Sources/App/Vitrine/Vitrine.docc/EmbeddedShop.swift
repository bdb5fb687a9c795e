// A sample, not a part of the library. The compiler checks it; it has not been run.
import SwiftUI
import Vitrine
import VitrineUI

#if canImport(UIKit)
    import UIKit

    /// Returns a view controller with the shop, for an app with UIKit.
    @MainActor
    func shopViewController(_ manager: CatalogManager) -> UIViewController {
        UIHostingController(rootView: ShopView(ShopModel(manager)))
    }
#elseif canImport(AppKit)
    import AppKit

    /// Returns a view controller with the shop, for an app with AppKit.
    @MainActor
    func shopViewController(_ manager: CatalogManager) -> NSViewController {
        NSHostingController(rootView: ShopView(ShopModel(manager)))
    }
#endif
