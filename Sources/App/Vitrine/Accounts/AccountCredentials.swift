internal import Foundation

extension CatalogManager {
    /// Returns the storage of the credentials of this device at the app's server, which are those of the present App Store
    /// account: for the server, the device of another account is another device.
    nonisolated func credentialStorage(ofApp app: String) -> any CredentialStorage {
        guard separateLedger != nil else { return home.credentialStorage(ofApp: app, account: nil) }
        return AccountCredentials { [self] in
            let place = accountPlace
            return place.credentialStorage(ofApp: app, account: place == home ? nil : place.url.lastPathComponent)
        }
    }
}

/// Credentials of the App Store account that is present at each call, so that a request that began for another account
/// finds that the customer has changed.
private struct AccountCredentials: CredentialStorage {
    let present: @Sendable () -> any CredentialStorage

    func credentials() throws(AppServerError) -> DeviceCredentials? { try present().credentials() }

    func store(_ credentials: DeviceCredentials) throws(AppServerError) { try present().store(credentials) }

    func remove() throws(AppServerError) { try present().remove() }
}
