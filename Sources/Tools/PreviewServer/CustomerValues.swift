internal import Foundation
internal import VitrineShopContent
internal import VitrineShopPreview

extension ShopValues {
    /// Template values of the controls with which the user changes the simulated customer and store.
    var customer: PageValues {
        [
            "switches": [
                Self.toggle("network", "Network", isOn: page.hasNetwork, .network(isOn: !page.hasNetwork)),
                Self.toggle("ask-to-buy", "Ask to Buy", isOn: page.asksToBuy, .askToBuy(isOn: !page.asksToBuy)),
                Self.toggle(
                    "interruptions", "Interrupted purchases", isOn: page.interruptsPurchases,
                    .interruptions(isOn: !page.interruptsPurchases)),
                Self.toggle(
                    "billing", "Payment works", isOn: page.isBillingWorking, .billing(isOn: !page.isBillingWorking)),
            ],
            "restore": Self.fields(.restore), "originalBuild": originalBuild, "clock": page.clockText, "jumps": jumps,
            "hasPending": !page.pending.isEmpty,
            "pending": page.pending.map { transaction -> PageValues in
                let id = transaction.identifier
                return [
                    "id": id, "title": transaction.title.shortened(to: 100), "state": transaction.state ?? "",
                    "approve": transaction.isInterrupted ? false : Self.fields(.approve(transaction: id)) as Any,
                    "decline": transaction.isInterrupted ? false : Self.fields(.decline(transaction: id)) as Any,
                    "resolve": transaction.isInterrupted ? Self.fields(.resolve(transaction: id)) : false as Any,
                ]
            },
            "hasWallets": !page.wallets.isEmpty, "wallets": wallets,
            "hasSubscriptions": !page.subscriptions.isEmpty, "subscriptions": subscriptions,
            "hasTransactions": !page.transactions.isEmpty, "transactions": transactions,
        ]
    }

    private static func toggle(_ id: String, _ name: String, isOn: Bool, _ action: PreviewAction) -> PageValues {
        fields(action).merging(["id": id, "name": name, "isOn": isOn]) { $1 }
    }

    private var originalBuild: PageValues {
        let fields = PreviewAction.originalBuild("1").fields
        return [
            "action": fields["action"] ?? "", "field": fields.keys.first { $0 != "action" } ?? "",
            "value": page.originalBuild ?? "",
        ]
    }

    private var jumps: [PageValues] {
        let day = 86_400
        return [("day", "+1 day", day), ("week", "+1 week", 7 * day), ("month", "+30 days", 30 * day)].map {
            Self.fields(.advance(seconds: $2)).merging(["id": "advance-\($0)", "name": $1]) { $1 }
        }
    }

    private var wallets: [PageValues] {
        page.wallets.enumerated().map { index, wallet in
            [
                "id": "wallet-\(index)", "name": wallet.name.shortened(to: 100),
                "balance": wallet.balance.map(String.init) ?? "unknown",
                "shownBalance": wallet.balance.map(page.phrases.number) ?? "–",
                "spend": Self.fields(.spend(wallet: wallet.name, units: 1), without: ["units"]),
            ]
        }
    }

    private var subscriptions: [PageValues] {
        page.subscriptions.enumerated().map { index, subscription in
            let isRenewing = subscription.isRenewing
            let renewal: Any =
                isRenewing.map {
                    Self.toggle(
                        "renewal-\(index)", "", isOn: $0, .renewal(product: subscription.product, isOn: !$0)) as Any
                } ?? false
            return [
                "title": subscription.title.shortened(to: 100), "text": subscription.text.shortened(to: 500),
                "renewal": renewal, "index": index,
                "agree": consent(subscription, isOn: true), "refuse": consent(subscription, isOn: false),
                "price": subscription.isActive
                    ? Self.fields(
                        .price(product: subscription.product, amount: 1, needsConsent: true),
                        without: ["price", "consent"]) : false as Any,
            ]
        }
    }

    private func consent(_ subscription: ShopSubscription, isOn: Bool) -> Any {
        subscription.needsConsent ? Self.fields(.consent(product: subscription.product, isOn: isOn)) : false as Any
    }

    private var transactions: [PageValues] {
        page.transactions.map { transaction in
            [
                "id": transaction.identifier, "title": transaction.title.shortened(to: 100),
                "date": transaction.dateText, "order": transaction.order ?? false, "state": transaction.state ?? false,
                "quantity": transaction.quantity > 1 ? transaction.quantity as Any : false,
                "refund": transaction.canBeRefunded
                    ? Self.fields(.refund(transaction: transaction.identifier)) : false as Any,
            ]
        }
    }
}
