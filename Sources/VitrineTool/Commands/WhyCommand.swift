import ArgumentParser
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
            The exit status is 0 if it is owned, 1 if it is not, 2 if that is unknown.

            EXAMPLE:
              vitrine why com.example.voyager.madrid
            """
    )

    @Argument(help: ArgumentHelp("The product's identifier.", valueName: "id"))
    var identifier: String

    @OptionGroup var session: SessionOptions

    func report(_ manager: CatalogManager) async throws -> Report {
        var explanation = Explanation(manager: manager, pending: await manager.purchases.pending())
        explanation.explain(identifier)
        return Report(
            lines: explanation.lines,
            json: [
                // The product, then each bundle that makes it owned.
                "chain": explanation.chain,
                "takenBack": manager.revokedPurchases(for: identifier).map(\.document),
                "rules": manager.grandfathered(around: identifier).flatMap(\.grandfathered).map(\.conditions),
                "originalPurchase": manager.purchases.originalPurchase?.document,
            ],
            status: manager.ownership(of: identifier).exitStatus
        )
    }
}

/// Explanation of a product's ownership, which follows reasons through bundles, each bundle once.
private struct Explanation {
    let manager: CatalogManager
    private(set) var lines: [String] = []
    private(set) var chain: [JSONObject] = []
    private var told: Set<String> = []

    private let pending: [PendingTransaction]

    init(manager: CatalogManager, pending: [PendingTransaction]) {
        self.manager = manager
        self.pending = pending
    }

    mutating func explain(_ identifier: String) {
        let ownership = manager.ownership(of: identifier)
        switch ownership {
        case .owned:
            lines = ["\(identifier) is owned:"]
            tell(identifier, ownership, indentation: "  ")
            lines +=
                manager.revokedPurchases(for: identifier).map { revocation in
                    "  no longer valid: \(revocation.words(for: identifier))"
                } + looksAtWaiting(of: identifier)
        case .notOwned:
            chain = [ownership.document(of: identifier)]
            lines = reasonsForNo(identifier)
        case .unknown(let reason):
            chain = [ownership.document(of: identifier)]
            lines = [
                "The ownership of \(identifier) is unknown: \(reason.words).",
                "  no valid transaction or grant of the product itself",
            ]
            lines += looksBack(at: identifier) + looksAtRules(of: identifier) + looksAtWaiting(of: identifier)
        }
    }

    private mutating func tell(_ identifier: String, _ ownership: Ownership, indentation: String) {
        told.insert(identifier)
        chain.append(ownership.document(of: identifier))
        for reason in ownership.reasons {
            guard case .bundle(let bundle) = reason else {
                lines.append(indentation + reason.words + (reason.ending.map { "; \($0)" } ?? ""))
                continue
            }
            guard !told.contains(bundle) else {
                lines.append("\(indentation)included in \(bundle), as explained above")
                continue
            }
            lines.append("\(indentation)included in \(bundle), which is owned:")
            tell(bundle, manager.ownership(of: bundle), indentation: indentation + "  ")
        }
    }

    private func reasonsForNo(_ identifier: String) -> [String] {
        guard let catalog = manager.catalog.current, let index = catalog.index(of: identifier) else {
            return ["\(identifier) is not owned, and not in the catalog."] + looksBack(at: identifier)
                + looksAtWaiting(of: identifier)
        }
        let product = catalog.products[index]
        if product.kind == .consumable {
            return [
                "\(identifier) is a consumable: it is credited to \(product.storageKey ?? "a wallet"), never owned."
            ]
        }
        let bundles = catalog.bundles.parents(of: index).map { catalog.products[$0].identifier }
        return [
            "\(identifier) is not owned:",
            "  no valid transaction or grant of the product itself",
            bundles.isEmpty
                ? "  no bundle contains it"
                : "  none of its bundles is owned: \(bundles.joined(separator: ", "))",
        ] + looksBack(at: identifier) + looksAtRules(of: identifier) + looksAtWaiting(of: identifier)
    }

    /// Returns lines about entitlement sources that are no longer valid.
    private func looksBack(at identifier: String) -> [String] {
        let bundles = manager.bundles(with: identifier)
        return looksAtRevocations(of: identifier)
            + bundles.flatMap { bundle in
                manager.ledger.ended(of: bundle).map { ended in
                    "  no longer valid: " + (bundle == identifier ? "" : "\(bundle), ") + ended.reason.words
                        + ", which has ended"
                }
            }
            + bundles.flatMap { bundle in
                manager.ledger.locks(of: bundle).map { lock, date in
                    "  no longer valid: the grant" + (bundle == identifier ? "" : " of \(bundle)")
                        + ", locked on \(date.day)" + (lock.author.isEmpty ? "" : " by \(lock.author)")
                        + ": \(lock.reason)"
                }
            }
    }

    private func looksAtWaiting(of identifier: String) -> [String] {
        let bundles = Set(manager.bundles(with: identifier))
        return pending.filter { $0.productIdentifier.map(bundles.contains) ?? false }.map { transaction in
            "  transaction \(transaction.id) of \(transaction.productIdentifier ?? "something") waits: "
                + transaction.state.description
        }
    }

    private func looksAtRevocations(of identifier: String) -> [String] {
        manager.revokedPurchases(for: identifier).map { "  no longer valid: \($0.words(for: identifier))" }
    }

    private func looksAtRules(of identifier: String) -> [String] {
        let purchase = manager.purchases.originalPurchase.map { "app first installed \($0.words)" }
        return manager.grandfathered(around: identifier).map { product in
            let rules = product.grandfathered.map(\.conditions).joined(separator: "; or for ")
            return "  \(purchase ?? "the first installation of the app is unknown"), and the rule "
                + (product.identifier == identifier ? "" : "of \(product.identifier) ") + "requires \(rules)"
        }
    }
}

extension CatalogManager {
    /// Returns the product and its bundles that have a grandfathering rule.
    fileprivate nonisolated func grandfathered(around identifier: String) -> [CatalogProduct] {
        guard let catalog = catalog.current, let index = catalog.index(of: identifier) else { return [] }
        return catalog.bundles.ancestors(of: index).map { catalog.products[$0] }.filter(\.isGrandfathered)
    }

    /// Returns the revoked purchases of a product and of every bundle that contains it.
    fileprivate nonisolated func revokedPurchases(for identifier: String) -> [Fact.Revocation] {
        bundles(with: identifier).flatMap { purchases.revocations(of: $0) }
    }

    /// Returns the identifiers of a product and of every bundle that contains it.
    fileprivate nonisolated func bundles(with identifier: String) -> [String] {
        guard let catalog = catalog.current, let index = catalog.index(of: identifier) else { return [identifier] }
        return catalog.bundles.ancestors(of: index).map { catalog.products[$0].identifier }
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
