import StoreKit
import SwiftUI
import Vitrine

/// Products that the manager offers, in StoreKit's own view.
@available(iOS 17.0, tvOS 17.0, *)
struct GuideShop: View {
    let model: CatalogModel

    var body: some View {
        StoreView(ids: model.listing.filter(\.isOffered).map(\.id))
            .storeButton(.visible, for: .restorePurchases)
    }
}

/// Plans of a subscription group in App Store Connect.
@available(iOS 17.0, tvOS 17.0, *)
struct ClubPlans: View {
    let group: String

    var body: some View {
        SubscriptionStoreView(groupID: group)
            .storeButton(.visible, for: .restorePurchases)
    }
}
