import ArgumentParser
import Entitlements
import Vitrine

struct CheckCommand: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Look at the ledger with mistrust.",
        discussion: """
            Looks whether the file is whole, whether what is shown is what its entries come to, and whether each \
            signature in it is good. The exit status is 1 where something is wrong.

            EXAMPLE:
              vitrine check
            """
    )

    @OptionGroup var home: HomeOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var verbose: VerboseOptions

    func report() async throws -> Report {
        try await OpenHome.open(home, verbose: verbose).use { manager, _ in
            do {
                let check = try await manager.checkLedger()
                let problems =
                    check.damage + check.differences
                    + check.untrusted.map { "entry \($0.sequence) cannot be trusted: \($0.reason)" }
                return Report(
                    lines: problems + [
                        "\(check.entries) entries checked: \(check.isGood ? "all is well" : "not well")"
                    ],
                    json: Document(entries: check.entries, problems: problems), status: check.isGood ? .yes : .no)
            } catch let error as LedgerError {
                throw ToolFailure(error)
            }
        }
    }

    private struct Document: Encodable {
        let entries: Int
        let problems: [String]
    }
}

struct SettleCommand: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "settle",
        abstract: "Say that balances are right again after a ledger was lost.",
        discussion: """
            A ledger that cannot be read any more is set aside and begun anew from what the store knows. What the store \
            does not know (coins that were credited, and what was spent) is missing then, and balances are unknown until \
            somebody has looked. The exit status is 1 where nothing was lost.

            EXAMPLE:
              vitrine settle --reason "put right with the customer" --by "customer support"
            """
    )

    @OptionGroup var author: AuthorOptions

    @OptionGroup var home: HomeOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var verbose: VerboseOptions

    func report() async throws -> Report {
        try await OpenHome.open(home, verbose: verbose).use { manager, _ in
            do {
                let isSettled = try await manager.settleLoss(because: author.reason ?? "settled by hand", by: author.by)
                return Report(
                    lines: [isSettled ? "balances are known again" : "nothing was lost"],
                    json: Document(settled: isSettled), status: isSettled ? .yes : .no)
            } catch let error as LedgerError {
                throw ToolFailure(error)
            }
        }
    }

    private struct Document: Encodable {
        let settled: Bool
    }
}
