internal import Foundation
internal import OpenStoreKitShim
internal import VitrinePurchasing
internal import VitrineSupport

extension StoreError {
    /// Creates the error for a failed request to StoreKit. StoreKit's own message is omitted, because it may contain
    /// the name of the customer's account.
    init(_ error: any Error) {
        let (code, reason): (StoreErrorCode, String) =
            switch error {
            case StoreKitError.networkError(let error):
                (.network, "the App Store cannot be reached (\(Self.number(of: error)))")
            case StoreKitError.systemError(let error):
                (.unavailable, "StoreKit failed in the system (\(Self.number(of: error)))")
            case StoreKitError.unknown: (.unavailable, "StoreKit failed without giving a reason")
            case StoreKitError.userCancelled: (.unavailable, "the customer cancelled the request")
            case StoreKitError.notAvailableInStorefront:
                (.productNotAvailable, "the App Store does not sell the product in this storefront")
            case StoreKitError.notEntitled:
                (.unavailable, "the app lacks the entitlement for In-App Purchase, or was not signed with it")
            default: (.unavailable, "StoreKit failed with an error that is not known (\(Self.number(of: error)))")
            }
        self.init(code: code, reason: reason)
    }

    /// Creates the error for a failed purchase. `isOutcomeKnown` is `true` for errors that mean that nothing was
    /// bought.
    init(purchase error: any Error, of product: String) {
        let refusal: (StoreErrorCode, String)? =
            switch error {
            case Product.PurchaseError.invalidQuantity:
                (.invalidQuantity, "the App Store does not sell \(product) in this quantity")
            case Product.PurchaseError.productUnavailable:
                (.productNotAvailable, "the App Store does not sell \(product)")
            case Product.PurchaseError.purchaseNotAllowed:
                (.notAllowed, "the customer is not allowed to buy on this device")
            case Product.PurchaseError.ineligibleForOffer:
                (.invalidOffer, "the customer is not eligible for the offer")
            case Product.PurchaseError.invalidOfferIdentifier:
                (.invalidOffer, "\(product) has no offer with this identifier")
            case Product.PurchaseError.invalidOfferPrice: (.invalidOffer, "the price of the offer is not valid")
            case Product.PurchaseError.invalidOfferSignature:
                (.invalidOffer, "the signature of the offer is not valid")
            case Product.PurchaseError.missingOfferParameters:
                (.invalidOffer, "a parameter of the offer is missing")
            case is MissingWindow:
                (
                    .notSubmitted,
                    "the app has no scene in the foreground in which the customer can confirm the purchase; pass one "
                        + "to purchase(_:options:in:), or buy while the app is active"
                )
            default: nil
            }
        if let refusal {
            self.init(code: refusal.0, reason: refusal.1)
        } else {
            self.init(error)
        }
    }

    private static func number(of error: any Error) -> String {
        let error = error as NSError
        return "\(error.domain) \(error.code)"
    }
}

/// Error of a purchase that the customer cannot confirm, because the app has no window in the foreground.
struct MissingWindow: Error {}
