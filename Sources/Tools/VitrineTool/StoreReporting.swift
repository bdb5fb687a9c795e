import Foundation
import Vitrine
import VitrineCommandSupport
import VitrineStoreSimulator

/// Command for the simulated store of a storage directory, which works even if the rest of the directory is missing.
protocol StoreReportingCommand: ReportingCommand {
    var options: StoreOptions { get }

    func report(on store: SimulatedStore) async throws(SimulatedStoreError) -> Report
}

extension StoreReportingCommand {
    var home: HomeOptions { options.home }
    var output: OutputOptions { options.output }

    func report() async throws -> Report {
        try await report(on: home.folder.openStore())
    }
}

extension SimulatedStore {
    /// Returns the transaction identifier of a pending purchase.
    ///
    /// - Parameter identifier: Identifier of the purchase or of its product.
    /// - Throws: `noSuchTransaction` if several purchases of the product are pending.
    func pendingPurchase(_ identifier: String) async throws(SimulatedStoreError) -> String {
        let pending = try await pendingPurchases()
        let ofProduct = pending.filter { $0.productIdentifier == identifier }.map(\.id)
        guard let first = ofProduct.first, !pending.contains(where: { $0.id == identifier }) else { return identifier }
        guard ofProduct.count == 1 else {
            throw SimulatedStoreError(
                code: .noSuchTransaction,
                reason: "\(ofProduct.count) purchases of \(identifier) wait for approval: "
                    + "\(ofProduct.joined(separator: ", ")); name one of these identifiers")
        }
        return first
    }
}

extension SimulatedTransaction {
    /// Returns the JSON object of a transaction that was changed by a command.
    func document(date: Date? = nil, percent: Double? = nil) -> JSONObject {
        ["transaction": id, "product": productIdentifier, "date": date, "percent": percent]
    }

    /// Returns the report of a command that has changed the transaction.
    ///
    /// - Parameters:
    ///   - change: Text before the description of the transaction, such as "approved".
    ///   - date: Date of the change; `nil` if the store does not record it.
    func report(_ change: String, date: Date? = nil) -> Report {
        Report(lines: ["\(change) \(description())"], json: document(date: date))
    }

    /// Returns a description with the quantity, product and identifier of the transaction.
    func description(remark: String = "") -> String {
        (quantity == 1 ? "" : "\(quantity) of ") + "\(productIdentifier) (transaction \(id)\(remark))"
    }
}
