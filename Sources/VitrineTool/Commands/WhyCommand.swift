import ArgumentParser
import Entitlements
import Foundation
import ProductCatalog
import Purchasing
import Vitrine

struct WhyCommand: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "why",
        abstract: "Explain why a product is owned, or why not.",
        discussion: """
            The exit status is 0 if it is owned, 1 if not, 2 if that cannot be told.

            EXAMPLE:
              vitrine why com.example.voyager.madrid
            """
    )

    @Argument(help: ArgumentHelp("The product's identifier.", valueName: "id"))
    var identifier: String

    @OptionGroup var home: HomeOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var verbose: VerboseOptions

    func report() async throws -> Report {
        try await OpenHome.open(home, verbose: verbose).use { manager, _ in
            var explanation = Explanation(manager: manager, pending: await manager.pendingTransactions())
            explanation.explain(identifier)
            return Report(
                lines: explanation.lines,
                json: Document(
                    chain: explanation.chain,
                    takenBack: manager.takenBack(for: identifier).map(Document.TakenBack.init),
                    rules: manager.grandfathered(around: identifier).flatMap(\.grandfathered).map(\.conditions),
                    originalPurchase: manager.originalPurchase.map(Document.Original.init)),
                status: manager.ownership(of: identifier).exitStatus
            )
        }
    }

    private struct Document: Encodable {
        struct TakenBack: Encodable {
            let product: String
            let transaction: String
            let date: Date

            init(_ revocation: Fact.Revocation) {
                product = revocation.productIdentifier
                transaction = revocation.origin.transactionID
                date = revocation.revocationDate
            }
        }

        struct Original: Encodable {
            let version: String
            let date: Date
            let platform: String?

            init(_ purchase: OriginalPurchase) {
                version = purchase.version
                date = purchase.date
                platform = purchase.platform?.rawValue
            }
        }

        /// The product, then each bundle that it is owned because of.
        let chain: [OwnedDocument]
        /// The purchases of it and of bundles with it that do not count any more.
        let takenBack: [TakenBack]
        /// The conditions under which those who got the app early own it.
        let rules: [String]
        let originalPurchase: Original?
    }
}

/// Follows reasons through bundles, each bundle once.
private struct Explanation {
    let manager: CatalogManager
    private(set) var lines: [String] = []
    private(set) var chain: [OwnedDocument] = []
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
                manager.takenBack(for: identifier).map { revocation in
                    "  no longer because of \(revocation.words(for: identifier))"
                } + looksAtWaiting(of: identifier)
        case .notOwned:
            chain = [OwnedDocument(identifier, ownership)]
            lines = reasonsForNo(identifier)
        case .unknown(let reason):
            chain = [OwnedDocument(identifier, ownership)]
            lines = [
                "Whether \(identifier) is owned cannot be told: \(reason.words).",
                "  no transaction or grant of its own counts",
            ]
            lines += looksBack(at: identifier) + looksAtRules(of: identifier) + looksAtWaiting(of: identifier)
        }
    }

    private mutating func tell(_ identifier: String, _ ownership: Ownership, indentation: String) {
        told.insert(identifier)
        chain.append(OwnedDocument(identifier, ownership))
        for reason in ownership.reasons {
            guard case .bundle(let bundle) = reason else {
                lines.append(indentation + reason.words + (reason.ending.map { "; \($0)" } ?? ""))
                continue
            }
            guard !told.contains(bundle) else {
                lines.append("\(indentation)because of \(bundle), as told above")
                continue
            }
            lines.append("\(indentation)because of \(bundle), which contains it and is owned:")
            tell(bundle, manager.ownership(of: bundle), indentation: indentation + "  ")
        }
    }

    private func reasonsForNo(_ identifier: String) -> [String] {
        guard let catalog = manager.catalog, let index = catalog.index(of: identifier) else {
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
            "  no transaction or grant of its own counts",
            bundles.isEmpty
                ? "  no bundle contains it"
                : "  none of the bundles with it is owned: \(bundles.joined(separator: ", "))",
        ] + looksBack(at: identifier) + looksAtRules(of: identifier) + looksAtWaiting(of: identifier)
    }

    /// What once made it owned, and does not any more.
    private func looksBack(at identifier: String) -> [String] {
        let bundles = manager.bundles(with: identifier)
        return looksAtRevocations(of: identifier)
            + bundles.flatMap { bundle in
                manager.ended(of: bundle).map { ended in
                    "  not any more: " + (bundle == identifier ? "" : "\(bundle) was ") + ended.reason.words
                        + ", which has ended"
                }
            }
            + bundles.flatMap { bundle in
                manager.locks(of: bundle).map { lock, date in
                    "  not any more what was given" + (bundle == identifier ? "" : " of \(bundle)")
                        + ": locked on \(date.day)" + (lock.author.isEmpty ? "" : " by \(lock.author)")
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
        manager.takenBack(for: identifier).map { "  not because of \($0.words(for: identifier))" }
    }

    private func looksAtRules(of identifier: String) -> [String] {
        let purchase = manager.originalPurchase.map { "the app was first got \($0.words)" }
        return manager.grandfathered(around: identifier).map { product in
            let rules = product.grandfathered.map(\.conditions).joined(separator: "; or for ")
            return "  \(purchase ?? "how the app was first got is not known"), and the rule "
                + (product.identifier == identifier ? "" : "of \(product.identifier) ") + "asks for \(rules)"
        }
    }
}

extension CatalogManager {
    /// Of a product and every bundle with it, those that some customers own because of when they got the app.
    fileprivate nonisolated func grandfathered(around identifier: String) -> [CatalogProduct] {
        guard let catalog, let index = catalog.index(of: identifier) else { return [] }
        return catalog.bundles.ancestors(of: index).map { catalog.products[$0] }.filter(\.isGrandfathered)
    }

    /// The purchases of a product, and of every bundle with it, that the store has taken back.
    fileprivate nonisolated func takenBack(for identifier: String) -> [Fact.Revocation] {
        bundles(with: identifier).flatMap(revocations)
    }

    /// A product and every bundle with it.
    fileprivate nonisolated func bundles(with identifier: String) -> [String] {
        guard let catalog, let index = catalog.index(of: identifier) else { return [identifier] }
        return catalog.bundles.ancestors(of: index).map { catalog.products[$0].identifier }
    }
}

extension Fact.Revocation {
    fileprivate func words(for identifier: String) -> String {
        "transaction \(origin.transactionID)" + (productIdentifier == identifier ? "" : " of \(productIdentifier)")
            + ", which was taken back on \(revocationDate.day)"
    }
}
