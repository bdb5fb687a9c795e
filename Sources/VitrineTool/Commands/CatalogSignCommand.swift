import ArgumentParser
internal import CatalogLoading
import Foundation
import ProductCatalog
import PropertyList

struct CatalogSignCommand: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign",
        abstract: "Sign a catalog.",
        discussion: """
            Writes the signature to FILE.minisig. The version and the expiration date are those in the catalog; for a \
            catalog without them, such as a plain array or JSON, use the options. Each catalog needs a higher version \
            than the one before, by at most a million. A catalog with errors or without products is not signed, \
            because apps refuse it: the exit status is 1.

            EXAMPLES:
              vitrine catalog sign catalog.plist --key online.key --app com.example.voyager
              vitrine catalog sign array.plist --key online.key --app com.example.voyager --version 12 --expires 7
            """
    )

    @Argument(help: ArgumentHelp("The catalog.", valueName: "file"))
    var file: String

    @Option(help: ArgumentHelp("The private key.", valueName: "file"))
    var key: String

    @OptionGroup var scope: ScopeOptions

    @Option(help: ArgumentHelp("The catalog's version. (default: its catalogVersion)", valueName: "number"))
    var version: Int?

    @Option(
        help: ArgumentHelp(
            "The day or time the catalog expires, or the number of days until then. (default: its expires, else 7 "
                + "days)", valueName: "date"))
    var expires: Expiry?

    @OptionGroup var output: OutputOptions

    private static let usualDays = 7

    func report() throws -> Report {
        let data = try InputFile.read(file, limit: PropertyListLimits().size)
        let catalog: Catalog
        do {
            catalog = try PublishedCatalog.read(data, path: file)
        } catch {
            for line in error.diagnostics.flatMap({ $0.lines(path: file) }) { Console.pass(line) }
            throw error.isOfContent
                ? ToolFailure(
                    status: .no,
                    reason: "\(file) has \(error.code == .empty ? "no product" : "errors"), and apps would refuse it")
                : ToolFailure(status: .unusableData, reason: "\(error)")
        }
        guard let version = version ?? catalog.version else {
            throw ToolFailure(status: .usage, reason: "\(file) has no catalogVersion; set one with --version")
        }
        let key = try PrivateKeyFile.read(key)
        let issued = Date.thisSecond
        let statement = CatalogStatement(
            app: scope.app, channel: scope.channel, version: version, issued: issued,
            expires: expires?.date(after: issued) ?? catalog.expires ?? Expiry.days(Self.usualDays).date(after: issued),
            keyIdentifier: key.publicKey.identifierText)
        if let disagreement = statement.disagreement(with: catalog) {
            throw ToolFailure(status: .usage, reason: disagreement.reason)
        }
        return try SignedFile(data, path: file, statement: statement, kind: .catalog, key: key).write(withFile: false)
    }
}
