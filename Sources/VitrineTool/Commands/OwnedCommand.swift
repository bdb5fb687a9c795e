import ArgumentParser
import Entitlements
import Foundation
import ProductCatalog
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

/// JSON document of a product's ownership.
struct OwnedDocument: Encodable {
    struct Reason: Encodable {
        /// `transaction`, `grant`, `bundle` or `formerBundle`.
        let kind: String
        var transaction: String?
        var bundle: String?
        var reason: String?
        var author: String?
        var date: Date?
        var until: Date?
        var gracePeriod: Bool?
        var familyShared: Bool?
    }

    let product: String
    /// `yes`, `no` or `unknown`.
    let owned: String
    let because: [Reason]
    let unknownBecause: String?

    init(_ identifier: String, _ ownership: Ownership) {
        product = identifier
        owned = ownership.word
        unknownBecause =
            if case .unknown(let reason) = ownership { reason.words } else { nil }
        because = ownership.reasons.map { reason in
            switch reason {
            case .transaction(let transaction):
                Reason(
                    kind: "transaction", transaction: transaction.id, date: transaction.purchaseDate,
                    until: transaction.expirationDate, gracePeriod: transaction.isInGracePeriod ? true : nil,
                    familyShared: transaction.isFamilyShared ? true : nil)
            case .grant(let reason, let author, let date, let until):
                Reason(
                    kind: "grant", reason: reason, author: author.isEmpty ? nil : author, date: date, until: until)
            case .bundle(let identifier): Reason(kind: "bundle", bundle: identifier)
            case .formerBundle(let identifier, let transaction, let date):
                Reason(kind: "formerBundle", transaction: transaction, bundle: identifier, date: date)
            }
        }
    }
}

extension Ownership {
    var word: String {
        switch self {
        case .owned: "yes"
        case .notOwned: "no"
        case .unknown: "unknown"
        }
    }

    var exitStatus: ExitStatus {
        switch self {
        case .owned: .yes
        case .notOwned: .no
        case .unknown: .unknown
        }
    }

    var reasons: [Reason] {
        if case .owned(let reasons) = self { reasons } else { [] }
    }

    /// Returns a short description of the ownership of a product.
    func words(_ identifier: String, in catalog: Catalog?) -> String {
        switch self {
        case .owned(let reasons): reasons.map(\.words).joined(separator: "; ")
        case .notOwned: catalog?[identifier] == nil ? "not in the catalog, and not owned" : "not owned"
        case .unknown(let reason): "unknown: \(reason.words)"
        }
    }
}
