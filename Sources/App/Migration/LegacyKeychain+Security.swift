#if canImport(Security)
    internal import Foundation
    internal import Security

    /// Returns the keychain of the app.
    func systemKeychain() -> (any LegacyKeychain)? { SystemKeychain() }

    /// Keychain of the system. Items are looked up in the same way as by the legacy libraries. This file is for Apple
    /// platforms: it is not built on Linux, and has not been run yet.
    private struct SystemKeychain: LegacyKeychain {
        func rmStoreTransactions() throws(UnusableValue) -> Data? {
            guard let bundleIdentifier = Bundle.main.bundleIdentifier else { return nil }
            // The account of this item is data, and not a string.
            let name = Data("RMStoreTransactions".utf8)
            return try item([
                kSecAttrGeneric: name, kSecAttrAccount: name, kSecAttrService: bundleIdentifier,
            ])
        }

        func storeHelperCount(of productIdentifier: String) throws(UnusableValue) -> Data? {
            try item([kSecAttrAccount: productIdentifier])
        }

        private func item(_ attributes: [CFString: Any]) throws(UnusableValue) -> Data? {
            var query = attributes
            query[kSecClass] = kSecClassGenericPassword
            query[kSecMatchLimit] = kSecMatchLimitOne
            query[kSecReturnData] = true
            var found: CFTypeRef?
            switch SecItemCopyMatching(query as CFDictionary, &found) {
            case errSecSuccess: return found as? Data
            case errSecItemNotFound: return nil
            case let status: throw UnusableValue(reason: "the keychain returned status \(status)", mayBeReadLater: true)
            }
        }
    }
#endif
