import Foundation
import VitrinePurchasing
import VitrineReceipts
import VitrineTestSupport

/// Signer of transactions that no store has sold, with a verifier that trusts it.
struct Signer {
    private let identity: SigningIdentity
    let verifier: SignedDataVerifier

    init(around date: Date) throws {
        identity = try SigningIdentity(commonName: "Test Store", around: date)
        verifier = SignedDataVerifier(
            roots: try TrustedRoots(pem: identity.rootPEM), bundleIdentifier: VoyagerStore.bundleIdentifier,
            environment: .sandbox)
    }

    /// - Parameters:
    ///   - original: Identifier of the first transaction of the series; `nil` for the transaction itself.
    ///   - boughtDate: Purchase date; `nil` for the signature date.
    ///   - renewal: Product to which the subscription renews; `nil` without renewal information.
    func transaction(
        _ id: String, of product: String, _ type: SignedProductKind = .nonConsumable, original: String? = nil,
        bought boughtDate: Date? = nil, signed: Date, revoked: Date? = nil, until: Date? = nil,
        isUpgraded: Bool? = nil, reason: TransactionReason? = nil, renewal: String? = nil
    ) throws -> StoreTransaction {
        var payload = TransactionPayload(
            transactionID: id, originalTransactionID: original ?? id,
            bundleIdentifier: VoyagerStore.bundleIdentifier, productIdentifier: product,
            purchaseDate: boughtDate ?? signed, originalPurchaseDate: boughtDate ?? signed, quantity: 1, type: type,
            environment: .sandbox, signedDate: signed, storefront: nil, price: nil, currency: nil,
            revocationDate: revoked, expiresDate: until, isUpgraded: isUpgraded)
        payload.reason = reason
        return StoreTransaction(id: id, signedData: try identity.sign(payload), signedRenewal: renewal)
    }

    func renewal(of original: String, _ product: String, grace: Date?, signed: Date) throws -> String {
        try identity.sign(
            RenewalPayload(
                originalTransactionID: original, productIdentifier: product, gracePeriodExpiresDate: grace,
                environment: .sandbox, signedDate: signed))
    }
}
