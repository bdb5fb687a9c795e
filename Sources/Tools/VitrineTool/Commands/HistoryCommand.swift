import ArgumentParser
import Foundation
import Vitrine
import VitrineCommandSupport
import VitrineEntitlements
import VitrineSupport

struct HistoryCommand: HomeCommand {
    static let configuration = CommandConfiguration(
        commandName: "history",
        abstract: "List all entries of the ledger, in order.",
        discussion: """
            Entries that another device of the customer has recorded name the device.

            EXAMPLE:
              vitrine history
            """
    )

    @OptionGroup var session: SessionOptions

    func report(_ manager: CatalogManager) async throws -> Report {
        let entries = try await manager.ledger.history()
        let names = try await DeviceNames(manager)
        var table = Table(headings: ["NO", "RECORDED", "ENTRY"])
        table.rows = entries.map {
            [String($0.sequence), $0.recordedAt.second, $0.fact.description + names.suffix($0.device)]
        }
        return Report(
            lines: entries.isEmpty ? ["the ledger is empty"] : table.lines, json: ["entries": entries.map(\.document)])
    }
}

extension Fact {
    fileprivate var product: String? {
        switch self {
        case .grant(let grant): grant.productIdentifier
        case .lock(let lock): lock.productIdentifier
        case .credit(let credit): credit.productIdentifier
        case .content(let content): content.productIdentifier
        default: origin?.productIdentifier
        }
    }
}

extension LedgerEntry {
    /// JSON object of the entry. The amount is the number of units, negative if they were removed from the wallet.
    fileprivate var document: JSONObject {
        [
            "number": sequence, "recorded": recordedAt, "kind": fact.kind.rawValue, "product": fact.product,
            "transaction": fact.origin?.transactionID, "wallet": fact.wallet,
            "amount": fact.walletChange?.amount, "what": fact.description, "device": device,
        ]
    }
}
