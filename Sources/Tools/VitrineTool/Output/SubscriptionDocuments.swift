import Foundation
import VitrineCatalog
import VitrineCommandSupport
import VitrineEntitlements

extension CustomerSubscription {
    /// JSON object of the subscription.
    var document: JSONObject {
        [
            "id": id, "product": productIdentifier, "state": state.rawValue, "transaction": transactionID,
            "firstSubscribed": originalPurchaseDate, "periodStart": purchaseDate, "periodEnd": expirationDate,
            "renews": isRenewing, "renewsOn": renewalDate, "endsOn": endDate, "nextProduct": nextProduct,
            "nextPrice": nextPrice?.description, "nextCurrency": nextCurrency, "endReason": endReason?.rawValue,
            "graceUntil": gracePeriodExpirationDate, "unconfirmedUntil": unconfirmedUntil,
            "priceIncrease": priceIncrease?.rawValue, "offer": offer?.document, "nextOffer": nextOffer?.document,
            "familyShared": isFamilyShared ? true : nil, "statementDate": statementDate,
        ]
    }
}

extension AppliedOffer {
    fileprivate var document: JSONObject {
        ["kind": kind.rawValue, "identifier": identifier, "paymentMode": paymentMode?.rawValue]
    }
}
