import ArgumentParser
import VitrineCommandSupport
import VitrineStoreSimulator

struct StoreSetCommand: StoreReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Change a setting of the store, of its customer or of the device.",
        discussion: """
            A setting stays until it is changed. PRODUCT is any product of the subscription's group: the exit status is 1 \
            if the customer has no subscription in that group, or only one that has ended.

            SETTINGS:
            \(StoreSetting.all.map(\.help).joined(separator: "\n"))

            EXAMPLE:
              vitrine store set offline on
              vitrine store set restriction "a parent has forbidden purchases"
              vitrine store set billing fail com.example.voyager.club
            """
    )

    @Argument(help: ArgumentHelp("The name of the setting.", valueName: "setting"))
    var setting: StoreSetting

    @Argument(help: ArgumentHelp("The new value of the setting.", valueName: "value"))
    var value: String

    @Argument(
        help: ArgumentHelp(
            "The identifier of a product of the subscription's group, for a setting of a subscription.",
            valueName: "product"), completion: .product)
    var product: String?

    @OptionGroup var options: StoreOptions

    func validate() throws {
        guard setting.values.map({ $0.contains(value) }) ?? !value.isEmpty else {
            throw ValidationError("The setting is used as '\(setting.usage)', not with the value \"\(value)\".")
        }
        guard (product != nil) == setting.concernsSubscription else {
            throw ValidationError(
                "The setting is used as '\(setting.usage)', \(product == nil ? "with" : "without") a product.")
        }
    }

    func report(on store: SimulatedStore) async throws(SimulatedStoreError) -> Report {
        try await setting.change(store, value, product ?? "")
    }
}
