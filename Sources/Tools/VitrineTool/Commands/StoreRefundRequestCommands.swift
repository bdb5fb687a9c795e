import ArgumentParser
import VitrineCommandSupport
import VitrineEntitlements
import VitrineReceipts
import VitrineStoreSimulator
import VitrineSupport

struct StoreRequestRefundCommand: StoreReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "request-refund",
        abstract: "Request the refund of a transaction, as its customer does, or list the requests.",
        discussion: """
            The store asks the app's server what the customer has consumed, and turns the renewal of a subscription off. \
            'vitrine store refund' grants the refund, 'vitrine store decline-refund' declines it. The list shows whether \
            the server has answered, and contains the answer with --json. The exit status is 1 if the customer has not \
            bought the transaction, or it is refunded already.

            EXAMPLE:
              vitrine store request-refund 88452000001 --reason unintended-purchase
              vitrine store request-refund
            """
    )

    enum Reason: String, ExpressibleByArgument, CaseIterable {
        case unintendedPurchase = "unintended-purchase"
        case fulfillmentIssue = "fulfillment-issue"
        case unsatisfied, legal, other

        fileprivate var requestReason: ConsumptionRequestReason {
            switch self {
            case .unintendedPurchase: .unintendedPurchase
            case .fulfillmentIssue: .fulfillmentIssue
            case .unsatisfied: .unsatisfied
            case .legal: .legal
            case .other: .other
            }
        }
    }

    @Argument(
        help: ArgumentHelp(
            "The transaction's identifier. (default: list the requests that are not decided yet)",
            valueName: "transaction"))
    var transaction: String?

    @Option(help: ArgumentHelp("The customer's reason. (default: other)", valueName: "reason"))
    var reason: Reason?

    @OptionGroup var options: StoreOptions

    func validate() throws {
        guard reason == nil || transaction != nil else {
            throw ValidationError("--reason can be used only with the identifier of a transaction.")
        }
    }

    func report(on store: SimulatedStore) async throws(SimulatedStoreError) -> Report {
        if let transaction {
            try await store.requestRefund(transaction, because: (reason ?? .other).requestReason)
        }
        let requests = try await store.refundRequests()
        var table = Table(headings: ["TRANSACTION", "PRODUCT", "DATE", "REASON", "CONSUMPTION"])
        table.rows = requests.map(\.columns)
        let lines =
            if let transaction {
                ["requested the refund of transaction \(transaction)"]
            } else {
                requests.isEmpty ? ["no refund is requested"] : table.lines
            }
        return Report(lines: lines, json: ["requests": requests.map(\.document)])
    }
}

extension SimulatedRefundRequest {
    fileprivate var columns: [String] {
        [
            transaction, productIdentifier, date.second, reasonName,
            consumption == nil ? "not reported" : "reported",
        ]
    }

    fileprivate var document: JSONObject {
        [
            "transaction": transaction, "product": productIdentifier, "date": date, "reason": reasonName,
            "consumption": consumption,
        ]
    }

    /// Name of the reason as an argument of the command.
    private var reasonName: String {
        StoreRequestRefundCommand.Reason.allCases.first { $0.requestReason == reason }?.rawValue ?? reason.rawValue
    }
}

struct StoreDeclineRefundCommand: StoreReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "decline-refund",
        abstract: "Decline the refund of a transaction that was requested.",
        discussion: """
            The exit status is 1 if no refund of the transaction was requested.

            EXAMPLE:
              vitrine store decline-refund 88452000001
            """
    )

    @Argument(help: .transaction) var transaction: String

    @OptionGroup var options: StoreOptions

    func report(on store: SimulatedStore) async throws(SimulatedStoreError) -> Report {
        try await store.declineRefund(transaction)
        return Report(lines: ["declined the refund of transaction \(transaction)"], json: ["transaction": transaction])
    }
}
