import ArgumentParser
import VitrineCommandSupport
import VitrinePurchasing
import VitrineStoreSimulator
import VitrineSupport

struct StoreRenewalCommand: StoreReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "renewal",
        abstract: "Turn the renewal of a subscription off or on, as the customer does in the store.",
        discussion: """
            A subscription whose renewal is off ends with its present period. The exit status is 1 if the customer has \
            no subscription in the product's group, or only one that has ended.

            EXAMPLE:
              vitrine store renewal off com.example.voyager.club
            """
    )

    @Argument(help: "Whether the subscription renews: on or off.")
    var setting: StoreSwitch

    @Argument(help: ArgumentHelp("The identifier of a product of the subscription's group.", valueName: "product"))
    var product: String

    @OptionGroup var home: HomeOptions
    @OptionGroup var output: OutputOptions

    func report(on store: SimulatedStore) async throws(SimulatedStoreError) -> Report {
        try await store.setRenewal(setting == .on, of: product)
        return Report(
            lines: ["the subscription to \(product) \(setting == .on ? "renews" : "does not renew")"],
            json: ["product": product, "renewal": setting == .on], status: .yes)
    }
}

struct StoreBillingCommand: StoreReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "billing",
        abstract: "Make payments for the renewals of a subscription fail, or succeed again.",
        discussion: """
            With fail, the customer cannot be charged for the next renewal, and the subscription enters the grace \
            period, if there is one, then the billing retry period. With recover, the customer can be charged again: a \
            renewal that has failed is made now. The exit status is 1 if the customer has no subscription in the \
            product's group, or only one that has ended.

            EXAMPLE:
              vitrine store billing fail com.example.voyager.club
              vitrine store advance P1M
              vitrine store billing recover com.example.voyager.club
            """
    )

    enum Action: String, ExpressibleByArgument, CaseIterable {
        case fail, recover
    }

    @Argument(help: "The result of payments for renewals from now on: fail or recover.")
    var action: Action

    @Argument(help: ArgumentHelp("The identifier of a product of the subscription's group.", valueName: "product"))
    var product: String

    @OptionGroup var home: HomeOptions
    @OptionGroup var output: OutputOptions

    func report(on store: SimulatedStore) async throws(SimulatedStoreError) -> Report {
        guard action == .recover else {
            try await store.failBilling(product)
            return Report(
                lines: ["the customer cannot be charged for renewals of \(product)"],
                json: ["product": product, "failing": true], status: .yes)
        }
        let recovered = try await store.recoverBilling(product)
        return Report(
            lines: [
                recovered.map { "renewed \($0.words())" } ?? "the customer can be charged for renewals of \(product)"
            ],
            json: [
                "product": product, "failing": false, "transaction": recovered?.id,
                "expires": recovered?.expirationDate,
            ], status: .yes)
    }
}

struct StoreGraceCommand: StoreReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "grace",
        abstract: "Set whether subscriptions have a grace period after a failed renewal.",
        discussion: """
            In the grace period the customer is entitled to the product while the store tries to charge for it. The \
            setting applies to all subscriptions of the store, and stays until it is changed.

            EXAMPLE:
              vitrine store grace on
            """
    )

    @Argument(help: "Whether there is a grace period: on or off.")
    var setting: StoreSwitch

    @OptionGroup var home: HomeOptions
    @OptionGroup var output: OutputOptions

    func report(on store: SimulatedStore) async throws(SimulatedStoreError) -> Report {
        try await store.setGracePeriod(setting == .on)
        return Report(
            lines: ["subscriptions have \(setting == .on ? "a" : "no") grace period"],
            json: ["gracePeriod": setting == .on], status: .yes)
    }
}

struct StoreRedeemCommand: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "redeem",
        abstract: "Redeem an offer code in the store, outside the app.",
        discussion: """
            The next command in the home receives the transaction, as an app does at launch. The exit status is 1 if \
            the product has no offer of this name, or the customer may not have the offer.

            EXAMPLE:
              vitrine store redeem SUMMER com.example.voyager.club
            """
    )

    @Argument(
        help: ArgumentHelp("The reference name of the offer in the store's StoreKit configuration.", valueName: "code"))
    var code: String

    @Argument(help: ArgumentHelp("The identifier of the product that has the offer.", valueName: "product"))
    var product: String

    @OptionGroup var home: HomeOptions
    @OptionGroup var output: OutputOptions

    func report() async throws -> Report {
        do {
            let redeemed = try await home.folder.openStore().redeem(code, of: product)
            return Report(
                lines: ["redeemed \(code) for \(redeemed.words())"],
                json: redeemed.document(date: redeemed.purchaseDate),
                status: .yes)
        } catch let error as StoreError {
            let isRefused = error.code == .invalidOffer || error.code == .productNotAvailable
            throw ToolFailure(status: isRefused ? .no : error.exitStatus, reason: error.reason)
        }
    }
}
