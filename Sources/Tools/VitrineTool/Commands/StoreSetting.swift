import ArgumentParser
import VitrineCommandSupport
import VitrineStoreSimulator

/// Setting of the simulated store, of its customer or of the device, which `vitrine store set` changes.
struct StoreSetting: Sendable {
    /// Function that sets the setting to a value. The product is used only by settings of a subscription.
    typealias Change =
        @Sendable (_ store: SimulatedStore, _ value: String, _ product: String) async throws(SimulatedStoreError) ->
        Report

    let name: String
    /// Allowed values; `nil` if any nonempty text is allowed.
    let values: [String]?
    /// Usage of the setting on the command line: its name, its possible values, and `PRODUCT` if it needs a product.
    let usage: String
    let concernsSubscription: Bool
    /// Description of the setting's effect. Its lines, indented in the help, fit into 80 columns.
    private let effect: String
    let change: Change

    /// Help text of the setting: its usage, followed by the indented description of its effect.
    var help: String {
        (["  \(usage)"] + effect.split(separator: "\n").map { "      \($0)" }).joined(separator: "\n")
    }

    /// Creates a setting.
    ///
    /// - Parameter values: Allowed values separated by `|`, such as `on|off`; or a placeholder in capital letters for
    ///   any text.
    private init(
        _ name: String, _ values: String, concernsSubscription: Bool = false, _ effect: String,
        change: @escaping Change
    ) {
        (self.name, self.effect, self.change) = (name, effect, change)
        self.values = values.contains(where: \.isUppercase) ? nil : values.split(separator: "|").map(String.init)
        self.concernsSubscription = concernsSubscription
        usage = "\(name) \(values)" + (concernsSubscription ? " PRODUCT" : "")
    }

    /// Returns a setting that can be on or off.
    ///
    /// - Parameters:
    ///   - key: Key of the new value in the JSON output.
    ///   - on: Text output after the setting was turned on.
    ///   - off: Text output after the setting was turned off.
    private static func onOff(
        _ name: String, _ effect: String, key: String, on: String, off: String,
        _ set: @escaping @Sendable (SimulatedStore, Bool) async throws(SimulatedStoreError) -> Void
    ) -> StoreSetting {
        StoreSetting(name, "on|off", effect) { store, value, _ throws(SimulatedStoreError) in
            try await set(store, value == "on")
            return Report(lines: [value == "on" ? on : off], json: [key: value == "on"])
        }
    }
}

extension StoreSetting: ExpressibleByArgument {
    init?(argument: String) {
        guard let setting = Self.all.first(where: { $0.name == argument }) else { return nil }
        self = setting
    }

    static var allValueStrings: [String] { all.map(\.name) }
}

extension StoreSetting {
    static let all = [
        onOff(
            "ask-to-buy",
            "New purchases are pending until 'vitrine store approve' or 'decline'.",
            key: "askToBuy", on: "new purchases need approval", off: "new purchases need no approval"
        ) { store, isOn throws(SimulatedStoreError) in try await store.setAsksToBuy(isOn) },
        onOff(
            "interrupt",
            """
            New purchases are pending until 'vitrine store resolve' resolves an
            issue of the customer.
            """,
            key: "interrupt", on: "new purchases are interrupted", off: "new purchases are not interrupted"
        ) { store, isOn throws(SimulatedStoreError) in try await store.setInterruptsPurchases(isOn) },
        onOff(
            "offline",
            """
            The store answers no requests for products, purchases, restoring,
            the app transaction or new app receipts. Data on the device stay
            available.
            """,
            key: "offline", on: "the device is offline", off: "the device is online"
        ) { store, isOn throws(SimulatedStoreError) in try await store.setOffline(isOn) },
        StoreSetting(
            "restriction", "REASON|none",
            """
            Purchases are forbidden on the device, for a reason that is the
            rest of a sentence.
            """
        ) { store, value, _ throws(SimulatedStoreError) in
            let reason = value == "none" ? nil : value
            try await store.setPaymentRestriction(reason)
            return Report(
                lines: [reason.map { "purchases are forbidden: \($0)" } ?? "purchases are allowed"],
                json: ["restriction": reason])
        },
        StoreSetting(
            "storefront", "COUNTRY",
            """
            The country of the customer, as an ISO 3166-1 alpha-3 code. Prices
            keep their amounts, in its currency. The exit status is 1 for an
            unknown country.
            """
        ) { store, country, _ throws(SimulatedStoreError) in
            try await store.setStorefront(country)
            return Report(lines: ["storefront set to \(country)"], json: ["storefront": country])
        },
        onOff(
            "grace",
            """
            After a failed renewal, the customer is entitled to the product
            while the store tries to charge for it.
            """,
            key: "gracePeriod", on: "subscriptions have a grace period", off: "subscriptions have no grace period"
        ) { store, isOn throws(SimulatedStoreError) in try await store.setGracePeriod(isOn) },
        StoreSetting(
            "renewal", "on|off", concernsSubscription: true,
            """
            The subscription renews. With off, it ends with its present period,
            and at once while the store retries a charge.
            """
        ) { store, value, product throws(SimulatedStoreError) in
            try await store.setRenewal(value == "on", of: product)
            return Report(
                lines: ["the subscription to \(product) \(value == "on" ? "renews" : "does not renew")"],
                json: ["product": product, "renewal": value == "on"])
        },
        StoreSetting(
            "billing", "fail|recover", concernsSubscription: true,
            """
            With fail, the customer cannot be charged for the next renewal: the
            grace period, if there is one, and the billing retry period follow.
            With recover, a renewal that has failed is made now.
            """
        ) { store, value, product throws(SimulatedStoreError) in
            try await value == "fail" ? fail(product, of: store) : recover(product, of: store)
        },
    ]

    private static func fail(
        _ product: String, of store: SimulatedStore
    ) async throws(SimulatedStoreError) -> Report {
        try await store.failBilling(product)
        return Report(
            lines: ["the customer cannot be charged for renewals of \(product)"],
            json: ["product": product, "failing": true])
    }

    private static func recover(
        _ product: String, of store: SimulatedStore
    ) async throws(SimulatedStoreError) -> Report {
        let renewed = try await store.recoverBilling(product)
        return Report(
            lines: [
                renewed.map { "renewed \($0.description())" }
                    ?? "the customer can be charged for renewals of \(product)"
            ],
            json: [
                "product": product, "failing": false, "transaction": renewed?.id, "expires": renewed?.expirationDate,
            ])
    }
}
