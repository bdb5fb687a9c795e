import ArgumentParser
import Foundation
import StoreSimulator
import Vitrine

struct StoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "store",
        abstract: "Look into the simulated store, or do what only a store can.",
        discussion: """
            The app hears of what a store does with the next command that works in the home, as at a launch.
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

/// A command that does something with the home's store, whatever of the rest of the home there is.
protocol StoreReportingCommand: ReportingCommand {
    var home: HomeOptions { get }

    func report(on store: SimulatedStore) async throws(SimulatedStoreError) -> Report
}

extension StoreReportingCommand {
    func report() async throws -> Report {
        do throws(SimulatedStoreError) {
            return try await report(on: SimulatedStore(folder: home.folder.store))
        } catch {
            guard error.code != .noSuchProduct else { throw ToolFailure(status: .no, reason: error.reason) }
            throw ToolFailure(error)
        }
    }
}

/// What was done with a transaction of the store.
struct StoreTransactionDocument: Encodable {
    let transaction: String
    let product: String
    var date: Date?
}

extension SimulatedTransaction {
    /// What it is of, and its number.
    func words(remark: String = "") -> String {
        (quantity == 1 ? "" : "\(quantity) of ") + "\(productIdentifier) (transaction \(id)\(remark))"
    }
}

/// A setting of the store that is on or off.
enum StoreSwitch: String, ExpressibleByArgument, CaseIterable {
    case on, off
}
