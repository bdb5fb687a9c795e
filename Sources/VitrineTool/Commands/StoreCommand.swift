import ArgumentParser
import Foundation
import ProductCatalog
import StoreSimulator
import Vitrine

struct StoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "store",
        abstract: "Look into the simulated store, or do what only a store can.",
        subcommands: [StoreTransactionsCommand.self, StoreRefundCommand.self, StoreRootCommand.self]
    )
}

struct StoreTransactionsCommand: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "transactions",
        abstract: "List the store's transactions.",
        discussion: """
            They are only looked at: none is delivered by this.

            EXAMPLE:
              vitrine store transactions
            """
    )

    @OptionGroup var home: HomeOptions
    @OptionGroup var output: OutputOptions

    func report() async throws -> Report {
        do {
            let transactions = try await SimulatedStore(folder: home.folder.store).transactions()
            var table = Table(headings: ["ID", "PRODUCT", "QUANTITY", "DATE", "STATE"])
            table.rows = transactions.map {
                [
                    $0.id, $0.productIdentifier, String($0.quantity), $0.purchaseDate.formatted(.iso8601),
                    ($0.revocationDate.map { "refunded on \($0.day), " } ?? "")
                        + ($0.isFinished ? "finished" : "unfinished"),
                ]
            }
            return Report(
                lines: transactions.isEmpty ? ["no transactions"] : table.lines,
                json: Document(transactions: transactions.map(Document.Transaction.init)),
                status: .yes
            )
        } catch {
            throw ToolFailure(error)
        }
    }

    private struct Document: Encodable {
        struct Transaction: Encodable {
            let id: String
            let product: String
            let kind: ProductKind
            let quantity: Int
            let date: Date
            let finished: Bool
            let refunded: Date?

            init(_ transaction: SimulatedTransaction) {
                id = transaction.id
                product = transaction.productIdentifier
                kind = transaction.kind
                quantity = transaction.quantity
                date = transaction.purchaseDate
                finished = transaction.isFinished
                refunded = transaction.revocationDate
            }
        }

        let transactions: [Transaction]
    }
}

struct StoreRefundCommand: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "refund",
        abstract: "Give the customer the money of a transaction back.",
        discussion: """
            The app hears of it with the next command that works in the home, as at a launch. A transaction that was \
            refunded before is sent again, which changes nothing. The exit status is 1 where there is no such \
            transaction.

            EXAMPLE:
              vitrine store refund 88452000001
            """
    )

    @Argument(help: ArgumentHelp("The transaction's identifier.", valueName: "transaction"))
    var transaction: String

    @OptionGroup var home: HomeOptions
    @OptionGroup var output: OutputOptions

    func report() async throws -> Report {
        do {
            let store = try SimulatedStore(folder: home.folder.store)
            let wasRefunded = try await store.transactions().contains {
                $0.id == transaction && $0.revocationDate != nil
            }
            let refunded = try await store.refund(transaction)
            let quantity = refunded.quantity == 1 ? "" : "\(refunded.quantity) of "
            return Report(
                lines: [
                    "refunded \(quantity)\(refunded.productIdentifier) (transaction \(refunded.id)"
                        + (wasRefunded ? ", refunded before: sent again)" : ")")
                ],
                json: Document(
                    transaction: refunded.id, product: refunded.productIdentifier, date: refunded.revocationDate),
                status: .yes
            )
        } catch {
            throw ToolFailure(error)
        }
    }

    private struct Document: Encodable {
        let transaction: String
        let product: String
        let date: Date?
    }
}

struct StoreRootCommand: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "root",
        abstract: "Print the store's root certificate in PEM.",
        discussion: """
            Whoever is to trust the store's signatures has to be given this certificate.

            EXAMPLE:
              vitrine store root > root.pem
            """
    )

    @OptionGroup var home: HomeOptions
    @OptionGroup var output: OutputOptions

    func report() throws -> Report {
        do {
            let pem = try SimulatedStore(folder: home.folder.store).rootCertificate
            return Report(
                lines: pem.split(whereSeparator: \.isNewline).map(String.init), json: Document(root: pem), status: .yes)
        } catch {
            throw ToolFailure(error)
        }
    }

    private struct Document: Encodable {
        let root: String
    }
}
