import ArgumentParser
import StoreSimulator

struct StoreRefundCommand: StoreReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "refund",
        abstract: "Give the customer the money of a transaction back.",
        discussion: """
            The app hears of it with the next command that works in the home, as at a launch. A transaction that was \
            refunded before is sent again, which changes nothing. The exit status is 1 where there is no such \
            transaction.

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
            lines: ["refunded \(refunded.words(remark: wasRefunded ? ", refunded before: sent again" : ""))"],
            json: StoreTransactionDocument(
                transaction: refunded.id, product: refunded.productIdentifier, date: refunded.revocationDate),
            status: .yes
        )
    }
}

struct StoreReverseRefundCommand: StoreReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "reverse-refund",
        abstract: "Take a refund back: the transaction counts again.",
        discussion: """
            The app hears of it with the next command that works in the home, as at a launch. The exit status is 1 \
            where no such transaction has been taken back.

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
            lines: ["took the refund of \(reversed.words()) back"],
            json: StoreTransactionDocument(transaction: reversed.id, product: reversed.productIdentifier),
            status: .yes
        )
    }
}
