import ArgumentParser
import CatalogCommands
import Entitlements
import Foundation
import ProductCatalog
import Purchasing
import Vitrine

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

    @Argument(help: ArgumentHelp("The product's identifier.", valueName: "id"))
    var identifier: String

    @OptionGroup var session: SessionOptions

    func report(_ manager: CatalogManager) async throws -> Report {
        let explanation = manager.ledger.explanation(of: identifier)
        let text = ExplanationText(
            identifier: identifier, explanation: explanation, catalog: manager.catalog.current,
            originalPurchase: manager.purchases.originalPurchase, pending: await manager.purchases.pending(),
            devices: try await DeviceNames(manager))
        return Report(
            lines: text.lines,
            json: [
                // The product, then each bundle that makes it owned.
                "chain": explanation.chain.map { $0.ownership.document(of: $0.product) },
                "takenBack": explanation.revocations.map(\.document),
                "subscriptions": explanation.subscriptions.map(\.document),
                "rules": explanation.grandfathered.flatMap(\.grandfathered).map(\.conditions),
                "originalPurchase": manager.purchases.originalPurchase?.document,
            ],
            status: manager.ownership(of: identifier).exitStatus
        )
    }
}

/// Text of the explanation of a product's ownership.
private struct ExplanationText {
    let identifier: String
    let explanation: OwnershipExplanation
    let catalog: Catalog?
    let originalPurchase: OriginalPurchase?
    let pending: [PendingTransaction]
    let devices: DeviceNames

    var lines: [String] {
        switch explanation.chain.first?.ownership {
        case .owned:
            var explained: Set<String> = []
            return ["\(identifier) is owned:"] + reasons(for: identifier, indentation: "  ", &explained)
                + subscriptions + revocations + waiting
        case .unknown(let reason):
            return [
                "The ownership of \(identifier) is unknown: \(reason.words).",
                "  no valid transaction or grant of the product itself",
            ] + subscriptions + ended + rules + waiting
        case .notOwned, nil: return notOwned
        }
    }

    private func reasons(for identifier: String, indentation: String, _ explained: inout Set<String>) -> [String] {
        explained.insert(identifier)
        var lines: [String] = []
        for reason in explanation.chain.first(where: { $0.product == identifier })?.ownership.reasons ?? [] {
            guard case .bundle(let bundle) = reason else {
                lines.append(
                    indentation + reason.words + devices.words(reason.device)
                        + (reason.ending.map { "; \($0)" } ?? ""))
                continue
            }
            guard !explained.contains(bundle) else {
                lines.append("\(indentation)included in \(bundle), as explained above")
                continue
            }
            lines.append("\(indentation)included in \(bundle), which is owned:")
            lines += reasons(for: bundle, indentation: indentation + "  ", &explained)
        }
        return lines
    }

    private var notOwned: [String] {
        guard let product = catalog?[identifier] else {
            return ["\(identifier) is not owned, and not in the catalog."] + ended + waiting
        }
        guard product.kind != .consumable else {
            return [
                "\(identifier) is a consumable: it is credited to \(product.storageKey ?? "a wallet"), never owned."
            ]
        }
        return [
            "\(identifier) is not owned:",
            "  no valid transaction or grant of the product itself",
            explanation.bundles.isEmpty
                ? "  no bundle contains it"
                : "  none of its bundles is owned: \(explanation.bundles.joined(separator: ", "))",
        ] + subscriptions + ended + rules + waiting
    }

    private var subscriptions: [String] { explanation.subscriptions.map { "  subscription \($0.words)" } }

    /// Lines about entitlement sources that are no longer valid.
    private var ended: [String] {
        revocations
            + lastEnded.map { product, reason, _ in
                "  no longer valid: \(product == identifier ? "" : "\(product), ")\(reason.words), which has ended"
            }
            + explanation.locks.map { lock, date in
                "  no longer valid: the grant"
                    + (lock.productIdentifier == identifier ? "" : " of \(lock.productIdentifier)")
                    + ", locked on \(date.day)" + (lock.author.isEmpty ? "" : " by \(lock.author)") + ": \(lock.reason)"
            }
    }

    /// Ended entitlement sources; of the periods of a subscription only the latest.
    private var lastEnded: [(product: String, reason: Ownership.Reason, end: Date)] {
        var subscriptions: Set<[String]> = []
        return explanation.ended.filter { product, reason, _ in
            guard case .transaction(let transaction) = reason, transaction.expirationDate != nil else { return true }
            return subscriptions.insert([product, transaction.originalPurchaseDate.second]).inserted
        }
    }

    private var revocations: [String] {
        explanation.revocations.map { "  no longer valid: \($0.words(for: identifier))" }
    }

    private var waiting: [String] {
        pending.filter { $0.productIdentifier.map(explanation.related.contains) ?? false }.map { transaction in
            "  transaction \(transaction.id) of \(transaction.productIdentifier ?? "an unknown product") waits: "
                + transaction.state.description
        }
    }

    private var rules: [String] {
        let purchase = originalPurchase.map { "app first installed \($0.words)" }
        return explanation.grandfathered.map { product in
            let rules = product.grandfathered.map(\.conditions).joined(separator: "; or for ")
            return "  \(purchase ?? "the first installation of the app is unknown"), and the rule "
                + (product.identifier == identifier ? "" : "of \(product.identifier) ") + "requires \(rules)"
        }
    }
}

extension OriginalPurchase {
    fileprivate var document: JSONObject { ["version": version, "date": date, "platform": platform?.rawValue] }
}

extension Fact.Revocation {
    fileprivate var document: JSONObject {
        ["product": productIdentifier, "transaction": origin.transactionID, "date": revocationDate]
    }

    fileprivate func words(for identifier: String) -> String {
        "transaction \(origin.transactionID)" + (productIdentifier == identifier ? "" : " of \(productIdentifier)")
            + ", revoked on \(revocationDate.day)"
    }
}
