import ArgumentParser
import Foundation
import ProductCatalog
import Receipts
import StoreSimulator

struct StoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "store",
        abstract: "Show the simulated store, or perform actions of the store.",
        discussion: """
            The result of an action reaches the app with the next command in the same home, as with an app at its next \
            launch.
            """,
        subcommands: [
            StoreTransactionsCommand.self, StoreRefundCommand.self, StoreReverseRefundCommand.self,
            StoreAskToBuyCommand.self, StoreApproveCommand.self, StoreDeclineCommand.self,
            StoreShareCommand.self, StoreRevokeFamilyCommand.self, StorePromoteCommand.self,
            StoreStorefrontCommand.self, StoreFailCommand.self, StoreOfflineCommand.self, StoreRestrictCommand.self,
            StoreReceiptCommand.self, StoreRootCommand.self,
        ]
    )
}

struct StoreTransactionsCommand: StoreReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "transactions",
        abstract: "List the store's transactions and the purchases that wait for approval.",
        discussion: """
            This command only lists the transactions, and does not deliver them.

            EXAMPLE:
              vitrine store transactions
            """
    )

    @OptionGroup var home: HomeOptions
    @OptionGroup var output: OutputOptions

    func report(on store: SimulatedStore) async throws(SimulatedStoreError) -> Report {
        let transactions = try await store.transactions() + store.pendingPurchases()
        var table = Table(headings: ["ID", "PRODUCT", "QUANTITY", "DATE", "STATE"])
        table.rows = transactions.map {
            [
                $0.id, $0.productIdentifier, String($0.quantity), $0.purchaseDate.formatted(.iso8601),
                $0.stateInWords,
            ]
        }
        return Report(
            lines: transactions.isEmpty ? ["no transactions"] : table.lines,
            json: ["transactions": transactions.map(\.document)],
            status: .yes
        )
    }
}

extension SimulatedTransaction {
    fileprivate var document: JSONObject {
        [
            "id": id, "product": productIdentifier, "kind": kind, "quantity": quantity, "date": purchaseDate,
            "pending": isPending, "finished": isFinished, "refunded": revocationDate,
            "familyShared": ownershipType == .familyShared, "accountToken": accountToken,
        ]
    }

    fileprivate var stateInWords: String {
        guard !isPending else { return "pending" }
        let isShared = ownershipType == .familyShared
        let revocation = revocationDate.map { (isShared ? "revoked on " : "refunded on ") + $0.day }
        return [isShared ? "shared by the family" : nil, revocation, isFinished ? "finished" : "unfinished"]
            .compactMap(\.self).joined(separator: ", ")
    }
}
