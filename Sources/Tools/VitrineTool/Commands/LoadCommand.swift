import ArgumentParser
import Foundation
import Vitrine
import VitrineCatalog
import VitrineCommandSupport

struct LoadCommand: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "load",
        abstract: "Load the catalog and the store's data about its products.",
        discussion: """
            Prints each status of loading with its number, and the products that are unknown to the store. With \
            --json, prints the whole listing. The exit status is 1 if the catalog or the store's products could not be \
            loaded, or products are left out because of errors in the catalog. A purchase that the customer has \
            requested in the store is made after the load, and its result is printed too. The exit status is 74 if the \
            disk failed, also while the store's purchases were read into a new ledger; another load reads them.

            With --receipt, the app receipt is verified too, and its purchases are recorded in the ledger. The exit \
            status is then also 1 if there is no valid receipt, and 2 if that cannot be determined.

            With --watch, the command keeps running, repeats a failed load after some time, and ends with exit status \
            0 when it is interrupted.

            EXAMPLES:
              vitrine load --json
              vitrine load --refresh-receipt
              vitrine load --watch --every 60
            """
    )

    @Flag(help: "Verify the app receipt.")
    var receipt = false

    @Flag(help: "Verify the app receipt, and request a new one from the store if it is missing or invalid.")
    var refreshReceipt = false

    @Flag(help: "Keep running and print each change until interrupted; on a terminal, as a table that is redrawn.")
    var watch = false

    @Option(help: ArgumentHelp("With --watch, the number of seconds between loads.", valueName: "seconds"))
    var every: Int?

    @OptionGroup var session: SessionOptions

    func validate() throws {
        guard !watch || !output.json else { throw ValidationError("--watch cannot print JSON.") }
        guard every == nil || watch else { throw ValidationError("--every needs --watch.") }
        if let every, !(60...86_400).contains(every) {
            throw ValidationError("--every must be from 60 to 86400 seconds.")
        }
    }

    func report() async throws -> Report {
        let open = try await OpenHome.open(
            session, receipt: refreshReceipt ? .whenMissing : receipt ? .never : nil,
            refreshInterval: every.map(Duration.seconds))
        return watch ? try await CatalogWatch(open: open).report() : try await report(open)
    }

    private func report(_ open: OpenHome) async throws -> Report {
        try await open.use { manager, events in
            var lines: [String] = []
            var statuses: [LoadingStatus] = []
            for event in events {
                lines += event.loadingLines(manager)
                if case .loading(.statusChanged(let status)) = event { statuses.append(status) }
                event.passFindings(of: open)
            }
            let isComplete = manager.status == .productsLoaded && manager.catalog.current?.hasErrors == false
            let receipt = events.lazy.compactMap(\.receiptResult).first
            return Report(
                lines: lines,
                json: [
                    "statuses": statuses.map(\.rawValue), "invalidIdentifiers": manager.catalog.invalidIdentifiers,
                    "products": output.json ? manager.listing.map(\.document) : [], "receipt": receipt?.document,
                    "requested": events.compactMap(\.purchaseDocument),
                ],
                status: max(
                    isComplete ? .yes : .no, receipt?.status ?? .yes,
                    manager.catalog.lastRequestError?.isOfTheDisk == true ? .inputOutput : .yes))
        }
    }
}

extension LoadFailure {
    /// `true` if the purchases that the store knows could not be recorded. A purchase needs no such record, and
    /// succeeds without it.
    fileprivate var isOfTheDisk: Bool {
        if case .purchases(let error) = self { error.code == .storage } else { false }
    }
}

extension CatalogEvent {
    /// JSON object and exit status for the verification of the app receipt; `nil` for other events.
    fileprivate var receiptResult: (document: JSONObject, status: ExitStatus)? {
        switch self {
        case .receipt(.validated(let signed)):
            (
                [
                    "state": "good", "created": signed.receipt.creationDate,
                    "purchases": signed.receipt.purchases.count,
                ], .yes
            )
        case .receipt(.validationFailed(let failure)):
            (["state": failure.word, "reason": failure.description], failure.exitStatus)
        default: nil
        }
    }
}

extension ReceiptFailure {
    fileprivate var word: String {
        switch self {
        case .missing: "missing"
        case .rejected: "rejected"
        case .undetermined: "undetermined"
        case .store: "unreached"
        }
    }
}
