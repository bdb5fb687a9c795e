import ArgumentParser
import Vitrine
import VitrineCatalog
import VitrineCommandSupport
import VitrineEntitlements
import VitrinePurchasing
import VitrineSupport

struct WalletCommand: HomeCommand {
    static let configuration = CommandConfiguration(
        commandName: "wallet",
        abstract: "Show the balance of each wallet, or of one.",
        discussion: """
            The exit status is 1 for a wallet that neither the catalog nor the ledger contains, and 2 if no catalog is \
            loaded and the ledger does not contain the wallet. After a ledger was lost, balances are unknown and the \
            exit status is 2, until 'vitrine settle' confirms the balances.

            EXAMPLE:
              vitrine wallet coins
            """
    )

    @Argument(help: .wallet, completion: .wallet) var key: String?

    @OptionGroup var session: SessionOptions

    func report(_ manager: CatalogManager) async throws -> Report {
        let known = manager.knownWallets
        guard let key else {
            guard !known.isEmpty || manager.catalog.current != nil else {
                throw ToolFailure(
                    status: .unknown, reason: "no catalog is loaded, and the ledger contains no wallet")
            }
            return balances(of: known, manager)
        }
        try manager.requireWallet(key)
        return balances(of: [key], manager)
    }

    private func balances(of wallets: [String], _ manager: CatalogManager) -> Report {
        var table = Table(headings: ["WALLET", "BALANCE"])
        table.rows = wallets.map { [$0, manager.wallets.balance(for: $0).description] }
        return Report(
            lines: table.lines,
            json: [
                "wallets": wallets.map { wallet -> JSONObject in
                    let balance = manager.wallets.balance(for: wallet)
                    return ["wallet": wallet, (balance.isUnknown ? "atLeast" : "balance"): balance.units]
                }
            ], status: wallets.contains { manager.wallets.balance(for: $0).isUnknown } ? .unknown : .yes)
    }
}

extension CatalogManager {
    /// Names of the wallets of the catalog and of the ledger, in alphabetical order.
    fileprivate nonisolated var knownWallets: [String] {
        Set(catalog.current?.products.compactMap(\.wallet) ?? []).union(wallets.balances.keys).sorted()
    }

    /// - Throws: ``ToolFailure`` 1 if neither the catalog nor the ledger contains the wallet, 2 if no catalog is loaded.
    fileprivate nonisolated func requireWallet(_ key: String) throws(ToolFailure) {
        let known = knownWallets
        guard !known.contains(key) else { return }
        throw ToolFailure(
            status: catalog.current == nil ? .unknown : .no,
            reason: "neither the catalog nor the ledger contains a wallet \"\(key)\""
                + EditDistance.question(for: key, among: known))
    }
}

extension WalletBalance {
    fileprivate var isUnknown: Bool { if case .unknown = self { true } else { false } }
}

struct SpendCommand: HomeCommand {
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

    @Argument(help: .wallet, completion: .wallet) var key: String

    @Argument(help: ArgumentHelp("Units to take, above zero.", valueName: "amount"))
    var amount: Int

    @Option(help: ArgumentHelp("Your own name for this spending, used only once.", valueName: "text"))
    var token: String

    @Flag(help: "Take only units that this device has leased with 'vitrine devices lease'.")
    var leased = false

    @OptionGroup var session: SessionOptions

    func validate() throws {
        guard amount > 0 else { throw ValidationError("The amount must be above zero.") }
        guard !token.isEmpty else { throw ValidationError("The token must not be empty.") }
    }

    func report(_ manager: CatalogManager) async throws -> Report {
        try manager.requireWallet(key)
        let balance =
            leased
            ? try await manager.devices.spendLeased(amount, from: key, token: token)
            : try await manager.wallets.spend(amount, from: key, token: token)
        return Report(
            lines: ["spent \(amount) of \(key); \(balance.description) left"],
            json: ["wallet": key, "spent": amount, "token": token, "balance": balance.units])
    }
}
