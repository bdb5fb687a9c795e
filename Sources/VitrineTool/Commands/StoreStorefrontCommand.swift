import ArgumentParser
import StoreSimulator

struct StoreStorefrontCommand: StoreReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "storefront",
        abstract: "Move the customer to the storefront of another country.",
        discussion: """
            Prices keep their amounts, in the currency of that country. The exit status is 1 for an unknown country.

            EXAMPLE:
              vitrine store storefront DEU
            """
    )

    @Argument(help: ArgumentHelp("The country as an ISO 3166-1 alpha-3 code.", valueName: "country"))
    var country: String

    @OptionGroup var home: HomeOptions
    @OptionGroup var output: OutputOptions

    func report(on store: SimulatedStore) async throws(SimulatedStoreError) -> Report {
        try await store.setStorefront(country)
        return Report(
            lines: ["storefront set to \(country)"], json: Document(storefront: country), status: .yes)
    }

    private struct Document: Encodable {
        let storefront: String
    }
}
