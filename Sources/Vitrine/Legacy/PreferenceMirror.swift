internal import Entitlements
internal import ProductCatalog

/// Mirror that writes a customer's balances and ownership to the app's preferences, for code that reads them there. The
/// values are never read back and decide nothing.
public struct PreferenceMirror: Sendable {
    let preferences: any PreferenceStore
    /// Function that returns the key for the ownership of a product; `nil` for products that are left out.
    let ownershipKey: @Sendable (String) -> String?

    /// - Parameters:
    ///   - preferences: The app's own preferences. Each wallet is written there under its `storageKey`.
    ///   - ownershipKey: Function that returns the key under which the ownership of a product is written, as `true` or
    ///     `false`; `nil` for products that are left out. By default no ownership is written.
    public init(
        preferences: any PreferenceStore = UserDefaultsPreferences(),
        ownershipKey: @escaping @Sendable (String) -> String? = { _ in nil }
    ) {
        self.preferences = preferences
        self.ownershipKey = ownershipKey
    }

    func writeAll(_ entitlements: EntitlementSnapshot) {
        let products = entitlements.catalog?.products ?? []
        for wallet in Set(products.compactMap(\.storageKey)).union(entitlements.balances.keys) {
            write(wallet, of: entitlements)
        }
        for identifier in Set(products.filter { $0.kind != .consumable }.map(\.identifier))
            .union(entitlements.owned)
        { writeOwnership(of: identifier, entitlements) }
    }

    /// - Parameter entitlements: Returns the current entitlements: an observer of one change may make another.
    func write(_ changes: EntitlementSnapshot.Changes, of entitlements: () -> EntitlementSnapshot) {
        for wallet in changes.wallets { write(wallet, of: entitlements()) }
        for identifier in changes.newlyOwned + changes.noLongerOwned {
            writeOwnership(of: identifier, entitlements())
        }
    }

    /// Writes the balance of a wallet. An unknown balance leaves the written value unchanged.
    private func write(_ wallet: String, of entitlements: EntitlementSnapshot) {
        guard case .known(let units) = entitlements.balance(of: wallet) else { return }
        preferences.set(units, forKey: wallet)
    }

    private func writeOwnership(of identifier: String, _ entitlements: EntitlementSnapshot) {
        guard let key = ownershipKey(identifier) else { return }
        switch entitlements.ownership(of: identifier) {
        case .owned: preferences.set(true, forKey: key)
        case .notOwned: preferences.set(false, forKey: key)
        case .unknown: break
        }
    }
}
