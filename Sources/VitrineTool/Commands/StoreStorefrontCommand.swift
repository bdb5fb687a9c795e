import ArgumentParser
import StoreSimulator

struct StoreStorefrontCommand: StoreReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "storefront",
        abstract: "Move the customer to the storefront of another country.",
        discussion: """
            Everything costs as many units of that country's currency from then on. The exit status is 1 for what is no \
            country.

            EXAMPLE:
              vitrine store storefront DEU
            """
    )

    @Argument(help: ArgumentHelp("The country as ISO 3166-1 alpha-3 names it.", valueName: "country"))
    var country: String

    @OptionGroup var home: HomeOptions
    @OptionGroup var output: OutputOptions

    func report(on store: SimulatedStore) async throws(SimulatedStoreError) -> Report {
        try await store.setStorefront(country)
        return Report(
            lines: ["the customer is in the storefront \(country)"], json: Document(storefront: country), status: .yes)
    }

    private struct Document: Encodable {
        let storefront: String
    }
}
