import ArgumentParser
import Entitlements
import ProductCatalog
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
            var explanation = Explanation(manager: manager)
            explanation.explain(identifier)
            return Report(
                lines: explanation.lines,
                json: Document(chain: explanation.chain),
                status: manager.ownership(of: identifier).exitStatus
            )
        }
    }

    private struct Document: Encodable {
        /// The product, then each bundle that it is owned because of.
        let chain: [OwnedDocument]
    }
}

/// Follows reasons through bundles, each bundle once.
private struct Explanation {
    let manager: CatalogManager
    private(set) var lines: [String] = []
    private(set) var chain: [OwnedDocument] = []
    private var told: Set<String> = []

    init(manager: CatalogManager) { self.manager = manager }

    mutating func explain(_ identifier: String) {
        let ownership = manager.ownership(of: identifier)
        switch ownership {
        case .owned:
            lines = ["\(identifier) is owned:"]
            tell(identifier, ownership, indentation: "  ")
        case .notOwned:
            chain = [OwnedDocument(identifier, ownership)]
            lines = reasonsForNo(identifier)
        case .unknown(let reason):
            chain = [OwnedDocument(identifier, ownership)]
            lines = [
                "Whether \(identifier) is owned cannot be told: \(reason.words).",
                "  No transaction or grant of its own is recorded.",
            ]
        }
    }

    private mutating func tell(_ identifier: String, _ ownership: Ownership, indentation: String) {
        told.insert(identifier)
        chain.append(OwnedDocument(identifier, ownership))
        for reason in ownership.reasons {
            guard case .bundle(let bundle) = reason else {
                lines.append(indentation + reason.words)
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
            return ["\(identifier) is not owned, and not in the catalog."]
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
            "  no transaction or grant of its own is recorded",
            bundles.isEmpty
                ? "  no bundle contains it"
                : "  none of the bundles with it is owned: \(bundles.joined(separator: ", "))",
        ]
    }
}
