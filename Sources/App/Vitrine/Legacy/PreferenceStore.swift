public import Foundation
internal import VitrineCatalog
internal import VitrineEntitlements
internal import VitrineSupport

/// Preferences by key, as `UserDefaults` stores them.
public protocol PreferenceStore: Sendable {
    /// Returns the value that is stored under a key.
    ///
    /// - Returns: `nil` if no value is stored under the key.
    func value(forKey key: String) -> PreferenceValue?
    func set(_ value: Int, forKey key: String)
    func set(_ value: Bool, forKey key: String)
    func removeValue(forKey key: String)
}

/// Value of a preference with its original type, without any conversion.
public enum PreferenceValue: Sendable, Hashable {
    case integer(Int)
    /// Number with a fraction, or integer that does not fit in 64 bits.
    case real(Double)
    case boolean(Bool)
    case string(String)
    case data(Data)
    case date(Date)
    case array([PreferenceValue])
    case dictionary([String: PreferenceValue])
    /// Value of any other type, or one that exceeds the limits of a reader.
    case unsupported

    /// The integer that `UserDefaults.integer(forKey:)` returns for the value: numbers lose their fraction, booleans
    /// become 0 or 1, and strings of digits are converted. `nil` for any other value, for which `UserDefaults` returns
    /// 0 or truncates the number.
    package var userDefaultsInteger: Int? {
        switch self {
        case .integer(let integer): integer
        case .real(let real): Int(exactly: real.rounded(.towardZero))
        case .boolean(let boolean): boolean ? 1 : 0
        case .string(let string): Int(string.trimmingCharacters(in: .whitespacesAndNewlines))
        default: nil
        }
    }
}

/// Preferences in memory, for tests and previews.
public final class MemoryPreferences: PreferenceStore {
    private let values: Locked<[String: PreferenceValue]>

    public init(_ values: [String: PreferenceValue] = [:]) { self.values = Locked(values) }

    public func value(forKey key: String) -> PreferenceValue? { values.withLock { $0[key] } }

    public func set(_ value: Int, forKey key: String) { values.withLock { $0[key] = .integer(value) } }

    public func set(_ value: Bool, forKey key: String) { values.withLock { $0[key] = .boolean(value) } }

    public func removeValue(forKey key: String) { values.withLock { $0[key] = nil } }
}

/// Mirror that writes a customer's balances and ownership to the app's preferences, for code that reads them there. The
/// written values are never read and do not affect ownership. A wallet's balance is not written while its key has a
/// value that is not a number.
public struct PreferenceMirror: Sendable {
    let preferences: any PreferenceStore
    /// Function that returns the key for the ownership of a product; `nil` for products whose ownership is not written.
    let ownershipKey: @Sendable (String) -> String?

    /// Creates a mirror of balances and, optionally, of ownership.
    ///
    /// - Parameters:
    ///   - preferences: The app's own preferences. Each wallet is written there under its `storageKey`.
    ///   - ownershipKey: Function that returns the key under which the ownership of a product is written, as `true`
    ///     or `false`; `nil` for products whose ownership is not written. By default no ownership is written.
    public init(
        preferences: any PreferenceStore = UserDefaultsPreferences(),
        ownershipKey: @escaping @Sendable (String) -> String? = { _ in nil }
    ) {
        self.preferences = preferences
        self.ownershipKey = ownershipKey
    }

    /// Writes all balances and ownership to the preferences.
    func writeAll(_ entitlements: () -> EntitlementSnapshot) {
        var changes = EntitlementSnapshot.Changes()
        (changes.isAboutAll, changes.isLossChanged) = (true, true)
        write(changes, of: entitlements)
    }

    /// Writes changed balances and ownership to the preferences, also those that have only become known.
    ///
    /// - Parameter entitlements: Closure that returns the current entitlements, which an observer of the preferences
    ///   may have changed in the meantime.
    func write(_ changes: EntitlementSnapshot.Changes, of entitlements: () -> EntitlementSnapshot) {
        let present = entitlements()
        for wallet in present.wallets(affectedBy: changes) { write(wallet, of: entitlements()) }
        for identifier in present.products(affectedBy: changes) { writeOwnership(of: identifier, entitlements) }
    }

    /// Writes the balance of a wallet, unless the balance is unknown. A value in the preferences that is not a number
    /// is not replaced, because it may be the only copy of a balance that could not be imported.
    private func write(_ wallet: String, of entitlements: EntitlementSnapshot) {
        guard case .known(let units) = entitlements.balance(of: wallet) else { return }
        if let value = preferences.value(forKey: wallet), value.userDefaultsInteger == nil { return }
        preferences.set(units, forKey: wallet)
    }

    private func writeOwnership(of identifier: String, _ entitlements: () -> EntitlementSnapshot) {
        guard let key = ownershipKey(identifier) else { return }
        let ownership = entitlements().ownership(of: identifier)
        if case .unknown = ownership { return }
        guard preferences.value(forKey: key) != .boolean(ownership.isOwned) else { return }
        preferences.set(ownership.isOwned, forKey: key)
    }
}

extension EntitlementSnapshot {
    /// Returns the wallets whose balances are different or known since changes. A settled loss concerns all wallets.
    fileprivate func wallets(affectedBy changes: Changes) -> Set<String> {
        guard changes.isLossChanged else { return Set(changes.wallets) }
        let declared = (catalog?.products ?? []).filter { $0.kind == .consumable }.compactMap(\.storageKey)
        return Set(changes.wallets + declared).union(balances.keys)
    }

    /// Returns the products whose ownership is different or known since changes. The ownership of a product may be
    /// unknown because of a bundle that contains it.
    fileprivate func products(affectedBy changes: Changes) -> Set<String> {
        let changed = Set(changes.newlyOwned + changes.noLongerOwned).union(changes.isAboutAll ? owned : [])
        guard let catalog else { return changed }
        let touched = changes.touched.compactMap(catalog.index(of:))
        let positions =
            changes.isAboutAll
            ? Array(catalog.products.indices) : Array(catalog.bundles.descendants(ofEach: touched).keys)
        let products = positions.map { catalog.products[$0] }.filter { $0.kind != .consumable }
        return changed.union(products.map(\.identifier))
    }
}
