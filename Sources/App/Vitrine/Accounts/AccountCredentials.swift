internal import Foundation
internal import VitrinePurchasing

/// Credentials of this device at the app's server for an App Store account. The device of another account is another
/// device for the server.
struct AccountCredentials: CredentialStorage {
    /// Returns the storage of the credentials that are used at each call.
    private let storage: @Sendable () -> any CredentialStorage

    /// - Parameter place: Returns the storage directory of the App Store account.
    init(ofApp app: String, home: Home, in place: @escaping @Sendable () -> Home) {
        storage = {
            let folder = place()
            return folder.credentialStorage(ofApp: app, account: folder == home ? nil : folder.url.lastPathComponent)
        }
    }

    func credentials() throws(AppServerError) -> DeviceCredentials? { try storage().credentials() }

    func store(_ credentials: DeviceCredentials) throws(AppServerError) { try storage().store(credentials) }

    func remove() throws(AppServerError) { try storage().remove() }
}

extension CatalogManager {
    /// Returns what the store has signed about the customer of this device. The app transaction is missing if the store
    /// has none, or cannot be queried now. If the app keeps App Store accounts apart, it is also missing if it does not
    /// belong to the account of a storage directory, because the server would merge both customers.
    nonisolated func storeEvidence(in place: Home) async -> StoreEvidence {
        var evidence = StoreEvidence(deviceVerificationID: store.deviceVerificationID)
        // A device without an app transaction enrolls too. Transactions that it reports can prove its store account.
        guard let signed = (try? await store.appTransaction()) ?? nil else { return evidence }
        let account = separateLedger?.account
        if account == nil || AppStoreAccount.identifier(in: signed) == account && accountPlace == place {
            evidence.appTransaction = signed
        }
        return evidence
    }
}
