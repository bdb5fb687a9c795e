import ArgumentParser
import Entitlements
import Foundation
import Vitrine

struct HistoryCommand: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "history",
        abstract: "List all entries of the ledger, in order.",
        discussion: """
            EXAMPLE:
              vitrine history
            """
    )

    @OptionGroup var home: HomeOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var verbose: VerboseOptions

    func report() async throws -> Report {
        try await OpenHome.open(home, verbose: verbose).use { manager, _ in
            let entries = try await manager.ledger.history()
            var table = Table(headings: ["NO", "RECORDED", "ENTRY"])
            table.rows = entries.map {
                [String($0.sequence), $0.recordedAt.formatted(.iso8601), $0.fact.words]
            }
            return Report(
                lines: entries.isEmpty ? ["the ledger is empty"] : table.lines,
                json: Document(entries: entries.map(Document.Entry.init)), status: .yes)
        }
    }

    private struct Document: Encodable {
        struct Entry: Encodable {
            let number: Int64
            let recorded: Date
            let kind: String
            let product: String?
            let transaction: String?
            let wallet: String?
            /// Number of units; negative if they were taken out.
            let amount: Int?
            let what: String

            init(_ entry: LedgerEntry) {
                number = entry.sequence
                recorded = entry.recordedAt
                kind = entry.fact.kind.rawValue
                product = entry.fact.product
                transaction = entry.fact.origin?.transactionID
                wallet = entry.fact.walletChange?.wallet
                amount = entry.fact.walletChange?.amount
                what = entry.fact.words
            }
        }

        let entries: [Entry]
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
