internal import Foundation

/// Items of legacy libraries in a keychain. They are only read.
protocol LegacyKeychain: Sendable {
    /// Returns the item of RMStore's keychain persistor.
    ///
    /// - Returns: `nil` if there is none.
    /// - Throws: ``UnusableValue`` if the keychain does not answer.
    func rmStoreTransactions() throws(UnusableValue) -> Data?

    /// Returns StoreHelper's item for a consumable.
    ///
    /// - Returns: `nil` if there is none.
    /// - Throws: ``UnusableValue`` if the keychain does not answer.
    func storeHelperCount(of productIdentifier: String) throws(UnusableValue) -> Data?
}

#if !canImport(Security)
    /// Returns `nil`: this system has no keychain.
    func systemKeychain() -> (any LegacyKeychain)? { nil }
#endif
