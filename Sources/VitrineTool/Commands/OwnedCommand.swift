import ArgumentParser
import Entitlements
import Vitrine

struct OwnedCommand: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "owned",
        abstract: "List the owned products, or show whether one product is owned.",
        discussion: """
            For one product, the exit status is 0 if it is owned, 1 if it is not, 2 if that is unknown.

            EXAMPLE:
              vitrine owned com.example.voyager.lisbon
            """
    )

    @Argument(help: ArgumentHelp("The product's identifier.", valueName: "id"))
    var identifier: String?

    @OptionGroup var home: HomeOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var verbose: VerboseOptions

    func report() async throws -> Report {
        try await OpenHome.open(home, verbose: verbose).use { manager, _ in
            if let identifier { return one(identifier, manager) }
            return all(manager)
        }
    }

    private func one(_ identifier: String, _ manager: CatalogManager) -> Report {
        let ownership = manager.ownership(of: identifier)
        return Report(
            lines: ["\(identifier): \(ownership.words(identifier, in: manager.catalog.current))"],
            json: OwnedDocument(identifier, ownership),
            status: ownership.exitStatus
        )
    }

    private func all(_ manager: CatalogManager) -> Report {
        let owned = manager.ownedProducts
        var table = Table(headings: ["OWNED", "REASON"])
        table.rows = owned.map { identifier in
            [identifier, manager.ownership(of: identifier).words(identifier, in: manager.catalog.current)]
        }
        let unknownReason = manager.ledger.ownershipUnknownReason
        return Report(
            lines: (owned.isEmpty ? ["no owned products"] : table.lines)
                + (unknownReason.map { ["more products may be owned: \($0.words)"] } ?? []),
            json: Document(
                owned: owned.map { OwnedDocument($0, manager.ownership(of: $0)) },
                isComplete: unknownReason == nil),
            status: .yes
        )
    }

    private struct Document: Encodable {
        let owned: [OwnedDocument]
        let isComplete: Bool
    }
}
