public import Foundation
public import Vitrine
public import VitrineCatalog

/// Reader of the data that legacy libraries for in-app purchases have left on a device. It changes none of this data.
///
/// ```swift
/// let reader = LegacyReader(documents: .documentsDirectory, caches: .cachesDirectory, catalog: catalog)
/// let found = reader.read(.mkStoreKit)
/// for product in found.owned { print(product.identifier, product.source) }
/// ```
public struct LegacyReader: Sendable {
    let preferences: any PreferenceStore
    let documents: URL
    let caches: URL
    let catalog: Catalog
    /// Keychain of the app; `nil` if the system has none.
    let keychain: (any LegacyKeychain)?

    /// Creates a reader of the data that legacy libraries have left on the device.
    ///
    /// - Parameters:
    ///   - preferences: The app's own preferences.
    ///   - documents: Documents folder of the app.
    ///   - caches: Caches folder of the app.
    ///   - catalog: Catalog that lists which products are consumables, and which wallets they are credited to.
    public init(
        preferences: any PreferenceStore = UserDefaultsPreferences(), documents: URL, caches: URL, catalog: Catalog
    ) {
        self.init(
            preferences: preferences, documents: documents, caches: caches, catalog: catalog,
            keychain: systemKeychain())
    }

    init(
        preferences: any PreferenceStore, documents: URL, caches: URL, catalog: Catalog,
        keychain: (any LegacyKeychain)?
    ) {
        self.preferences = preferences
        self.documents = documents
        self.caches = caches
        self.catalog = catalog
        self.keychain = keychain
    }

    /// Returns the data that a legacy library has left. Missing files and keys are not reported; data that cannot be
    /// used is reported, and does not prevent the rest from being read.
    ///
    /// A consumable is never owned: its remaining units are a balance, and a balance of zero is not reported.
    public func read(_ library: LegacyLibrary) -> LegacyState {
        var findings = LegacyFindings(catalog: catalog)
        switch library {
        case .vtaInAppPurchases: readVTAInAppPurchases(into: &findings)
        case .mkStoreKit: readMKStoreKit(into: &findings)
        case .rmStore: readRMStore(into: &findings)
        case .storeHelper: readStoreHelper(into: &findings)
        }
        return findings.state
    }
}

extension LegacyReader {
    /// Reads an array of identifiers in the preferences.
    ///
    /// - Parameter holdsConsumables: `true` if the library stores consumables in the array too; these are skipped.
    func readOwnedIdentifiers(
        under key: String, holdsConsumables: Bool, into findings: inout LegacyFindings
    ) {
        guard let value = preferences.value(forKey: key) else { return }
        let source = "\(key) in the preferences"
        guard case .array(let elements) = value else {
            return findings.addUnreadable(
                UnusableValue(expected: "an array", found: value.typeName).reason, source: source)
        }
        for (index, element) in elements.enumerated() {
            guard case .string(let identifier) = element, !identifier.isEmpty else {
                let found = element == .string("") ? "empty" : element.typeName
                findings.addUnreadable("item \(index + 1) must be an identifier, but is \(found)", source: source)
                continue
            }
            if holdsConsumables, findings.kind(of: identifier) == .consumable { continue }
            findings.addOwned(LegacyState.OwnedProduct(identifier: identifier, source: source))
        }
    }
}

extension LegacyDataSource {
    /// Creates a source that reads the data that legacy libraries have stored on the device.
    ///
    /// - Parameters:
    ///   - libraries: Legacy libraries, in the order in which they are read.
    ///   - preferences: The app's own preferences.
    ///   - documents: Documents folder of the app.
    ///   - caches: Caches folder of the app.
    public init(
        _ libraries: [LegacyLibrary], preferences: any PreferenceStore = UserDefaultsPreferences(), documents: URL,
        caches: URL
    ) {
        self.init(libraries) { library, catalog in
            LegacyReader(preferences: preferences, documents: documents, caches: caches, catalog: catalog)
                .read(library)
        }
    }
}
