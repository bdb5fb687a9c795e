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

            EXAMPLE:
              vitrine load --json
              vitrine load --refresh-receipt
            """
    )

    @Flag(help: "Look at the app receipt.")
    var receipt = false

    @Flag(help: "Look at the app receipt, and ask the store for a new one where it is missing or not good.")
    var refreshReceipt = false

    @OptionGroup var home: HomeOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var verbose: VerboseOptions

    func report() async throws -> Report {
        let open = try await OpenHome.open(
            home, verbose: verbose, receipt: refreshReceipt ? .whenMissing : receipt ? .never : nil)
        return try await open.use { manager, events in
            var lines: [String] = []
            var statuses: [LoadingStatus] = []
            for event in events {
                lines += self.lines(for: event, manager: manager)
                if case .statusChanged(let status) = event { statuses.append(status) }
                if case .listUpdated(let catalog) = event {
                    for line in catalog.diagnostics.flatMap({ $0.lines(path: open.catalogPath) }) {
                        Console.pass(line)
                    }
                }
                if case .listFailed(let error) = event {
                    for line in error.lines(path: open.catalogPath) { Console.pass(line) }
                }
            }
            let isComplete = manager.status == .productsLoaded && manager.catalog?.hasErrors == false
            let receipt = ReceiptDocument(events)
            return Report(
                lines: lines,
                json: Document(
                    statuses: statuses.map(\.rawValue),
                    invalidIdentifiers: manager.invalidIdentifiers,
                    products: manager.listing.map(ListingDocument.init), receipt: receipt),
                status: max(isComplete ? .yes : .no, receipt?.status ?? .yes)
            )
        }
    }

    private func lines(for event: CatalogEvent, manager: CatalogManager) -> [String] {
        switch event {
        case .statusChanged(.listLoaded): ["1 list loaded: \(manager.listing.count.products)"]
        case .statusChanged(.productsLoaded):
            manager.listing.compactMap { listing in
                guard case .notOffered(.noContent) = listing.offer, case .notOffered(let reason) = listing.offer else {
                    return nil
                }
                return "  \(listing.id) is not offered: \(reason)"
            } + ["2 products loaded: \(manager.products.count) offered"]
        case .statusChanged(let status): ["\(status.rawValue) \(status.words)"]
        case .productsUpdated(let invalid): invalid.map { "  \($0) is not known to the store, and not offered" }
        case .listFailed(let error): ["  \(error)"]
        case .productsFailed(let error): ["  \(error)"]
        case .receiptDidValidate, .receiptValidationDidFail: ["  \(event.words)"]
        default: []
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

/// A listing for scripts.
struct ListingDocument: Encodable {
    let identifier: String
    let kind: ProductKind
    let title: String
    let description: String
    let price: String?
    let currency: String?
    let displayPrice: String?
    let offered: Bool
    let reasonNotOffered: String?
    let owned: String
    let children: [String]

    init(_ listing: ProductListing) {
        identifier = listing.id
        kind = listing.kind
        title = listing.title
        description = listing.description
        price = listing.price?.description
        currency = listing.currencyCode
        displayPrice = listing.displayPrice
        offered = listing.isOffered
        reasonNotOffered =
            if case .notOffered(let reason) = listing.offer { reason.description } else { nil }
        owned = listing.ownership.word
        children = listing.product.childProducts
    }
}
