internal import Foundation

/// Read access to the keychain items that legacy libraries have stored.
protocol LegacyKeychain: Sendable {
    /// Returns the data of the item that RMStore's keychain persistor has stored.
    ///
    /// - Returns: `nil` if there is no such item.
    /// - Throws: ``UnusableValue`` if the keychain does not answer.
    func rmStoreTransactions() throws(UnusableValue) -> Data?

    /// Returns the data of StoreHelper's keychain item with the count of a consumable.
    ///
    /// - Returns: `nil` if there is no such item.
    /// - Throws: ``UnusableValue`` if the keychain does not answer.
    func storeHelperCount(of productIdentifier: String) throws(UnusableValue) -> Data?
}

#if !canImport(Security)
    /// Returns `nil`: this system has no keychain.
    func systemKeychain() -> (any LegacyKeychain)? { nil }
#endif
