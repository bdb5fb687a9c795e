public import Foundation
public import ProductCatalog

/// Reads what older libraries for in-app purchases have left on a device. It changes nothing there.
///
/// ```swift
/// let reader = PredecessorReader(documents: .documentsDirectory, caches: .cachesDirectory, catalog: catalog)
/// let found = reader.read(.mkStoreKit)
/// for product in found.owned { print(product.identifier, product.source) }
/// ```
public struct PredecessorReader: Sendable {
    let preferences: any PreferenceStore
    let documents: URL
    let caches: URL
    let catalog: Catalog
    /// `nil` where the system has none.
    let keychain: (any PredecessorKeychain)?

    /// - Parameters:
    ///   - preferences: The app's own preferences.
    ///   - documents: The app's folder for documents.
    ///   - caches: The app's folder for what may vanish.
    ///   - catalog: Says which products are consumables, and which wallets they are credited to.
    public init(
        preferences: any PreferenceStore = UserDefaultsPreferences(), documents: URL, caches: URL, catalog: Catalog
    ) {
        self.init(
            preferences: preferences, documents: documents, caches: caches, catalog: catalog,
            keychain: systemKeychain())
    }

    init(
        preferences: any PreferenceStore, documents: URL, caches: URL, catalog: Catalog,
        keychain: (any PredecessorKeychain)?
    ) {
        self.preferences = preferences
        self.documents = documents
        self.caches = caches
        self.catalog = catalog
        self.keychain = keychain
    }

    /// What a library has left behind. Files and keys that are not there are no findings; what is there and cannot be
    /// used is told, and never in the way of the rest.
    ///
    /// A consumable is never owned: what is left of it is a balance, and a balance of zero is not told.
    public func read(_ predecessor: Predecessor) -> PredecessorState {
        var findings = PredecessorFindings(catalog: catalog)
        switch predecessor {
        case .vtaInAppPurchases: readVTAInAppPurchases(into: &findings)
        case .mkStoreKit: readMKStoreKit(into: &findings)
        case .rmStore: readRMStore(into: &findings)
        case .storeHelper: readStoreHelper(into: &findings)
        }
        return findings.state
    }
}
