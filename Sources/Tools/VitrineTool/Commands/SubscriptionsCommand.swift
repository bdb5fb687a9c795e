import ArgumentParser
import Vitrine
import VitrineCommandSupport
import VitrineEntitlements
import VitrinePurchasing

struct SubscriptionsCommand: HomeCommand {
    static let configuration = CommandConfiguration(
        commandName: "subscriptions",
        abstract: "Print the customer's subscriptions and their renewal.",
        discussion: """
            Asks the store first, and prints for each subscription its state, until when it lasts or when it renews and \
            as which product, why it has ended, and the offer in force. Without an answer of the store, what was last \
            known is printed. A non-renewing subscription is printed while it lasts, with the purchases that add up. The \
            exit status is 0 if the customer has access by at least one subscription, 1 if by none, 2 if that is unknown.

            EXAMPLE:
              vitrine subscriptions
            """
    )

    @OptionGroup var session: SessionOptions

    var awaitsContent: Bool { false }

    func report(_ manager: CatalogManager) async throws -> Report {
        let subscriptions = manager.subscriptions
        let passes = manager.ownedProducts.map { ($0, manager.ownership(of: $0)) }.filter { $1.isExtendable }
        let lines =
            subscriptions.map(\.description)
            + passes.map { "\($0): non-renewing, \($1.description(of: $0, in: manager.catalog.current))" }
        return Report(
            lines: lines.isEmpty ? ["no subscriptions"] : lines,
            json: [
                "subscriptions": subscriptions.map(\.document), "nonRenewing": passes.map { $1.document(of: $0) },
            ],
            status: !passes.isEmpty || subscriptions.contains(where: \.isActive)
                ? .yes : subscriptions.contains { $0.state == .unknown } ? .unknown : .no)
    }
}
