import ArgumentParser
import Entitlements
import Vitrine

struct SpendCommand: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "spend",
        abstract: "Take units from a wallet.",
        discussion: """
            The token is your own name for this spending: the same token takes units only once, however often the \
            command runs. The exit status is 1 if the wallet holds too few units, or the token was used for another \
            spending.

            EXAMPLE:
              vitrine spend coins 30 --token map-of-lisbon
            """
    )

    @Argument(help: ArgumentHelp("The wallet's key.", valueName: "key"))
    var key: String

    @Argument(help: ArgumentHelp("Units to take, above zero.", valueName: "amount"))
    var amount: Int

    @Option(help: ArgumentHelp("Your name for this spending.", valueName: "text"))
    var token: String

    @OptionGroup var home: HomeOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var verbose: VerboseOptions

    func validate() throws {
        guard amount > 0 else { throw ValidationError("The amount must be above zero.") }
        guard !token.isEmpty else { throw ValidationError("The token must not be empty.") }
    }

    func report() async throws -> Report {
        try await OpenHome.open(home, verbose: verbose).use { manager, _ in
            do {
                let balance = try await manager.wallets.spend(amount, from: key, token: token)
                return Report(
                    lines: ["spent \(amount) of \(key); \(balance.words) left"],
                    json: Document(wallet: key, spent: amount, token: token, balance: balance.units),
                    status: .yes
                )
            } catch let error as LedgerError {
                throw ToolFailure(error)
            }
        }
    }

    private struct Document: Encodable {
        let wallet: String
        let spent: Int
        let token: String
        let balance: Int
    }
}
