import Foundation
import Vitrine

/// One plan on a screen, as texts.
struct PlanRow: Identifiable {
    let id: String
    let title: String
    /// Price: "€4.99 a month", or the offer that the customer gets: "1 week free, then €4.99 a month".
    let price: String
    /// Price of a month of a longer plan: "€2.50 a month".
    let priceOfAMonth: String?
    /// State of the customer's subscription to this plan; `nil` without one.
    let state: String?
    let canBeBought: Bool
}

extension CatalogManager {
    /// Plans of the catalog, the best one first.
    nonisolated var planRows: [PlanRow] {
        let mine = subscriptions.last(where: \.isActive) ?? subscriptions.last
        return listing.filter { $0.kind == .autoRenewableSubscription }
            .sorted { ($0.subscription?.level ?? .max) < ($1.subscription?.level ?? .max) }
            .map { product in
                let plan = product.subscription
                return PlanRow(
                    id: product.id, title: product.title,
                    price: plan?.introductoryOffer?.text ?? plan?.displayPricePerPeriod ?? "",
                    priceOfAMonth: plan?.displayPricePerMonth,
                    state: mine?.productIdentifier == product.id ? mine?.description : nil,
                    canBeBought: product.isOffered)
            }
    }
}

extension CustomerSubscription {
    /// Description of the customer's subscription, in one sentence.
    fileprivate var description: String {
        let day = { (date: Date?) in date?.formatted(date: .abbreviated, time: .omitted) ?? "" }
        switch state {
        case .subscribed where isRenewing == false: return "Ends on \(day(endDate))."
        case .subscribed:
            let next = nextProduct.flatMap { $0 == productIdentifier ? nil : ", as another plan" } ?? ""
            let price = priceIncrease == .pending ? " The price rises: confirm it in the App Store." : ""
            return "Renews on \(day(renewalDate))\(next).\(price)"
        case .inGracePeriod: return "Your payment failed. Update it by \(day(endDate)) to keep access."
        case .inBillingRetry: return "Your payment failed. Update it to get access again."
        case .unconfirmed: return "Your renewal is being confirmed."
        case .unknown: return "Connect to the internet to confirm your subscription."
        case .expired: return endReason == .billingError ? "Ended, because your payment failed." : "Ended."
        case .revoked: return isFamilyShared ? "No longer shared with you." : "Refunded."
        }
    }
}

#if canImport(SwiftUI)
    import SwiftUI

    /// The plans, the state of the customer's subscription, and a button for each plan that can be bought.
    @available(iOS 17.0, tvOS 17.0, *)
    struct PlanScreen: View {
        let model: CatalogModel
        let terms: URL
        let privacyPolicy: URL
        @State private var message: String?

        var body: some View {
            // Reading the model redraws the screen with each change.
            let (_, _) = (model.listing, model.subscriptions)
            VStack {
                List(model.manager.planRows) { plan in
                    VStack(alignment: .leading) {
                        Text(plan.title).font(.headline)
                        Text(plan.price)
                        if let month = plan.priceOfAMonth { Text(month).font(.caption) }
                        if let state = plan.state { Text(state) }
                        if plan.canBeBought { Button("Subscribe") { buy(plan.id) } }
                    }
                }
                if let message { Text(message) }
                // App Review expects a button to restore and both links where a subscription is sold.
                Button("Restore Purchases") { Task { await restore() } }
                HStack {
                    Link("Terms of Use", destination: terms)
                    Link("Privacy Policy", destination: privacyPolicy)
                }
            }
        }

        private func restore() async {
            do {
                _ = try await model.manager.restore()
                message = nil
            } catch {
                message = error.localizedDescription
            }
        }

        private func buy(_ plan: String) {
            Task {
                switch await model.manager.purchase(plan) {
                case .pending(.planChange(let date)): message = "Your plan changes on \(date.formatted())."
                case .pending: message = "Your purchase is pending."
                case .failed(let failure): message = failure.localizedDescription
                case .success, .cancelled: message = nil
                }
            }
        }
    }
#endif
