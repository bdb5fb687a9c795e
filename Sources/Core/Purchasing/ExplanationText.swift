internal import Foundation
package import VitrineCatalog
package import VitrineEntitlements
internal import VitrineSupport

/// Text of the explanation of a product's ownership.
package struct ExplanationText {
    private let identifier: String
    private let explanation: OwnershipExplanation
    private let catalog: Catalog?
    private let originalPurchase: OriginalPurchase?
    private let pending: [PendingTransaction]
    private let otherAccounts: [String]
    private let deviceText: (String?) -> String

    /// Creates the text.
    ///
    /// - Parameters:
    ///   - identifier: Identifier of the product.
    ///   - pending: Transactions that could not be delivered.
    ///   - otherAccounts: App Store accounts other than the present one for which the product is owned.
    ///   - deviceText: Function that returns the name of the device that has recorded a fact, as the rest of a
    ///     sentence; empty for this device.
    package init(
        identifier: String, explanation: OwnershipExplanation, catalog: Catalog?, originalPurchase: OriginalPurchase?,
        pending: [PendingTransaction], otherAccounts: [String] = [],
        deviceText: @escaping (String?) -> String = { _ in "" }
    ) {
        self.identifier = identifier
        self.explanation = explanation
        self.catalog = catalog
        self.originalPurchase = originalPurchase
        self.pending = pending
        self.otherAccounts = otherAccounts
        self.deviceText = deviceText
    }

    package var lines: [String] { ownershipLines + otherAccountLines }

    private var otherAccountLines: [String] {
        let isOwned = explanation.chain.first?.ownership.isOwned ?? false
        return otherAccounts.map {
            "  \(isOwned ? "bought" : "owned") by the App Store account \($0), which is not the present one"
        }
    }

    private var ownershipLines: [String] {
        switch explanation.chain.first?.ownership {
        case .owned:
            var explained: Set<String> = []
            return [heading(of: identifier, "\(identifier) is owned") + ":"]
                + reasons(for: identifier, indentation: "  ", &explained) + subscriptions + revocations + waiting
        case .unknown(let reason):
            return [
                "The ownership of \(identifier) is unknown: \(reason.description).",
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
                    indentation + reason.description + deviceText(reason.device)
                        + (reason.ending.map { "; \($0)" } ?? ""))
                continue
            }
            guard !explained.contains(bundle) else {
                lines.append("\(indentation)included in \(bundle), as explained above")
                continue
            }
            lines.append(heading(of: bundle, "\(indentation)included in \(bundle), which is owned") + ":")
            lines += reasons(for: bundle, indentation: indentation + "  ", &explained)
        }
        return lines
    }

    /// Returns a heading, with the end of the time that several purchases add up to.
    private func heading(of product: String, _ text: String) -> String {
        let ownership = explanation.chain.first { $0.product == product }?.ownership
        return text + (ownership?.sumOfPasses.map { " \($0)" } ?? "")
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

    private var subscriptions: [String] { explanation.subscriptions.map { "  subscription \($0.description)" } }

    /// Lines about entitlement sources that are no longer valid.
    private var ended: [String] {
        revocations
            + lastEnded.map { product, reason, _ in
                "  no longer valid: \(product == identifier ? "" : "\(product), ")\(reason.description), which has ended"
            }
            + explanation.locks.map { lock, date in
                "  no longer valid: the grant"
                    + (lock.productIdentifier == identifier ? "" : " of \(lock.productIdentifier)")
                    + ", locked on \(date.day)" + (lock.author.isEmpty ? "" : " by \(lock.author)") + ": \(lock.reason)"
            }
    }

    /// Ended entitlement sources. Of each subscription, only the latest period is included.
    private var lastEnded: [(product: String, reason: Ownership.Reason, end: Date)] {
        var subscriptions: Set<[String]> = []
        return explanation.ended.filter { product, reason, _ in
            guard case .transaction(let transaction) = reason, transaction.expirationDate != nil else { return true }
            return subscriptions.insert([product, transaction.originalPurchaseDate.second]).inserted
        }
    }

    private var revocations: [String] {
        explanation.revocations.map { "  no longer valid: \($0.description(for: identifier))" }
    }

    private var waiting: [String] {
        pending.filter { $0.productIdentifier.map(explanation.related.contains) ?? false }.map { transaction in
            "  transaction \(transaction.id) of \(transaction.productIdentifier ?? "an unknown product") waits: "
                + transaction.state.description
        }
    }

    private var rules: [String] {
        let purchase = originalPurchase.map { "app first installed \($0.description)" }
        return explanation.grandfathered.map { product in
            let rules = product.grandfathered.map(\.conditions).joined(separator: "; or for ")
            return "  \(purchase ?? "the first installation of the app is unknown"), and the rule "
                + (product.identifier == identifier ? "" : "of \(product.identifier) ") + "requires \(rules)"
        }
    }
}

extension Fact.Revocation {
    fileprivate func description(for identifier: String) -> String {
        "transaction \(origin.transactionID)" + (productIdentifier == identifier ? "" : " of \(productIdentifier)")
            + ", \(part < 100_000 ? "\(Double(part) / 1_000) % of its price refunded and " : "")"
            + "revoked on \(revocationDate.day)"
    }
}

extension Ownership {
    fileprivate var reasons: [Reason] {
        if case .owned(let reasons) = self { reasons } else { [] }
    }
}
