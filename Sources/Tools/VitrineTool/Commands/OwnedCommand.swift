import ArgumentParser
import Foundation
import Vitrine
import VitrineCatalog
import VitrineCommandSupport
import VitrineEntitlements
import VitrinePurchasing

struct OwnedCommand: HomeCommand {
    static let configuration = CommandConfiguration(
        commandName: "owned",
        abstract: "List the owned products, or show whether one product is owned.",
        discussion: """
            For one product, the exit status is 0 if it is owned, 1 if it is not, 2 if that is unknown.

            EXAMPLE:
              vitrine owned com.example.voyager.lisbon
            """
    )

    @Argument(help: .product, completion: .product) var identifier: String?

    @OptionGroup var session: SessionOptions

    func report(_ manager: CatalogManager) async throws -> Report {
        if let identifier { return one(identifier, manager) }
        return all(manager)
    }

    private func one(_ identifier: String, _ manager: CatalogManager) -> Report {
        let ownership = manager.ownership(of: identifier)
        return Report(
            lines: ["\(identifier): \(ownership.description(of: identifier, in: manager.catalog.current))"],
            json: ownership.document(of: identifier), status: ownership.exitStatus)
    }

    private func all(_ manager: CatalogManager) -> Report {
        let owned = manager.ownedProducts
        var table = Table(headings: ["OWNED", "REASON"])
        table.rows = owned.map { identifier in
            [identifier, manager.ownership(of: identifier).description(of: identifier, in: manager.catalog.current)]
        }
        let unknownReason = manager.ledger.ownershipUnknownReason
        return Report(
            lines: (owned.isEmpty ? ["no owned products"] : table.lines)
                + (unknownReason.map { ["more products may be owned: \($0.description)"] } ?? []),
            json: [
                "owned": owned.map { manager.ownership(of: $0).document(of: $0) }, "isComplete": unknownReason == nil,
            ])
    }
}

extension Ownership {
    /// Returns the JSON object of a product's ownership.
    func document(of identifier: String) -> JSONObject {
        let unknownReason: String? = if case .unknown(let reason) = self { reason.description } else { nil }
        return [
            "product": identifier, "owned": word, "until": endOfPasses, "because": reasons.map(\.document),
            "unknownBecause": unknownReason,
        ]
    }

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

    /// Returns a short description of a product's ownership.
    func description(of identifier: String, in catalog: Catalog?) -> String {
        switch self {
        case .owned(let reasons):
            (sumOfPasses.map { "\($0): " } ?? "") + reasons.map(\.description).joined(separator: "; ")
        case .notOwned:
            catalog?[identifier] == nil
                ? "not in the catalog, and not owned" + (catalog?.question(for: identifier) ?? "") : "not owned"
        case .unknown(let reason): "unknown: \(reason.description)"
        }
    }
}

extension Ownership.Reason {
    /// JSON object of a reason for ownership, whose `kind` is `transaction`, `grant`, `bundle` or `formerBundle`.
    var document: JSONObject {
        switch self {
        case .transaction(let transaction):
            [
                "kind": "transaction", "transaction": transaction.id, "date": transaction.purchaseDate,
                "originalDate": transaction.isRepeated ? transaction.originalPurchaseDate : nil,
                "quantity": transaction.pass?.quantity, "from": transaction.pass?.start,
                "until": transaction.expirationDate, "gracePeriod": transaction.isInGracePeriod ? true : nil,
                "unconfirmedUntil": transaction.unconfirmedUntil,
                "familyShared": transaction.isFamilyShared ? true : nil, "device": transaction.device,
            ]
        case .grant(let reason, let author, let date, let until, let device):
            [
                "kind": "grant", "reason": reason, "author": author.isEmpty ? nil : author, "date": date,
                "until": until, "device": device,
            ]
        case .bundle(let identifier): ["kind": "bundle", "bundle": identifier]
        case .formerBundle(let identifier, let transaction, let date):
            ["kind": "formerBundle", "transaction": transaction, "bundle": identifier, "date": date]
        }
    }
}
