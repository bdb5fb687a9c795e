import ArgumentParser
import Purchasing
import Vitrine

struct DiscardCommand: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "discard",
        abstract: "Finish a rejected transaction without delivering it.",
        discussion: """
            Only a rejected transaction can be discarded: every other one is paid for. The exit status is 1 if the \
            store has no such transaction, or it was not rejected.

            EXAMPLE:
              vitrine discard 88452000001
            """
    )

    @Argument(help: ArgumentHelp("The transaction's identifier.", valueName: "transaction"))
    var transaction: String

    @OptionGroup var home: HomeOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var verbose: VerboseOptions

    func report() async throws -> Report {
        try await OpenHome.open(home, verbose: verbose).use { manager, _ in
            do {
                try await manager.purchases.discard(transaction)
                return Report(
                    lines: ["discarded transaction \(transaction)"], json: Document(discarded: transaction),
                    status: .yes)
            } catch let error as DiscardError {
                throw ToolFailure(status: error.code == .store ? .unknown : .no, reason: error.reason)
            }
        }
    }

    private struct Document: Encodable {
        let discarded: String
    }
}
