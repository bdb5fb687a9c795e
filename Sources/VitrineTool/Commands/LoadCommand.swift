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

            EXAMPLE:
              vitrine load --json
            """
    )

    @OptionGroup var home: HomeOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var verbose: VerboseOptions

    func report() async throws -> Report {
        let open = try await OpenHome.open(home, verbose: verbose)
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
            return Report(
                lines: lines,
                json: Document(
                    statuses: statuses.map(\.rawValue),
                    invalidIdentifiers: manager.invalidIdentifiers,
                    products: manager.listing.map(ListingDocument.init)),
                status: isComplete ? .yes : .no
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
        default: []
        }
    }

    private struct Document: Encodable {
        let statuses: [Int]
        let invalidIdentifiers: [String]
        let products: [ListingDocument]
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
