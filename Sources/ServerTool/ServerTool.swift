import ArgumentParser
import CatalogCommands

/// Command-line tool `vitrine-server`: whatever of Vitrine listens on a port.
@main
struct ServerTool: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "vitrine-server",
        abstract: "Serve a simulated App Store to the server of an app.",
        discussion: """
            EXAMPLE:
              vitrine-server store .vitrine/Store --port 8080
            """,
        version: toolVersion,
        subcommands: [StoreServeCommand.self]
    )

    static func main() async {
        Console.requireArguments()
        await main(nil)
    }
}
