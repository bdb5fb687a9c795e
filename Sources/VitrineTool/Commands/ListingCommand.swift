import ArgumentParser
import Foundation
import Vitrine

struct ListingCommand: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "listing",
        abstract: "Print every product as a customer sees it.",
        discussion: """
            Prints for each product its title and price, whether it is offered or why not, why it is owned, what a \
            bundle contains and saves, and the state of its hosted content. The exit status is 1 if the list or the \
            products could not be loaded, or errors in the catalog excluded some products.

            EXAMPLE:
              vitrine listing --language de --storefront DEU
            """
    )

    @OptionGroup var customer: CustomerOptions
    @OptionGroup var home: HomeOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var verbose: VerboseOptions

    func report() async throws -> Report {
        try await OpenHome.open(home, verbose: verbose, customer: customer).use(awaitsContent: false) { manager, _ in
            let listing = manager.listing
            let isLoaded = manager.status == .productsLoaded
            let isComplete = isLoaded && manager.catalog.current?.hasErrors == false
            let obstacle = isLoaded ? "errors in the catalog exclude products" : manager.status.words
            return Report(
                lines: listing.flatMap(\.lines),
                json: Document(
                    status: manager.status.rawValue, storefront: manager.catalog.storefront,
                    products: listing.map(ListingDocument.init)),
                status: isComplete ? .yes : .no,
                remarks: isComplete ? [] : ["warning: \(obstacle)"])
        }
    }

    private struct Document: Encodable {
        let status: Int
        let storefront: String?
        let products: [ListingDocument]
    }
}
