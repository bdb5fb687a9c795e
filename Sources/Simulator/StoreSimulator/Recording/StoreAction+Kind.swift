extension StoreAction {
    /// Name of an action in a recording.
    enum CodingKeys: String, CodingKey, CaseIterable {
        case time, virtualClock, machineClock
        case addDevice, originalPurchase, joinFamily, leaveFamily
        case purchase, purchaseElsewhere, purchaseOutsideApp, redeem, share, approve, decline, resolve, finish
        case finishEverywhere, delete, deleteAll
        case requestRefund, declineRefund, refund, reverseRefund, revokeFamily
        case setRenewal, expire, renew, failBilling, recoverBilling, requestConsent, consent
        case price, withdraw
        case asksToBuy, offline, paymentRestriction, storefront, billingFailing, gracePeriod, timeRate
        case interruptsPurchases, consumablesToAllDevices, environment, notifications, resetSettings
        case setAccountToken, extend, extendAll, reportConsumption, testNotification
    }

    /// Name of the action in a recording. The exhaustive switch ensures that each action has one.
    var kind: CodingKeys {
        switch self {
        case .time: .time
        case .virtualClock: .virtualClock
        case .machineClock: .machineClock
        case .addDevice: .addDevice
        case .originalPurchase: .originalPurchase
        case .joinFamily: .joinFamily
        case .leaveFamily: .leaveFamily
        case .purchase: .purchase
        case .purchaseElsewhere: .purchaseElsewhere
        case .purchaseOutsideApp: .purchaseOutsideApp
        case .redeem: .redeem
        case .share: .share
        case .approve: .approve
        case .decline: .decline
        case .resolve: .resolve
        case .finish: .finish
        case .finishEverywhere: .finishEverywhere
        case .delete: .delete
        case .deleteAll: .deleteAll
        case .requestRefund: .requestRefund
        case .declineRefund: .declineRefund
        case .refund: .refund
        case .reverseRefund: .reverseRefund
        case .revokeFamily: .revokeFamily
        case .setRenewal: .setRenewal
        case .expire: .expire
        case .renew: .renew
        case .failBilling: .failBilling
        case .recoverBilling: .recoverBilling
        case .requestConsent: .requestConsent
        case .consent: .consent
        case .price: .price
        case .withdraw: .withdraw
        case .asksToBuy: .asksToBuy
        case .offline: .offline
        case .paymentRestriction: .paymentRestriction
        case .storefront: .storefront
        case .billingFailing: .billingFailing
        case .gracePeriod: .gracePeriod
        case .timeRate: .timeRate
        case .interruptsPurchases: .interruptsPurchases
        case .consumablesToAllDevices: .consumablesToAllDevices
        case .environment: .environment
        case .notifications: .notifications
        case .resetSettings: .resetSettings
        case .setAccountToken: .setAccountToken
        case .extend: .extend
        case .extendAll: .extendAll
        case .reportConsumption: .reportConsumption
        case .testNotification: .testNotification
        }
    }
}
