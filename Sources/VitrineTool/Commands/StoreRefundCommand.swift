import ArgumentParser
import StoreSimulator

struct StoreRefundCommand: StoreReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "refund",
        abstract: "Refund a transaction.",
        discussion: """
            The next command in the home receives the refund, as an app does at launch. A transaction that was already \
            refunded is sent again, which changes nothing. The exit status is 1 if there is no such transaction.

            EXAMPLE:
              vitrine store refund 88452000001
            """
    )

    @Argument(help: ArgumentHelp("The transaction's identifier.", valueName: "transaction"))
    var transaction: String

    @OptionGroup var home: HomeOptions
    @OptionGroup var output: OutputOptions

    func report(on store: SimulatedStore) async throws(SimulatedStoreError) -> Report {
        let wasRefunded = try await store.transactions().contains {
            $0.id == transaction && $0.revocationDate != nil
        }
        let refunded = try await store.refund(transaction)
        return Report(
            lines: ["refunded \(refunded.words(remark: wasRefunded ? ", already refunded: sent again" : ""))"],
            json: StoreTransactionDocument(
                transaction: refunded.id, product: refunded.productIdentifier, date: refunded.revocationDate),
            status: .yes
        )
    }
}

struct StoreReverseRefundCommand: StoreReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "reverse-refund",
        abstract: "Reverse a refund: the transaction is valid again.",
        discussion: """
            The next command in the home receives the reversal, as an app does at launch. The exit status is 1 if \
            there is no such refunded transaction.

            EXAMPLE:
              vitrine store reverse-refund 88452000001
            """
    )

    @Argument(help: ArgumentHelp("The transaction's identifier.", valueName: "transaction"))
    var transaction: String

    @OptionGroup var home: HomeOptions
    @OptionGroup var output: OutputOptions

    func report(on store: SimulatedStore) async throws(SimulatedStoreError) -> Report {
        let reversed = try await store.reverseRefund(transaction)
        return Report(
            lines: ["refund reversed: \(reversed.words())"],
            json: StoreTransactionDocument(transaction: reversed.id, product: reversed.productIdentifier),
            status: .yes
        )
    }
}
