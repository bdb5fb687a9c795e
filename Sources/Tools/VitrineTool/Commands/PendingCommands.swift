import ArgumentParser
import Foundation
import Vitrine
import VitrineCommandSupport
import VitrinePurchasing

struct PendingCommand: HomeCommand {
    static let configuration = CommandConfiguration(
        commandName: "pending",
        abstract: "List the transactions that could not be delivered, and why.",
        discussion: """
            Each vitrine command that loads the products tries again to deliver pending transactions; until they are \
            delivered, they stay unfinished in the store. The exit status is 2 if there are pending transactions.

            EXAMPLE:
              vitrine pending
            """
    )

    @OptionGroup var session: SessionOptions

    func report(_ manager: CatalogManager) async throws -> Report {
        PendingReport.report(await manager.purchases.pending())
    }
}

struct RetryCommand: HomeCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry",
        abstract: "Try again to deliver pending transactions, and list those that remain.",
        discussion: """
            The exit status is 2 if transactions remain, or the store cannot be reached.

            EXAMPLE:
              vitrine retry
            """
    )

    @OptionGroup var session: SessionOptions

    func report(_ manager: CatalogManager) async throws -> Report {
        do {
            return PendingReport.report(try await manager.purchases.retryPending())
        } catch {
            throw ToolFailure(status: error.exitStatus, reason: "the store query failed: \(error.reason)")
        }
    }
}

/// Functions that create the reports of the commands for pending transactions.
private enum PendingReport {
    static func report(_ transactions: [PendingTransaction]) -> Report {
        var table = Table(headings: ["TRANSACTION", "PRODUCT", "STATE", "REASON"])
        table.rows = transactions.map {
            [$0.id, $0.productIdentifier ?? "-", $0.state.word, $0.state.description]
        }
        return Report(
            lines: transactions.isEmpty ? ["no pending transactions"] : table.lines,
            json: ["pending": transactions.map(\.document)],
            status: transactions.isEmpty ? .yes : .unknown)
    }
}

extension PendingTransaction {
    fileprivate var document: JSONObject {
        ["transaction": id, "product": productIdentifier, "state": state.word, "reason": state.description]
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

struct DiscardCommand: HomeCommand {
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

    @Argument(help: .transaction) var transaction: String

    @OptionGroup var session: SessionOptions

    func report(_ manager: CatalogManager) async throws -> Report {
        do {
            try await manager.purchases.discard(transaction)
            return Report(lines: ["discarded transaction \(transaction)"], json: ["discarded": transaction])
        } catch {
            throw ToolFailure(status: error.code == .store ? .unknown : .no, reason: error.reason)
        }
    }
}
