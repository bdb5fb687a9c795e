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
    /// Returns the store's signed app transaction; `nil` if the store has none, or cannot be queried now. If the app keeps
    /// App Store accounts apart, the result is also `nil` for an app transaction that does not belong to the account of a
    /// storage directory, because the server would merge both customers.
    nonisolated func signedAppTransaction(in place: Home) async -> String? {
        let signed: String?
        do {
            signed = try await store.appTransaction()
        } catch {
            // A device without an app transaction enrolls too, and can send it later.
            return nil
        }
        guard let signed, let account = separateLedger?.account else { return signed }
        return AppStoreAccount.identifier(in: signed) == account && accountPlace == place ? signed : nil
    }
}
