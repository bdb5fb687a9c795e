internal import Foundation

/// What other libraries keep in a keychain. Nothing in it is changed.
protocol PredecessorKeychain: Sendable {
    /// The item of RMStore's keychain persistor.
    ///
    /// - Returns: `nil` where there is none.
    /// - Throws: ``UnusableValue`` where the keychain does not answer.
    func rmStoreTransactions() throws(UnusableValue) -> Data?

    /// The item that StoreHelper has for a consumable.
    ///
    /// - Returns: `nil` where there is none.
    /// - Throws: ``UnusableValue`` where the keychain does not answer.
    func storeHelperCount(of productIdentifier: String) throws(UnusableValue) -> Data?
}

#if !canImport(Security)
    /// There is no keychain on this system.
    func systemKeychain() -> (any PredecessorKeychain)? { nil }
#endif
