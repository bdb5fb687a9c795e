import ArgumentParser
import Foundation
import Purchasing
import Vitrine

struct PendingCommand: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "pending",
        abstract: "List the transactions that could not be delivered, and why.",
        discussion: """
            Each command tries again to deliver them; until then they stay unfinished in the store. The exit status is \
            2 if there are any.

            EXAMPLE:
              vitrine pending
            """
    )

    @OptionGroup var home: HomeOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var verbose: VerboseOptions

    func report() async throws -> Report {
        try await OpenHome.open(home, verbose: verbose).use { manager, _ in
            PendingReport.report(await manager.purchases.pending())
        }
    }
}

struct RetryCommand: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry",
        abstract: "Try again to deliver pending transactions, and list those that remain.",
        discussion: """
            The exit status is 2 if transactions remain, or the store cannot be reached.

            EXAMPLE:
              vitrine retry
            """
    )

    @OptionGroup var home: HomeOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var verbose: VerboseOptions

    func report() async throws -> Report {
        try await OpenHome.open(home, verbose: verbose).use { manager, _ in
            do {
                return PendingReport.report(try await manager.purchases.retryPending())
            } catch let error as StoreError {
                throw ToolFailure(status: error.exitStatus, reason: "the store query failed: \(error.reason)")
            }
        }
    }
}

/// Report about pending transactions.
private enum PendingReport {
    static func report(_ transactions: [PendingTransaction]) -> Report {
        var table = Table(headings: ["TRANSACTION", "PRODUCT", "STATE", "REASON"])
        table.rows = transactions.map {
            [$0.id, $0.productIdentifier ?? "-", $0.state.word, $0.state.description]
        }
        return Report(
            lines: transactions.isEmpty ? ["no pending transactions"] : table.lines,
            json: Document(pending: transactions.map(Document.Pending.init)),
            status: transactions.isEmpty ? .yes : .unknown)
    }

    private struct Document: Encodable {
        struct Pending: Encodable {
            let transaction: String
            let product: String?
            let state: String
            let reason: String

            init(_ pending: PendingTransaction) {
                transaction = pending.id
                product = pending.productIdentifier
                state = pending.state.word
                reason = pending.state.description
            }
        }

        let pending: [Pending]
    }
}

extension PendingTransaction.State {
    fileprivate var word: String {
        switch self {
        case .waiting: "waiting"
        case .rejected: "rejected"
        }
    }
}

struct DiscardCommand: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "discard",
        abstract: "Finish a rejected transaction without delivering it.",
        discussion: """
            Only a rejected transaction can be discarded: every other one is paid for. The exit status is 1 if the \
            store has no such transaction, or it was not rejected.

            EXAMPLE:
              vitrine discard 88452000001
            """
    )

    @Argument(help: ArgumentHelp("The transaction's identifier.", valueName: "transaction"))
    var transaction: String

    @OptionGroup var home: HomeOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var verbose: VerboseOptions

    func report() async throws -> Report {
        try await OpenHome.open(home, verbose: verbose).use { manager, _ in
            do {
                try await manager.purchases.discard(transaction)
                return Report(
                    lines: ["discarded transaction \(transaction)"], json: Document(discarded: transaction),
                    status: .yes)
            } catch let error as DiscardError {
                throw ToolFailure(status: error.code == .store ? .unknown : .no, reason: error.reason)
            }
        }
    }

    private struct Document: Encodable {
        let discarded: String
    }
}
