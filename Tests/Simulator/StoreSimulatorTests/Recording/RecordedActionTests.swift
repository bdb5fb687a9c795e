import Foundation
import Testing
import VitrineCatalog
import VitrinePurchasing
import VitrineReceipts
import VitrineTestSupport

@testable import VitrineStoreSimulator

/// Each kind of action, recorded and replayed once.
@Suite(.hangLimit) struct RecordedActionTests {
    typealias Kind = StoreAction.CodingKeys
    typealias Act = @Sendable (SimulatedStore) async throws -> Void

    @Test(arguments: Kind.allCases)
    func `each kind of store action is recorded and replayed with the same result`(kind: Kind) async throws {
        let act = try #require(Self.actions[kind], "the table has no row for the action \(kind.rawValue)")
        let store = try RecordedStore.club()
        try await store.useVirtualClock()
        try await store.setNotificationURL(URL(string: "https://example.com/hook"))
        let recorded = try await RecordedStore(store)
        try await act(store)
        let kinds = Set(try await recorded.recording().actions.map(\.action.action.kind))

        #expect(kinds.contains(kind), "recorded was \(kinds.map(\.rawValue))")
        try await recorded.expectSameReplay()
    }

    private static let actions = time.merging(purchases) { $1 }.merging(refunds) { $1 }.merging(subscriptions) { $1 }
        .merging(settings) { $1 }.merging(servers) { $1 }

    private static let time: [Kind: Act] = [
        .time: { store in
            try await store.useMachineClock()
            _ = try await store.purchase("news", quantity: 1)
        },
        .virtualClock: { store in
            _ = try await store.purchase("news", quantity: 1)
            try await store.advance(by: 40 * .day)
        },
        .machineClock: { try await $0.useMachineClock() },
        .addDevice: { store in
            _ = try await store.purchase("map", quantity: 1)
            _ = try store.device("Ada's tablet")
            _ = try store.device("default", of: "Ada")
        },
        .originalPurchase: { store in
            try await store.setOriginalPurchase(
                OriginalPurchase(version: "1.2", date: ClubStore.start - 100 * .day, platform: .iOS))
        },
        .joinFamily: { store in
            let ada = try store.device("default", of: "Ada")
            _ = try await ada.purchase("map", quantity: 1)
            try await ada.joinFamily("The Lovelaces")
            try await store.joinFamily("The Lovelaces")
        },
        .leaveFamily: { store in
            let ada = try store.device("default", of: "Ada")
            for member in [ada, store] { try await member.joinFamily("The Lovelaces") }
            _ = try await ada.purchase("club.gold", quantity: 1)
            try await ada.leaveFamily()
        },
    ]

    private static let purchases: [Kind: Act] = [
        .purchase: { store in
            let token = UUID(uuidString: "11111111-2222-3333-4444-555555555555")
            _ = try await store.purchase("coins", options: PurchaseOptions(quantity: 3, accountToken: token))
            _ = try await store.purchase("club.gold", options: PurchaseOptions(accountToken: token))
            try await store.fail(.lostAnswer, times: 1)
            await #expect(throws: StoreError.self) { try await store.purchase("map", quantity: 1) }
            try await store.fail(.network, times: 1)
            await #expect(throws: StoreError.self) { try await store.purchase("news", quantity: 1) }
        },
        .purchaseElsewhere: { try await $0.purchaseElsewhere("coins", quantity: 2) },
        .purchaseOutsideApp: { store in
            _ = try await store.purchaseElsewhere(
                "news", options: PurchaseOptions(), requesting: nil, at: ClubStore.start - 70 * .day, isRenewing: true)
            _ = try await store.purchaseElsewhere(
                "club.gold", options: PurchaseOptions(), requesting: nil, at: nil, isRenewing: false)
        },
        .redeem: { try await $0.redeem("summer", of: "club.silver") },
        .share: { try await $0.share("map") },
        .approve: { store in
            try await store.setAsksToBuy(true)
            _ = try await store.purchase("club.gold", quantity: 1)
            try await store.advance(by: 60)
            try await store.approve(store.pendingPurchases()[0].id)
        },
        .decline: { store in
            _ = try await store.purchase("map", options: PurchaseOptions(), asksToBuy: true)
            try await store.decline(store.pendingPurchases()[0].id)
            _ = try await store.purchase("coins", quantity: 1)
        },
        .resolve: { store in
            try await store.setInterruptsPurchases(true)
            _ = try await store.purchase("map", quantity: 1)
            try await store.resolve(store.pendingPurchases()[0].id)
        },
        .finish: { store in
            let tablet = try store.device("tablet")
            _ = try await store.purchase("map", quantity: 1)
            for transaction in try await tablet.unfinishedTransactions() { try await tablet.finish(transaction) }
        },
        .finishEverywhere: { store in
            let bought = try await store.purchase("coins", quantity: 1)
            try await store.serverAPI.finish(bought.transaction?.id ?? "")
        },
        .delete: { store in
            _ = try await store.purchase("map", quantity: 1)
            try await store.delete(store.transactions()[0].id)
            _ = try await store.purchase("map", quantity: 1)
        },
        .deleteAll: { store in
            _ = try await store.purchase("map", quantity: 1)
            try await store.deleteAll()
            try await store.useMachineClock()
            _ = try await store.purchase("coins", quantity: 1)
        },
    ]

    private static let refunds: [Kind: Act] = [
        .requestRefund: { store in
            _ = try await store.purchase("news", quantity: 1)
            try await store.requestRefund(store.transactions()[0].id, because: .unintendedPurchase)
        },
        .declineRefund: { store in
            _ = try await store.purchase("map", quantity: 1)
            try await store.requestRefund(store.transactions()[0].id)
            try await store.declineRefund(store.transactions()[0].id)
        },
        .refund: { store in
            for product in ["map", "coins", "news"] { _ = try await store.purchase(product, quantity: 1) }
            try await store.advance(by: 3 * .day)
            let extents: [SimulatedStore.RefundExtent] = [.full, .percent(33), .prorated]
            for (transaction, extent) in zip(try await store.transactions(), extents) {
                try await store.refund(transaction.id, extent)
            }
        },
        .reverseRefund: { store in
            _ = try await store.purchase("news", quantity: 1)
            try await store.refund(store.transactions()[0].id)
            try await store.reverseRefund(store.transactions()[0].id)
        },
        .revokeFamily: { store in
            try await store.share("map")
            try await store.revokeFamily(store.transactions()[0].id)
        },
    ]

    private static let subscriptions: [Kind: Act] = [
        .setRenewal: { store in
            _ = try await store.purchase("club.silver", quantity: 1)
            try await store.setRenewal(false, of: "club.silver")
            try await store.advance(by: 40 * .day)
        },
        .expire: { store in
            _ = try await store.purchase("club.silver", quantity: 1)
            try await store.expire("club.silver")
        },
        .renew: { store in
            _ = try await store.purchase("club.silver", quantity: 1)
            _ = try await store.renew("club.silver")
        },
        .failBilling: { store in
            _ = try await store.purchase("news", quantity: 1)
            try await store.setGracePeriod(true)
            try await store.failBilling("news")
            try await store.advance(by: 35 * .day)
        },
        .recoverBilling: { store in
            _ = try await store.purchase("news", quantity: 1)
            try await store.failBilling("news")
            try await store.advance(by: 40 * .day)
            try await store.recoverBilling("news")
        },
        .requestConsent: { store in
            _ = try await store.purchase("news", quantity: 1)
            try await store.requestConsentToPriceIncrease(of: "news")
        },
        .consent: { store in
            _ = try await store.purchase("news", quantity: 1)
            try await store.setPrice(5, of: "news", consentRequired: true)
            try await store.consentToPriceIncrease(true, of: "news")
            try await store.advance(by: 40 * .day)
        },
        .price: { store in
            try await store.setPrice(Decimal(string: "12.34") ?? 1, of: "map")
            _ = try await store.purchase("map", quantity: 1)
        },
        .withdraw: { store in
            _ = try await store.purchase("news", quantity: 1)
            try await store.withdraw("news")
            try await store.advance(by: 40 * .day)
        },
    ]

    private static let settings: [Kind: Act] = [
        .asksToBuy: { try await $0.setAsksToBuy(true) },
        .offline: { try await $0.setOffline(true) },
        .paymentRestriction: { try await $0.setPaymentRestriction("Ada's mother has forbidden it") },
        .storefront: { store in
            try await store.setStorefront("DEU")
            _ = try await store.purchase("map", quantity: 1)
        },
        .billingFailing: { store in
            _ = try await store.purchase("news", quantity: 1)
            try await store.setBillingFailing(true)
            try await store.advance(by: 40 * .day)
        },
        .gracePeriod: { try await $0.setGracePeriod(true) },
        .timeRate: { store in
            try await store.setTimeRate(.monthlyRenewalEveryFiveMinutes)
            _ = try await store.purchase("news", quantity: 1)
            try await store.advance(by: 1_000)
        },
        .interruptsPurchases: { try await $0.setInterruptsPurchases(true) },
        .consumablesToAllDevices: { store in
            _ = try store.device("tablet")
            try await store.setSendsConsumablesToAllDevices(true)
            _ = try await store.purchase("coins", quantity: 1)
        },
        .environment: { try await $0.setEnvironment(.production, appIdentifier: 1_234) },
        .notifications: { store in
            try await store.setNotificationURL(nil)
            _ = try await store.purchase("coins", quantity: 1)
        },
        .resetSettings: { store in
            try await store.setAsksToBuy(true)
            try await store.resetSettings()
        },
    ]

    private static let servers: [Kind: Act] = [
        .setAccountToken: { store in
            _ = try await store.purchase("news", quantity: 1)
            try await store.serverAPI.setAccountToken(
                store.transactions()[0].id,
                ServerBody(object: ["appAccountToken": .string("11111111-2222-3333-4444-555555555555")]))
            try await store.advance(by: 40 * .day)
        },
        .extend: { store in
            _ = try await store.purchase("news", quantity: 1)
            for _ in 0..<2 {
                _ = try await store.serverAPI.extend(store.transactions()[0].id, .extending(by: 10, "for Ada"))
            }
        },
        .extendAll: { store in
            _ = try await store.purchase("news", quantity: 1)
            _ = try await store.serverAPI.extendAll(
                .extending(by: 10, "11111111-2222-3333-4444-555555555555", of: "news"))
            try await store.advance(by: 100)
        },
        .reportConsumption: { store in
            _ = try await store.purchase("coins", quantity: 1)
            let report: [String: JSONValue] = [
                "customerConsented": .bool(true), "sampleContentProvided": .bool(false),
                "deliveryStatus": .string("DELIVERED"), "consumptionPercentage": .integer(50_000),
            ]
            try await store.serverAPI.reportConsumption(
                store.transactions()[0].id, ServerBody(object: report), version: .v2)
        },
        .testNotification: { _ = try await $0.sendTestNotification() },
    ]
}
