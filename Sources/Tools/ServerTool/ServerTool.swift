import ArgumentParser
import VitrineCommandSupport

/// Command-line tool `vitrine-server`, with all commands that listen on a port.
@main
struct ServerTool: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "vitrine-server",
        abstract: "Serve apps, a simulated App Store to the server of an app, or a shop to a browser.",
        discussion: """
            EXAMPLE:
              vitrine-server serve
              vitrine-server store .vitrine/Store --port 8080
              vitrine-server preview Catalogs/Voyager.plist
            """,
        version: toolVersion,
        subcommands: [AppServeCommand.self, StoreServeCommand.self, PreviewCommand.self]
    )

    static func main() async {
        Console.requireArguments()
        await main(nil)
    }
}
