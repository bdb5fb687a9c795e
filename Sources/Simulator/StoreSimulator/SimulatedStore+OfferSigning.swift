internal import Foundation
internal import VitrineCatalog
public import VitrinePurchasing
internal import VitrineReceipts

extension SimulatedStore {
    /// Signs a promotional offer as the app's server would, with the `subscriptionOffersKeyPair` of the `.storekit`
    /// file.
    ///
    /// - Parameters:
    ///   - offer: Identifier of the offer in the `.storekit` file.
    ///   - product: Subscription with the offer.
    /// - Throws: ``StoreError`` `invalidOffer` if the file has no readable key pair.
    public func signOffer(_ offer: String, of product: String) throws(StoreError) -> PromotionalOffer {
        guard let pair = core.configuration.offersKeyPair else {
            throw StoreError(
                code: .invalidOffer,
                reason: "the offer cannot be signed: the .storekit file has no subscriptionOffersKeyPair")
        }
        let date: Date
        do {
            date = try core.now()
        } catch {
            throw StoreError(error)
        }
        let request = OfferRequest(
            purpose: .promotionalOffer(product: product, offer: offer, transaction: nil),
            bundleIdentifier: bundleIdentifier, issuer: "vitrine", nonce: UUID(), date: date)
        do {
            let token = try OfferKey(pem: pair.pem, identifier: pair.id).sign(request)
            return PromotionalOffer(offerID: offer, compactJWS: token)
        } catch {
            throw StoreError(code: .invalidOffer, reason: "the offer cannot be signed: \(error.reason)")
        }
    }
}
