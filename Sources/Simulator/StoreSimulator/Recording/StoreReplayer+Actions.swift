internal import Foundation
internal import GRDB
internal import VitrineCatalog
internal import VitrinePurchasing
internal import VitrineReceipts

extension StoreReplayer {
    /// Repeats an action at the current date of the copy.
    func perform(_ action: StoreAction, in core: StoreCore) async throws {
        let devices = ReplayDevices(core: core)
        let (any, api) = (try await devices.any, SimulatedServerAPI(core: core))
        switch action {
        case .time, .virtualClock, .machineClock: break
        case .addDevice(let device, let customer, let isDefault):
            try await devices.add(device, of: customer, isDefault: isDefault)
        case .originalPurchase(let customer, let app): try await devices.of(customer).setOriginalPurchase(app.purchase)
        case .joinFamily(let customer, let family): try await devices.of(customer).joinFamily(family)
        case .leaveFamily(let customer): try await devices.of(customer).leaveFamily()

        case .purchase(let order, let asksToBuy, let introductoryOffer):
            try await purchase(order, asksToBuy, introductoryOffer, in: core)
        case .purchaseElsewhere(let order):
            let (store, options) = try await devices.of(order)
            try await store.purchaseElsewhere(order.product, options)
        case .purchaseOutsideApp(let order, let date, let isRenewing):
            let (store, options) = try await devices.of(order)
            _ = try await store.purchaseElsewhere(
                order.product, options: options, requesting: order.offer,
                at: date.map(Date.init(milliseconds:)), isRenewing: isRenewing)
        case .redeem(let order): try await devices.of(order).store.redeem(order.offer, of: order.product)
        case .share(let order): _ = try await devices.of(order).store.share(order.product)
        case .approve(let place): _ = try await any.approve(devices.identifier(place))
        case .decline(let place): _ = try await any.decline(devices.identifier(place))
        case .resolve(let place): _ = try await any.resolve(devices.identifier(place))
        case .finish(let place, let device): try await devices.finish(place, on: device)
        case .finishEverywhere(let place): try await api.finish(devices.identifier(place))
        case .delete(let place): try await devices.with(place) { try await $0.delete($1) }
        case .deleteAll: try await any.deleteAll()

        case .requestRefund(let place, let reason):
            try await devices.with(place) { try await $0.requestRefund($1, because: reason) }
        case .declineRefund(let place): try await devices.with(place) { try await $0.declineRefund($1) }
        case .refund(let place, let percent, let isProrated):
            let extent: SimulatedStore.RefundExtent = isProrated ? .prorated : percent.map { .percent($0) } ?? .full
            try await devices.with(place) { try await $0.refund($1, extent) }
        case .reverseRefund(let place): try await devices.with(place) { try await $0.reverseRefund($1) }
        case .revokeFamily(let place): try await devices.with(place) { try await $0.revokeFamily($1) }

        case .setRenewal(let customer, let product, let isRenewing):
            try await devices.of(customer).setRenewal(isRenewing, of: product)
        case .expire(let customer, let product): try await devices.of(customer).expire(product)
        case .renew(let customer, let product): try await devices.of(customer).renew(product)
        case .failBilling(let customer, let product): try await devices.of(customer).failBilling(product)
        case .recoverBilling(let customer, let product): try await devices.of(customer).recoverBilling(product)
        case .requestConsent(let customer, let product):
            try await devices.of(customer).requestConsentToPriceIncrease(of: product)
        case .consent(let customer, let product, let agrees):
            try await devices.of(customer).consentToPriceIncrease(agrees, of: product)

        case .price(let product, let price, let consentRequired):
            try await any.setPrice(Decimal(price) / 1_000, of: product, consentRequired: consentRequired)
        case .withdraw(let product): try await any.withdraw(product)

        case .asksToBuy(let isOn): try await any.setAsksToBuy(isOn)
        case .offline(let isOn): try await any.setOffline(isOn)
        case .paymentRestriction(let isOn):
            try await any.setPaymentRestriction(isOn ? RecordedTable.paymentRestriction : nil)
        case .storefront(let code): try await any.setStorefront(code)
        case .billingFailing(let isOn): try await any.setBillingFailing(isOn)
        case .gracePeriod(let isOn): try await any.setGracePeriod(isOn)
        case .timeRate(let rate): try await any.setTimeRate(rate)
        case .interruptsPurchases(let isOn): try await any.setInterruptsPurchases(isOn)
        case .consumablesToAllDevices(let isOn): try await any.setSendsConsumablesToAllDevices(isOn)
        // The copy has the environment of the process that acts; the store receives the environment at the end.
        case .environment: break
        case .notifications(let isOn):
            try await any.setNotificationURL(isOn ? URL(string: RecordedTable.notificationURL) : nil)
        case .resetSettings: try await any.resetSettings()

        case .setAccountToken(let place, let token):
            try await api.setAccountToken(
                devices.identifier(place), ServerBody(["appAccountToken": .string(token.uuidString)]))
        case .extend(let place, let days, let request):
            _ = try await api.extend(devices.identifier(place), .extending(days, request))
        case .extendAll(let product, let days, let storefronts, let request):
            _ = try await api.extendAll(.extending(days, request, product, storefronts))
        case .reportConsumption(let place, let number, let report):
            guard let version = ConsumptionReportVersion(rawValue: number) else {
                throw StoreRecordingError(.malformed, "there is no version \(number) of reports about consumption")
            }
            try await api.reportConsumption(devices.identifier(place), ServerBody(report), version: version)
        case .testNotification: _ = try await any.sendTestNotification()
        }
    }

    /// Repeats the purchase of an app. Signatures of offers were checked when the purchase was recorded.
    private func purchase(
        _ order: StoreAction.Order, _ asksToBuy: Bool, _ introductoryOffer: Bool?, in core: StoreCore
    ) async throws {
        let (store, options) = try await ReplayDevices(core: core).of(order)
        let request = OrderRequest(
            identifier: order.product, options: options, customer: order.customer, device: order.device,
            storefront: order.storefront, currency: store.texts(in: order.storefront).currency,
            offer: order.offer, asksToBuy: asksToBuy,
            introductoryOffer: introductoryOffer.map {
                IntroductoryOfferDecision(
                    isAllowed: $0, transaction: core.seed.appTransactionID(of: order.customer))
            })
        _ = try await core.perform { try $0.purchase($0.order(request)) }
    }
}

extension SimulatedStore {
    /// Buys a product as the customer would on another device.
    fileprivate func purchaseElsewhere(_ product: String, _ options: PurchaseOptions) async throws {
        let request = try await order(product, options: options, on: nil)
        _ = try await core.perform { try $0.charge($0.order(request)) }
    }

    fileprivate func redeem(_ offer: RequestedOffer?, of product: String) async throws {
        guard case .code(let name) = offer else {
            throw StoreRecordingError(.malformed, "the offer that is redeemed is not an offer code")
        }
        try await redeem(name, of: product)
    }
}

extension ServerBody {
    fileprivate init(_ fields: [String: JSONValue]) throws { try self.init(JSONEncoder.recording.encode(fields)) }

    /// Body of the request to extend renewal dates.
    fileprivate static func extending(
        _ days: Int, _ request: String, _ product: String? = nil, _ storefronts: [String]? = nil
    ) throws -> ServerBody {
        var fields: [String: JSONValue] = [
            "extendByDays": .integer(Int64(days)), "extendReasonCode": .integer(0),
            "requestIdentifier": .string(request),
        ]
        fields["productId"] = product.map(JSONValue.string)
        fields["storefrontCountryCodes"] = storefronts.map { .array($0.map(JSONValue.string)) }
        return try ServerBody(fields)
    }
}
