import ArgumentParser
import VitrineCommandSupport
import VitrineStoreSimulator
import VitrineSupport

struct StoreCustomersCommand: StoreReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "customers",
        abstract: "List the customers of the store, with their devices and families.",
        discussion: """
            Each home is one device of one customer. 'vitrine init --join' adds customers and devices to a store, and \
            'vitrine store account' signs in another customer on the device of a home.

            EXAMPLE:
              vitrine store customers
            """
    )

    @OptionGroup var options: StoreOptions

    func report(on store: SimulatedStore) async throws(SimulatedStoreError) -> Report {
        let customers = try await store.customers()
        var table = Table(headings: ["CUSTOMER", "FAMILY", "DEVICES"])
        table.rows = customers.map { [$0.name, $0.family ?? "-", $0.devices.joined(separator: ", ")] }
        return Report(
            lines: table.lines + ["this home is the device \(store.deviceName) of the customer \(store.customer)"],
            json: [
                "customers": customers.map { customer -> JSONObject in
                    [
                        "name": customer.name, "appTransactionID": customer.appTransactionID, "family": customer.family,
                        "devices": customer.devices,
                    ]
                },
                "customer": store.customer, "device": store.deviceName,
            ])
    }
}

struct StoreFamilyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "family",
        abstract: "Let the customer join a family of the store's customers, or leave it.",
        discussion: """
            The members of a family share purchases of products that the StoreKit configuration marks as shareable.

            EXAMPLE:
              vitrine store family join Miller
              vitrine store family leave
            """,
        subcommands: [StoreFamilyJoinCommand.self, StoreFamilyLeaveCommand.self]
    )
}

struct StoreFamilyJoinCommand: StoreReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "join",
        abstract: "Let the customer join a family, which is founded if it has no members.",
        discussion: """
            A family has at most six members. The exit status is 1 if it is full, or the customer is in another family.

            EXAMPLE:
              vitrine store family join Miller
            """
    )

    @Argument(help: ArgumentHelp("The name of the family.", valueName: "name"))
    var family: String

    @OptionGroup var options: StoreOptions

    func validate() throws {
        guard !family.isEmpty else { throw ValidationError("The name of the family must not be empty.") }
    }

    func report(on store: SimulatedStore) async throws(SimulatedStoreError) -> Report {
        try await store.joinFamily(family)
        return Report(
            lines: ["the customer \(store.customer) is in the family \(family)"],
            json: ["customer": store.customer, "family": family])
    }
}

struct StoreFamilyLeaveCommand: StoreReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "leave",
        abstract: "Let the customer leave their family.",
        discussion: """
            Purchases that the customer and the family shared with each other are revoked. The exit status is 1 if the \
            customer is in no family.

            EXAMPLE:
              vitrine store family leave
            """
    )

    @OptionGroup var options: StoreOptions

    func report(on store: SimulatedStore) async throws(SimulatedStoreError) -> Report {
        let family = try await store.customers().first { $0.name == store.customer }?.family
        guard let family else {
            throw SimulatedStoreError(code: .invalidFamily, reason: "the customer \(store.customer) is in no family")
        }
        try await store.leaveFamily()
        return Report(
            lines: ["the customer \(store.customer) has left the family \(family)"],
            json: ["customer": store.customer, "family": family])
    }
}

struct StoreResolveCommand: StoreReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "resolve",
        abstract: "Resolve the issue of an interrupted purchase, as its customer.",
        discussion: """
            The purchase becomes a transaction with the same identifier, which the next command in the home delivers. \
            The exit status is 1 if there is no interrupted purchase with this identifier.

            EXAMPLE:
              vitrine store resolve 88452000001
            """
    )

    @Argument(
        help: ArgumentHelp(
            "The purchase's identifier, as listed by 'vitrine store transactions'.", valueName: "transaction"))
    var transaction: String

    @OptionGroup var options: StoreOptions

    func report(on store: SimulatedStore) async throws(SimulatedStoreError) -> Report {
        let resolved = try await store.resolve(transaction)
        return resolved.report("issue resolved:", date: resolved.purchaseDate)
    }
}
