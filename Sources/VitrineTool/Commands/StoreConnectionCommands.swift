import ArgumentParser
import StoreSimulator

struct StoreOfflineCommand: StoreReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "offline",
        abstract: "Set whether the device is offline.",
        discussion: """
            While the device is offline, the store answers no requests for products, purchases, restoring, the app \
            transaction or new app receipts; data on the device stays available. The setting stays until it is \
            switched off.

            EXAMPLE:
              vitrine store offline on
            """
    )

    @Argument(help: "Be offline: on or off.")
    var setting: StoreSwitch

    @OptionGroup var home: HomeOptions
    @OptionGroup var output: OutputOptions

    func report(on store: SimulatedStore) async throws(SimulatedStoreError) -> Report {
        try await store.setOffline(setting == .on)
        return Report(
            lines: [setting == .on ? "the store cannot be reached" : "the store can be reached"],
            json: Document(offline: setting == .on),
            status: .yes
        )
    }

    private struct Document: Encodable {
        let offline: Bool
    }
}

struct StoreRestrictCommand: StoreReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "restrict",
        abstract: "Forbid purchases on the device, or allow them again.",
        discussion: """
            The restriction stays until it is lifted.

            EXAMPLE:
              vitrine store restrict "a parent has forbidden purchases"
              vitrine store restrict --lift
            """
    )

    @Argument(help: ArgumentHelp("The reason, as the rest of a sentence.", valueName: "reason"))
    var reason: String?

    @Flag(help: "Allow purchases again.")
    var lift = false

    @OptionGroup var home: HomeOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard (reason == nil) == lift else { throw ValidationError("Give either a reason or --lift.") }
        guard reason != "" else { throw ValidationError("The reason must not be empty.") }
    }

    func report(on store: SimulatedStore) async throws(SimulatedStoreError) -> Report {
        try await store.setPaymentRestriction(reason)
        return Report(
            lines: [reason.map { "purchases are forbidden: \($0)" } ?? "purchases are allowed"],
            json: Document(restriction: reason),
            status: .yes
        )
    }

    private struct Document: Encodable {
        let restriction: String?
    }
}
