import ArgumentParser
import Foundation
import VitrineCommandSupport
import VitrineStoreSimulator

struct StorePriceCommand: StoreReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "price",
        abstract: "Change the price of a product.",
        discussion: """
            The new price applies to purchases from now on, and to subscriptions from their next renewal. If consent \
            is required for a higher price, a subscription ends with its period unless the customer agrees. The exit \
            status is 1 for a product that the store does not have.

            EXAMPLE:
              vitrine store price com.example.voyager.club 5.99 --consent required
            """
    )

    enum Consent: String, ExpressibleByArgument, CaseIterable {
        case required, none
    }

    @Argument(help: ArgumentHelp("The identifier of the product.", valueName: "product"), completion: .product)
    var product: String

    @Argument(
        help: ArgumentHelp(
            "The price in the currency of the storefront, above zero, with at most three digits after the point.",
            valueName: "price"))
    var price: String

    @Option(help: "Whether subscribers have to agree to a higher price: required or none.")
    var consent = Consent.none

    @OptionGroup var options: StoreOptions

    func validate() throws {
        guard decimal != nil else {
            throw ValidationError(
                "The price \(price) is not a number such as 5.99, with at most nine digits before the "
                    + "point and three after it.")
        }
    }

    private var decimal: Decimal? {
        guard price.wholeMatch(of: /[0-9]{1,9}(\.[0-9]{1,3})?/) != nil else { return nil }
        return Decimal(string: price, locale: Locale(identifier: "en_US_POSIX"))
    }

    func report(on store: SimulatedStore) async throws(SimulatedStoreError) -> Report {
        let price = decimal ?? 0
        try await store.setPrice(price, of: product, consentRequired: consent == .required)
        return Report(
            lines: [
                "the price of \(product) is \(price)"
                    + (consent == .required ? "; a higher price needs the consent of subscribers" : "")
            ], json: ["product": product, "price": price.description, "consentRequired": consent == .required])
    }
}

struct StoreConsentCommand: StoreReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "consent",
        abstract: "Agree to the price increase of a subscription as its customer, or decline it.",
        discussion: """
            If the customer declines, the subscription ends with its present period. The exit status is 1 if no price \
            increase waits for the customer's answer.

            EXAMPLE:
              vitrine store consent yes com.example.voyager.club
            """
    )

    enum Answer: String, ExpressibleByArgument, CaseIterable {
        case yes, no
    }

    @Argument(help: "Whether the customer agrees: yes or no.")
    var answer: Answer

    @Argument(
        help: ArgumentHelp("The identifier of a product of the subscription's group.", valueName: "product"),
        completion: .product)
    var product: String

    @OptionGroup var options: StoreOptions

    func report(on store: SimulatedStore) async throws(SimulatedStoreError) -> Report {
        try await store.consentToPriceIncrease(answer == .yes, of: product)
        return Report(
            lines: ["the customer \(answer == .yes ? "agrees to" : "declines") the price increase of \(product)"],
            json: ["product": product, "consent": answer == .yes])
    }
}

struct StoreWithdrawCommand: StoreReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "withdraw",
        abstract: "Withdraw a product from sale.",
        discussion: """
            The product is not sold any longer, and subscriptions to it do not renew. This cannot be undone. The exit \
            status is 1 for a product that the store does not have.

            EXAMPLE:
              vitrine store withdraw com.example.voyager.club
            """
    )

    @Argument(help: ArgumentHelp("The identifier of the product.", valueName: "product"), completion: .product)
    var product: String

    @OptionGroup var options: StoreOptions

    func report(on store: SimulatedStore) async throws(SimulatedStoreError) -> Report {
        try await store.withdraw(product)
        return Report(lines: ["\(product) is no longer sold"], json: ["product": product])
    }
}
