import ArgumentParser
import VitrineCatalogCommands
import VitrineCommandSupport

#if !Lint
    #error("The plugins for catalogs need the trait Lint of Vitrine: .package(url: …, from: …, traits: [\"Lint\"])")
#endif

/// Command-line tool `vitrine-catalogs`, which the plugins of this package run. It has the commands of `vitrine` that
/// need only catalogs, and builds without a network stack, cryptography and a database.
@main
struct CatalogTool: Program {
    static let configuration = CommandConfiguration(
        commandName: "vitrine-catalogs",
        abstract: "Check and compare product catalogs.",
        discussion: """
            The commands are those of the same names of 'vitrine', with the same options and exit statuses.

            EXAMPLE:
              vitrine-catalogs lint Catalogs
            """,
        version: toolVersion,
        subcommands: [LintCommand.self, DiffCommand.self, SchemaCommand.self]
    )

    static func main() async { await start() }
}
