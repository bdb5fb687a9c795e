import ArgumentParser
import Foundation
import Vitrine
import VitrineCatalog
import VitrineCommandSupport
import VitrineEntitlements
import VitrinePurchasing

struct WhyCommand: HomeCommand {
    static let configuration = CommandConfiguration(
        commandName: "why",
        abstract: "Explain why a product is owned, or why not.",
        discussion: """
            The exit status is 0 if the product is owned, 1 if it is not, 2 if that is unknown.

            EXAMPLE:
              vitrine why com.example.voyager.madrid
            """
    )

    @Argument(help: .product, completion: .product) var identifier: String

    @OptionGroup var session: SessionOptions

    func report(_ manager: CatalogManager) async throws -> Report {
        let explanation = manager.ledger.explanation(of: identifier)
        let otherAccounts = try await manager.ledger.otherAccounts(owning: identifier)
        let text = ExplanationText(
            identifier: identifier, explanation: explanation, catalog: manager.catalog.current,
            originalPurchase: manager.purchases.originalPurchase, pending: await manager.purchases.pending(),
            otherAccounts: otherAccounts, deviceText: try await DeviceNames(manager).suffix)
        return Report(
            lines: text.lines + suggestion(manager.catalog.current),
            json: [
                // The chain starts with the product, followed by each bundle that makes it owned.
                "chain": explanation.chain.map { $0.ownership.document(of: $0.product) },
                "takenBack": explanation.revocations.map(\.document),
                "subscriptions": explanation.subscriptions.map(\.document),
                "rules": explanation.grandfathered.flatMap(\.grandfathered).map(\.conditions),
                "originalPurchase": manager.purchases.originalPurchase?.document,
                "otherAccounts": otherAccounts,
            ],
            status: manager.ownership(of: identifier).exitStatus
        )
    }

    private func suggestion(_ catalog: Catalog?) -> [String] {
        catalog?.nearestProduct(to: identifier).map { ["Did you mean \"\($0)\"?"] } ?? []
    }
}

extension OriginalPurchase {
    fileprivate var document: JSONObject { ["version": version, "date": date, "platform": platform?.rawValue] }
}

extension Fact.Revocation {
    fileprivate var document: JSONObject {
        [
            "product": productIdentifier, "transaction": origin.transactionID, "date": revocationDate,
            "percent": percentage.map { Double($0) / 1_000 },
        ]
    }
}
