import ArgumentParser
import StoreSimulator

struct StorePromoteCommand: StoreReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "promote",
        abstract: "Ask for a product in the store itself, outside the app.",
        discussion: """
            The app is told once, at its next launch. The exit status is 1 where the store does not sell the product.

            EXAMPLE:
              vitrine store promote com.example.voyager.lisbon
            """
    )

    @Argument(help: ArgumentHelp("The product's identifier.", valueName: "product"))
    var product: String

    @OptionGroup var home: HomeOptions
    @OptionGroup var output: OutputOptions

    func report(on store: SimulatedStore) async throws(SimulatedStoreError) -> Report {
        try await store.promote(product)
        return Report(
            lines: ["\(product) was asked for in the store"], json: Document(product: product), status: .yes)
    }

    private struct Document: Encodable {
        let product: String
    }
}
