import ArgumentParser
import VitrineCommandSupport
import VitrineStoreSimulator

struct StorePromoteCommand: StoreReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "promote",
        abstract: "Request a purchase as a customer does in the store itself, outside the app.",
        discussion: """
            The next command in the home receives the request, once, as an app does at launch. The exit status is 1 if \
            the store does not sell the product.

            EXAMPLE:
              vitrine store promote com.example.voyager.lisbon
            """
    )

    @Argument(help: ArgumentHelp("The product's identifier.", valueName: "product"), completion: .product)
    var product: String

    @OptionGroup var options: StoreOptions

    func report(on store: SimulatedStore) async throws(SimulatedStoreError) -> Report {
        try await store.promote(product)
        return Report(
            lines: ["the customer has started a purchase of \(product) in the store, which the app has to complete"],
            json: ["product": product])
    }
}

struct StoreShareCommand: StoreReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "share",
        abstract: "Share a product with the customer by Family Sharing.",
        discussion: """
            Only non-consumables that the StoreKit configuration of the store marks as shareable can be shared; the \
            exit status is 1 for other products. The next command in the home receives the transaction, as an app does \
            at launch.

            EXAMPLE:
              vitrine store share com.example.voyager.lisbon
            """
    )

    @Argument(help: ArgumentHelp("The product's identifier.", valueName: "product"), completion: .product)
    var product: String

    @OptionGroup var options: StoreOptions

    func report(on store: SimulatedStore) async throws(SimulatedStoreError) -> Report {
        let shared = try await store.share(product)
        return shared.report("shared", date: shared.purchaseDate)
    }
}

struct StoreRevokeFamilyCommand: StoreReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke-family",
        abstract: "End the Family Sharing of a transaction.",
        discussion: """
            The transaction is revoked, as with a refund. The exit status is 1 if no transaction with this identifier \
            is shared by the family.

            EXAMPLE:
              vitrine store revoke-family 88452000001
            """
    )

    @Argument(help: .transaction) var transaction: String

    @OptionGroup var options: StoreOptions

    func report(on store: SimulatedStore) async throws(SimulatedStoreError) -> Report {
        let revoked = try await store.revokeFamily(transaction)
        return revoked.report("no longer shared:", date: revoked.revocationDate)
    }
}
