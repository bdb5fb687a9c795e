import ArgumentParser

/// The command-line tool, called `vitrine`.
@main
struct VitrineTool: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "vitrine",
        abstract: "Checks product catalogs, and sells from them in a simulated App Store.",
        discussion: """
            A home is a folder in which one customer's purchases are kept, as an app would keep them. \
            Set one up first:

              vitrine init --catalog Catalogs/Voyager.plist --store Catalogs/Voyager.storekit --content HostedContent
              vitrine load
              vitrine buy com.example.voyager.lisbon

            EXIT STATUS:
              0   yes
              1   the answer is no: refused, not owned, a finding, not in the catalog, not loaded
              2   it cannot be known yet
              64  the command is used wrongly
              65  the data cannot be used
              66  there is no such input
              74  reading or writing failed
            """,
        version: "0.1.0",
        subcommands: [
            LintCommand.self, ShowCommand.self, DiffCommand.self, ConvertCommand.self, InitCommand.self,
            LoadCommand.self, ListingCommand.self, BuyCommand.self,
            RestoreCommand.self, UnlockCommand.self, LockCommand.self, OwnedCommand.self, WhyCommand.self,
            WalletCommand.self, SpendCommand.self, PendingCommand.self, RetryCommand.self, DiscardCommand.self,
            HistoryCommand.self, CheckCommand.self, SettleCommand.self, ExportCommand.self, ImportCommand.self,
            ContentCommand.self, StoreCommand.self, ReceiptCommand.self, JWSCommand.self, CatalogCommand.self,
        ]
    )
}
