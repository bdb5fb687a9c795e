internal import Foundation
internal import Vitrine
internal import VitrineStoreSimulator

/// Switches of a preview: network, Ask to Buy, interrupted purchases, and whether renewals can be charged.
struct PreviewSwitches: Sendable, Hashable {
    var hasNetwork = true
    var asksToBuy = false
    var interruptsPurchases = false
    var isBillingWorking = true
}

/// Actions of the store and the clock.
extension PreviewSession {
    func changeStore(
        _ action: PreviewAction, _ switches: inout PreviewSwitches
    ) async throws(SimulatedStoreError) -> ActionResult {
        switch action {
        case .refund(let id):
            let transaction = try await store.refund(id)
            return .done("refunded \(transaction.productIdentifier) (transaction \(id))")
        case .approve(let id):
            let transaction = try await store.approve(id)
            return .done("approved: \(transaction.productIdentifier) (transaction \(transaction.id))")
        case .decline(let id):
            let transaction = try await store.decline(id)
            return .done("declined: \(transaction.productIdentifier); the app is not told")
        case .askToBuy(let isOn):
            try await store.setAsksToBuy(isOn)
            switches.asksToBuy = isOn
            return .done(isOn ? "purchases need approval" : "purchases need no approval")
        case .interruptions(let isOn):
            try await store.setInterruptsPurchases(isOn)
            switches.interruptsPurchases = isOn
            return .done(isOn ? "purchases wait until the customer has resolved an issue" : "purchases go through")
        case .resolve(let id):
            let transaction = try await store.resolve(id)
            return .done("resolved: \(transaction.productIdentifier) (transaction \(transaction.id))")
        case .price(let product, let amount, let needsConsent):
            try await store.setPrice(amount, of: product, consentRequired: needsConsent)
            await manager.loadProducts()
            await manager.enterForeground()
            return .done("\(product) costs \(amount)\(needsConsent ? ", to which subscribers have to consent" : "")")
        case .consent(let product, let isOn):
            try await store.consentToPriceIncrease(isOn, of: product)
            await manager.enterForeground()
            return .done(isOn ? "the customer has consented" : "the customer has declined; \(product) does not renew")
        case .billing(let isOn):
            try await store.setBillingFailing(!isOn)
            switches.isBillingWorking = isOn
            return .done("the store \(isOn ? "can" : "cannot") charge the customer for renewals")
        case .renewal(let product, let isOn):
            try await store.setRenewal(isOn, of: product)
            await manager.enterForeground()
            return .done("\(product) \(isOn ? "renews" : "does not renew")")
        case .network(let isOn): return try await setNetwork(isOn, &switches)
        case .advance(let seconds): return try await moved(store.advance(by: TimeInterval(seconds)), switches)
        case .advanceTo(let date): return try await moved(store.advance(to: date), switches)
        default: return .refused("not an action of the store")
        }
    }

    private func setNetwork(
        _ isOn: Bool, _ switches: inout PreviewSwitches
    ) async throws(SimulatedStoreError) -> ActionResult {
        try await store.setOffline(!isOn)
        switches.hasNetwork = isOn
        guard isOn else { return .done("the device has no network") }
        await manager.enterForeground()
        return .done("the device has a network")
    }

    /// Simulates that the customer opens the app again after the clock was advanced. Returns a result that lists the
    /// given store events.
    private func moved(_ events: [StoreEvent], _ switches: PreviewSwitches) async -> ActionResult {
        // The offers for which a customer is eligible change with time.
        if switches.hasNetwork, !setup.store.configuration.subscriptions.isEmpty { await manager.loadProducts() }
        await manager.enterForeground()
        let happened = events.prefix(Self.mostStoreEvents).map { event in
            [event.kind.rawValue, event.productIdentifier, event.detail].compactMap(\.self).joined(separator: " ")
        }
        let rest = events.count - happened.count
        return .done(
            (["the clock shows \(store.clock.now.second)"] + happened + (rest > 0 ? ["and \(rest) more"] : []))
                .joined(separator: "; "))
    }

    /// Maximum number of store events in the result of an action.
    private static let mostStoreEvents = 12
}
