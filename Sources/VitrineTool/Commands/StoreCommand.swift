import ArgumentParser
import Foundation
import ProductCatalog
import StoreSimulator
import Vitrine

struct StoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "store",
        abstract: "Look into the simulated store.",
        subcommands: [StoreTransactionsCommand.self, StoreRootCommand.self]
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
                    $0.isFinished ? "finished" : "unfinished",
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

            init(_ transaction: SimulatedTransaction) {
                id = transaction.id
                product = transaction.productIdentifier
                kind = transaction.kind
                quantity = transaction.quantity
                date = transaction.purchaseDate
                finished = transaction.isFinished
            }
        }

        let transactions: [Transaction]
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

extension ToolFailure {
    fileprivate init(_ error: SimulatedStoreError) {
        let status: ExitStatus =
            switch error.code {
            case .notFound: .noInput
            case .invalidConfiguration, .damaged: .unusableData
            default: .inputOutput
            }
        self.init(status: status, reason: error.reason)
    }
}
