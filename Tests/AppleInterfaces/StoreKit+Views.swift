// Declared from the public documentation; not code of Apple. Only what the project uses. Never compiled by the package:
// Scripts/check-apple compiles sources against it.
public import SwiftUI

@available(iOS 17.0, macOS 14.0, tvOS 17.0, visionOS 1.0, *)
@MainActor @preconcurrency
public struct StoreView<Icon: View, PlaceholderIcon: View>: SystemView {
    nonisolated public init(ids productIDs: some Collection<String>, prefersPromotionalIcon: Bool = false)
    where Icon == EmptyView, PlaceholderIcon == EmptyView {}
}

@available(iOS 17.0, macOS 14.0, tvOS 17.0, visionOS 1.0, *)
@MainActor @preconcurrency
public struct SubscriptionStoreView<Content: View>: SystemView {
    nonisolated public init(groupID: String) where Content == EmptyView {}
}

@available(iOS 17.0, macOS 14.0, tvOS 17.0, visionOS 1.0, *)
public struct StoreButtonKind: Sendable {
    public static var restorePurchases: StoreButtonKind { fatalError() }
}

@available(iOS 17.0, macOS 14.0, tvOS 17.0, visionOS 1.0, *)
extension View {
    nonisolated public func storeButton(
        _ visibility: Visibility, for buttonKinds: StoreButtonKind...
    ) -> some View { EmptyView() }
}
