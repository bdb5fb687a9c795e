import ArgumentParser
import StoreSimulator

struct StoreAskToBuyCommand: StoreReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "ask-to-buy",
        abstract: "Say whether somebody has to approve what the customer buys.",
        discussion: """
            What the customer asks for is then pending, until it is approved or declined. That lasts until it is \
            switched off.

            EXAMPLE:
              vitrine store ask-to-buy on
            """
    )

    @Argument(help: "Whether it has to be approved.")
    var setting: StoreSwitch

    @OptionGroup var home: HomeOptions
    @OptionGroup var output: OutputOptions

    func report(on store: SimulatedStore) async throws(SimulatedStoreError) -> Report {
        try await store.setAsksToBuy(setting == .on)
        return Report(
            lines: [setting == .on ? "what is bought has to be approved" : "nothing that is bought has to be approved"],
            json: Document(askToBuy: setting == .on),
            status: .yes
        )
    }

    private struct Document: Encodable {
        let askToBuy: Bool
    }
}

struct StoreApproveCommand: StoreReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "approve",
        abstract: "Approve a pending purchase.",
        discussion: """
            It becomes a transaction of the same number, bought now, and is delivered by the next command that works in \
            the home, as at a launch. The exit status is 1 where it does not wait for approval.

            EXAMPLE:
              vitrine store approve 88452000001
            """
    )

    @Argument(help: ArgumentHelp("The purchase's identifier, as store transactions lists it.", valueName: "id"))
    var identifier: String

    @OptionGroup var home: HomeOptions
    @OptionGroup var output: OutputOptions

    func report(on store: SimulatedStore) async throws(SimulatedStoreError) -> Report {
        let approved = try await store.approve(identifier)
        return Report(
            lines: ["approved \(approved.words())"],
            json: StoreTransactionDocument(
                transaction: approved.id, product: approved.productIdentifier, date: approved.purchaseDate),
            status: .yes
        )
    }
}

struct StoreDeclineCommand: StoreReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "decline",
        abstract: "Decline a pending purchase.",
        discussion: """
            It is gone, and the app is not told. The exit status is 1 where it does not wait for approval.

            EXAMPLE:
              vitrine store decline 88452000001
            """
    )

    @Argument(help: ArgumentHelp("The purchase's identifier, as store transactions lists it.", valueName: "id"))
    var identifier: String

    @OptionGroup var home: HomeOptions
    @OptionGroup var output: OutputOptions

    func report(on store: SimulatedStore) async throws(SimulatedStoreError) -> Report {
        let declined = try await store.decline(identifier)
        return Report(
            lines: ["declined \(declined.words())"],
            json: StoreTransactionDocument(transaction: declined.id, product: declined.productIdentifier),
            status: .yes
        )
    }
}
