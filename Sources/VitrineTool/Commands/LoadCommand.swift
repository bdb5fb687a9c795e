import ArgumentParser
import Foundation
import ProductCatalog
import Vitrine

struct LoadCommand: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "load",
        abstract: "Load the catalog and ask the store about its products.",
        discussion: """
            Prints each status with its number, and what the store does not know. With --json, the whole listing. The \
            exit status is 1 where the list or the products could not be loaded, or errors in the catalog left some out.

            With --receipt the app receipt is looked at too, and what it says is recorded. The exit status is then 1 also \
            where there is no good one, and 2 where that cannot be told.

            With --watch the command stays, loads anew when something that failed is to be tried again, and ends when it is \
            interrupted, with exit status 0.

            EXAMPLES:
              vitrine load --json
              vitrine load --refresh-receipt
              vitrine load --watch --every 60
            """
    )

    @Flag(help: "Look at the app receipt.")
    var receipt = false

    @Flag(help: "Look at the app receipt, and ask the store for a new one where it is missing or not good.")
    var refreshReceipt = false

    @Flag(help: "Stay, and tell each change until interrupted: on a terminal in a table that is drawn again.")
    var watch = false

    @Option(help: ArgumentHelp("When watching, load anew after so many seconds.", valueName: "seconds"))
    var every: Int?

    @OptionGroup var home: HomeOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var verbose: VerboseOptions

    func validate() throws {
        guard !watch || !output.json else { throw ValidationError("--watch prints no JSON.") }
        guard every == nil || watch else { throw ValidationError("--every goes with --watch.") }
        if let every, !(60...86_400).contains(every) { throw ValidationError("--every is from 60 to 86400 seconds.") }
    }

    func report() async throws -> Report {
        let open = try await OpenHome.open(
            home, verbose: verbose, receipt: refreshReceipt ? .whenMissing : receipt ? .never : nil,
            refreshInterval: every.map(Duration.seconds))
        return watch ? try await CatalogWatch(open: open).report() : try await report(open)
    }

    private func report(_ open: OpenHome) async throws -> Report {
        try await open.use { manager, events in
            var lines: [String] = []
            var statuses: [LoadingStatus] = []
            for event in events {
                lines += event.loadingLines(manager)
                if case .statusChanged(let status) = event { statuses.append(status) }
                event.passFindings(of: open)
            }
            let isComplete = manager.status == .productsLoaded && manager.catalog?.hasErrors == false
            let receipt = ReceiptDocument(events)
            return Report(
                lines: lines,
                json: Document(
                    statuses: statuses.map(\.rawValue),
                    invalidIdentifiers: manager.invalidIdentifiers,
                    products: output.json ? manager.listing.map(ListingDocument.init) : [], receipt: receipt),
                status: max(isComplete ? .yes : .no, receipt?.status ?? .yes)
            )
        }
    }

    private struct Document: Encodable {
        let statuses: [Int]
        let invalidIdentifiers: [String]
        let products: [ListingDocument]
        let receipt: ReceiptDocument?
    }
}

/// What became of the app receipt, for scripts.
private struct ReceiptDocument: Encodable {
    let state: String
    let reason: String?
    let created: Date?
    let purchases: Int?
    let status: ExitStatus

    /// - Returns: `nil` where nobody has looked at it.
    init?(_ events: [CatalogEvent]) {
        for event in events {
            switch event {
            case .receiptDidValidate(let signed):
                (state, reason, status) = ("good", nil, .yes)
                (created, purchases) = (signed.receipt.creationDate, signed.receipt.purchases.count)
                return
            case .receiptValidationDidFail(let failure):
                (state, reason, status) = (failure.word, failure.description, failure.exitStatus)
                (created, purchases) = (nil, nil)
                return
            default: break
            }
        }
        return nil
    }

    private enum CodingKeys: CodingKey { case state, reason, created, purchases }
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
