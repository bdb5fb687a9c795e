import ArgumentParser
import Entitlements
import ProductCatalog
import Vitrine

struct WalletCommand: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "wallet",
        abstract: "Show the balance of each wallet, or of one.",
        discussion: """
            The exit status is 1 for a wallet that neither the catalog nor the ledger contains. After a ledger was \
            lost, balances are unknown and the exit status is 2, until vitrine settle confirms the balances.

            EXAMPLE:
              vitrine wallet coins
            """
    )

    @Argument(help: ArgumentHelp("The wallet's key.", valueName: "key"))
    var key: String?

    @OptionGroup var home: HomeOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var verbose: VerboseOptions

    func report() async throws -> Report {
        try await OpenHome.open(home, verbose: verbose).use { manager, _ in
            let known = Set(manager.catalog.current?.products.compactMap(\.storageKey) ?? [])
                .union(manager.wallets.balances.keys)
            guard let key else { return balances(of: known.sorted(), manager) }
            guard known.contains(key) else {
                throw ToolFailure(
                    status: manager.catalog.current == nil ? .unknown : .no,
                    reason: "neither the catalog nor the ledger contains a wallet \"\(key)\"")
            }
            return balances(of: [key], manager)
        }
    }

    private func balances(of wallets: [String], _ manager: CatalogManager) -> Report {
        var table = Table(headings: ["WALLET", "BALANCE"])
        table.rows = wallets.map { [$0, manager.wallets.balance(for: $0).words] }
        return Report(
            lines: table.lines,
            json: Document(
                wallets: wallets.map { Document.Wallet(wallet: $0, manager.wallets.balance(for: $0)) }),
            status: wallets.contains { manager.wallets.balance(for: $0).isUnknown } ? .unknown : .yes
        )
    }

    private struct Document: Encodable {
        struct Wallet: Encodable {
            let wallet: String
            var balance: Int?
            var atLeast: Int?

            init(wallet: String, _ balance: WalletBalance) {
                self.wallet = wallet
                switch balance {
                case .known(let units): self.balance = units
                case .unknown(let units): atLeast = units
                }
            }
        }

        let wallets: [Wallet]
    }
}

extension WalletBalance {
    fileprivate var isUnknown: Bool { if case .unknown = self { true } else { false } }
}

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
            let balance = try await manager.wallets.spend(amount, from: key, token: token)
            return Report(
                lines: ["spent \(amount) of \(key); \(balance.words) left"],
                json: Document(wallet: key, spent: amount, token: token, balance: balance.units),
                status: .yes
            )
        }
    }

    private struct Document: Encodable {
        let wallet: String
        let spent: Int
        let token: String
        let balance: Int
    }
}
