import ArgumentParser
import VitrineCommandSupport

/// Command-line tool `vitrine-server`, with all commands that listen on a port.
@main
struct ServerTool: Program {
    static let configuration = CommandConfiguration(
        commandName: "vitrine-server",
        abstract: "Serve apps, a simulated App Store to the server of an app, or a shop to a browser.",
        discussion: """
            EXAMPLE:
              vitrine-server serve
              vitrine-server store .vitrine/Store --port 8090
              vitrine-server preview Catalogs/Voyager.plist

            EXIT STATUS:
              0   the server was shut down, or the answer is yes
              1   a recording already exists, or is refused
              64  wrong usage of the command
              65  unusable data, such as errors in the configuration
              66  input not found
              74  a read or write error, such as a port that is in use

            ENVIRONMENT:
              VITRINE_HOME             the home, for 'serve' without a configuration
              VITRINE_DATA             the folder of customers, also if one is configured
              VITRINE_POSTGRESQL       the connection string of PostgreSQL, likewise
              VITRINE_OPERATOR_TOKENS  NAME:ROLE:DIGEST of operators, by commas, likewise

            FILES:
              .vitrine/Store   the simulated store of 'serve' without a configuration
              .vitrine/Server  the customers of that store's app
            """,
        version: toolVersion,
        subcommands: [AppServeCommand.self, StoreServeCommand.self, PreviewCommand.self]
    )

    static func main() async { await start() }
}
