import ArgumentParser
import Vitrine
import VitrineCommandSupport
import VitrineEntitlements
import VitrinePurchasing

struct SubscriptionsCommand: HomeCommand {
    static let configuration = CommandConfiguration(
        commandName: "subscriptions",
        abstract: "Print the customer's auto-renewable subscriptions and their renewal.",
        discussion: """
            Asks the store first, and prints for each subscription its state, until when it lasts or when it renews and \
            as which product, why it has ended, and the offer in force. Without an answer of the store, what was last \
            known is printed. The exit status is 0 if the customer has access by at least one of them, 1 if by none, 2 if \
            that is unknown.

            EXAMPLE:
              vitrine subscriptions --offline
            """
    )

    @OptionGroup var session: SessionOptions

    var awaitsContent: Bool { false }

    func report(_ manager: CatalogManager) async throws -> Report {
        let subscriptions = manager.subscriptions
        return Report(
            lines: subscriptions.isEmpty ? ["no subscriptions"] : subscriptions.map(\.description),
            json: ["subscriptions": subscriptions.map(\.document)],
            status: subscriptions.contains(where: \.isActive)
                ? .yes : subscriptions.contains { $0.state == .unknown } ? .unknown : .no)
    }
}
