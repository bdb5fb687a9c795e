import Foundation
import VitrineReceipts

/// Reads what the store has recorded about a customer since the last call, and returns the position for the next call.
func catchUp(
    with customer: String, after revision: String?, client: AppStoreServerClient, verifier: SignedDataVerifier
) async throws -> String? {
    var revision = revision
    for try await page in client.transactionHistory(of: customer, after: revision) {
        for signedData in page.signedTransactions {
            switch await verifier.verify(transaction: signedData) {
            case .verified(let transaction): print(transaction.payload.productIdentifier)
            case .rejected(let reasons): print(reasons.map(\.reason))
            case .undetermined: return revision
            }
        }
        revision = page.revision
    }
    return revision
}

func makeClient(privateKey: String) throws -> AppStoreServerClient {
    let key = try AppStoreServerKey(
        pem: privateKey, identifier: "ABC123DEFG", issuer: "57246542-96fe-1a63-e053-0824d011072a")
    return AppStoreServerClient(server: .production, key: key, bundleIdentifier: "com.example.voyager")
}
