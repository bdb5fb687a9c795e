import ArgumentParser
import ProductCatalog
import Vitrine

struct WalletCommand: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "wallet",
        abstract: "Tell the balance of each wallet, or of one.",
        discussion: """
            A wallet that neither the catalog nor the ledger knows has exit status 1.

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
            let known = Set(manager.catalog?.products.compactMap(\.storageKey) ?? [])
                .union(manager.walletBalances.keys)
            guard let key else { return balances(of: known.sorted(), manager) }
            guard known.contains(key) else {
                throw ToolFailure(
                    status: manager.catalog == nil ? .unknown : .no,
                    reason: "nothing in the catalog or the ledger names a wallet \"\(key)\"")
            }
            return balances(of: [key], manager)
        }
    }

    private func balances(of wallets: [String], _ manager: CatalogManager) -> Report {
        var table = Table(headings: ["WALLET", "BALANCE"])
        table.rows = wallets.map { [$0, String(manager.walletBalance(for: $0))] }
        return Report(
            lines: table.lines,
            json: Document(
                wallets: wallets.map { Document.Wallet(wallet: $0, balance: manager.walletBalance(for: $0)) }),
            status: .yes
        )
    }

    private struct Document: Encodable {
        struct Wallet: Encodable {
            let wallet: String
            let balance: Int
        }

        let wallets: [Wallet]
    }
}
