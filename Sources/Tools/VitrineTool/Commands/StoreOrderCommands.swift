import ArgumentParser
import VitrineCommandSupport
import VitrineStoreSimulator

struct StoreApproveCommand: StoreReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "approve",
        abstract: "Approve a pending purchase.",
        discussion: """
            The purchase becomes a transaction with the same identifier and the store's present date. The next command \
            in the home delivers it, as an app does at launch. The exit status is 1 if no such purchase waits for \
            approval, or more than one purchase of the product does.

            EXAMPLE:
              vitrine store approve com.example.voyager.lisbon
            """
    )

    @Argument(help: .pendingPurchase, completion: .product) var identifier: String

    @OptionGroup var options: StoreOptions

    func report(on store: SimulatedStore) async throws(SimulatedStoreError) -> Report {
        let approved = try await store.approve(store.pendingPurchase(identifier))
        return approved.report("approved", date: approved.purchaseDate)
    }
}

struct StoreDeclineCommand: StoreReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "decline",
        abstract: "Decline a pending purchase.",
        discussion: """
            The purchase is deleted, and the app is not notified. The exit status is 1 if no such purchase waits for \
            approval, or more than one purchase of the product does.

            EXAMPLE:
              vitrine store decline com.example.voyager.lisbon
            """
    )

    @Argument(help: .pendingPurchase, completion: .product) var identifier: String

    @OptionGroup var options: StoreOptions

    func report(on store: SimulatedStore) async throws(SimulatedStoreError) -> Report {
        try await store.decline(store.pendingPurchase(identifier)).report("declined")
    }
}

struct StoreRefundCommand: StoreReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "refund",
        abstract: "Refund a transaction.",
        discussion: """
            The next command in the home receives the refund, as an app does at launch. A refund that was made earlier \
            is sent again, which changes nothing. The exit status is 1 if no transaction has this identifier, or the \
            transaction cannot be refunded in part.

            EXAMPLE:
              vitrine store refund 88452000001
              vitrine store refund 88452000001 --percent 40
            """
    )

    @Argument(help: .transaction) var transaction: String

    @Option(
        help: ArgumentHelp(
            "The part of the price to refund, in percent, from 1 to 100. (default: 100)", valueName: "percent"))
    var percent: Int?

    @Flag(help: "Refund the price of the part of the subscription's period that is left.")
    var prorated = false

    @OptionGroup var options: StoreOptions

    func validate() throws {
        guard percent == nil || !prorated else {
            throw ValidationError("Use either --percent or --prorated, not both.")
        }
        guard percent.map({ (1...100).contains($0) }) ?? true else {
            throw ValidationError("--percent must be from 1 to 100, not \(percent ?? 0).")
        }
    }

    func report(on store: SimulatedStore) async throws(SimulatedStoreError) -> Report {
        let wasRefunded = try await store.transactions().contains {
            $0.id == transaction && $0.revocationDate != nil
        }
        let refunded = try await store.refund(
            transaction, prorated ? .prorated : percent.map(SimulatedStore.RefundExtent.percent) ?? .full)
        return Report(
            lines: ["refunded \(refunded.description(remark: wasRefunded ? ", already refunded: sent again" : ""))"],
            json: refunded.document(
                date: refunded.revocationDate, percent: refunded.revocationPercentage.map { Double($0) / 1_000 }))
    }
}

struct StoreReverseRefundCommand: StoreReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "reverse-refund",
        abstract: "Reverse a refund: the transaction is valid again.",
        discussion: """
            The next command in the home receives the reversal, as an app does at launch. The exit status is 1 if no \
            transaction with this identifier is refunded.

            EXAMPLE:
              vitrine store reverse-refund 88452000001
            """
    )

    @Argument(help: .transaction) var transaction: String

    @OptionGroup var options: StoreOptions

    func report(on store: SimulatedStore) async throws(SimulatedStoreError) -> Report {
        try await store.reverseRefund(transaction).report("refund reversed:")
    }
}
