import ArgumentParser
import StoreSimulator

struct StoreShareCommand: StoreReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "share",
        abstract: "Have somebody of the customer's family share a product.",
        discussion: """
            Only non-consumables that the store's file calls shareable can be shared; the exit status is 1 for \
            others. The app hears of it with the next command that works in the home, as at a launch.

            EXAMPLE:
              vitrine store share com.example.voyager.lisbon
            """
    )

    @Argument(help: ArgumentHelp("The product's identifier.", valueName: "product"))
    var product: String

    @OptionGroup var home: HomeOptions
    @OptionGroup var output: OutputOptions

    func report(on store: SimulatedStore) async throws(SimulatedStoreError) -> Report {
        let shared = try await store.share(product)
        return Report(
            lines: ["shared \(shared.words())"],
            json: StoreTransactionDocument(
                transaction: shared.id, product: shared.productIdentifier, date: shared.purchaseDate),
            status: .yes
        )
    }
}

struct StoreRevokeFamilyCommand: StoreReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke-family",
        abstract: "Have the customer's family stop sharing.",
        discussion: """
            The transaction is taken back, as with a refund. The exit status is 1 where there is no such transaction \
            that the family shares.

            EXAMPLE:
              vitrine store revoke-family 88452000001
            """
    )

    @Argument(help: ArgumentHelp("The transaction's identifier.", valueName: "transaction"))
    var transaction: String

    @OptionGroup var home: HomeOptions
    @OptionGroup var output: OutputOptions

    func report(on store: SimulatedStore) async throws(SimulatedStoreError) -> Report {
        let revoked = try await store.revokeFamily(transaction)
        return Report(
            lines: ["no longer shared: \(revoked.words())"],
            json: StoreTransactionDocument(
                transaction: revoked.id, product: revoked.productIdentifier, date: revoked.revocationDate),
            status: .yes
        )
    }
}
