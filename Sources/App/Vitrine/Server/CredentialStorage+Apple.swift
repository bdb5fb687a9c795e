#if canImport(Security)
    internal import Foundation
    internal import Security

    // Not built or run on Linux.

    extension Home {
        /// Returns the storage of the credentials of this device: the keychain of the app.
        ///
        /// - Parameter account: Name of the folder of the App Store account; `nil` for the first account.
        func credentialStorage(ofApp app: String, account: String?) -> any CredentialStorage {
            CredentialKeychain(app: ([app] + (account.map { [$0] } ?? [])).joined(separator: " "))
        }
    }

    /// Item of the app's keychain with the credentials of the device. It is never copied to another device.
    private struct CredentialKeychain: CredentialStorage {
        let app: String

        private var query: [CFString: Any] {
            [
                kSecClass: kSecClassGenericPassword, kSecAttrService: "vitrine server",
                kSecAttrAccount: app,
            ]
        }

        func credentials() throws(AppServerError) -> DeviceCredentials? {
            var query = query
            query[kSecMatchLimit] = kSecMatchLimitOne
            query[kSecReturnData] = true
            var found: CFTypeRef?
            let status = SecItemCopyMatching(query as CFDictionary, &found)
            guard status != errSecItemNotFound else { return nil }
            guard status == errSecSuccess, let data = found as? Data else { throw Self.error(status) }
            return try DeviceCredentials(json: data, from: "the keychain")
        }

        func store(_ credentials: DeviceCredentials) throws(AppServerError) {
            let values: [CFString: Any] = [
                kSecValueData: try credentials.json,
                kSecAttrAccessible: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly,
            ]
            var status = SecItemUpdate(query as CFDictionary, values as CFDictionary)
            if status == errSecItemNotFound {
                status = SecItemAdd(query.merging(values) { $1 } as CFDictionary, nil)
            }
            guard status == errSecSuccess else { throw Self.error(status) }
        }

        func remove() throws(AppServerError) {
            let status = SecItemDelete(query as CFDictionary)
            guard status == errSecSuccess || status == errSecItemNotFound else { throw Self.error(status) }
        }

        private static func error(_ status: OSStatus) -> AppServerError {
            AppServerError(code: .storage, reason: "the keychain returned status \(status)")
        }
    }
#endif
