import ArgumentParser
import VitrineCatalogCommands
import VitrineCommandSupport
import VitrineFileSystem

/// Command-line tool `vitrine`, for checking catalogs and selling their products in a simulated App Store.
@main
struct VitrineTool: Program {
    static let configuration = CommandConfiguration(
        commandName: "vitrine",
        abstract: "Check product catalogs and sell their products in a simulated App Store.",
        discussion: """
            A home is a folder that stores one customer's purchases, as an app would store them. Set one up first:

              vitrine init --catalog Catalogs/Voyager.plist \\
                --store Catalogs/Voyager.storekit --content HostedContent
              vitrine load
              vitrine buy com.example.voyager.lisbon

            EXIT STATUS:
              0   success, or the answer is yes
              1   the answer is no: refused, not owned, diagnostics found, not in the
                  catalog, not loaded
              2   the answer is not known yet
              64  wrong usage of the command
              65  unusable data
              66  input not found
              69  the system lacks what the command needs, such as /proc
              74  a read or write error

            ENVIRONMENT:
              VITRINE_HOME  the home, unless --home names one
              NO_COLOR      no colors on a terminal, if it is not empty
              TERM          if it is dumb, no colors, and nothing is redrawn
              PATH          the folders in which vitrine-server is looked for, if it is
                            not beside vitrine

            FILES:
              .vitrine               the home, if none is named
              .vitrine/vitrine.json  what 'vitrine init' has set up
              .vitrine/Store         the simulated store
            """,
        version: toolVersion,
        subcommands: [
            NewCommand.self, LintCommand.self, ShowCommand.self, DiffCommand.self, ConvertCommand.self,
            SchemaCommand.self, PreviewCommand.self, InitCommand.self,
            LoadCommand.self, ListingCommand.self, BuyCommand.self,
            RestoreCommand.self, UnlockCommand.self, LockCommand.self, OwnedCommand.self, WhyCommand.self,
            SubscriptionsCommand.self,
            WalletCommand.self, SpendCommand.self, PendingCommand.self, RetryCommand.self, DiscardCommand.self,
            HistoryCommand.self, CheckCommand.self, SettleCommand.self, ExportCommand.self, ImportCommand.self,
            SyncCommand.self, DevicesCommand.self, SignedCommand.self,
            ContentCommand.self, StoreCommand.self, ReceiptCommand.self, JWSCommand.self, CatalogCommand.self,
            DoctorCommand.self,
        ]
    )

    static func main() async {
        #if os(Linux)
            ProcessMemory.share()
        #endif
        if CommandLine.arguments.dropFirst() == ["--version"] {
            // Without this shortcut, parsing would take about half of the command's time.
            write(toolVersion)
        } else {
            await start()
        }
    }
}
