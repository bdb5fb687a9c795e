import ArgumentParser
import Foundation
import VitrineCatalog
internal import VitrineCatalogLoading
import VitrineCommandSupport
import VitrineEntitlements
import VitrinePropertyList
import VitrineSupport

struct CatalogSignCommand: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign",
        abstract: "Sign a catalog.",
        discussion: """
            Writes the signature to FILE.minisig. The version and the expiration date are those in the catalog; for a \
            catalog without them, such as a plain array or JSON, use --version and --expires. Each changed catalog needs \
            a higher version than the one before, by at most a million; the version before is that of an existing \
            FILE.minisig. If apps would refuse the new version after it, the catalog is not signed, and the exit status \
            is 64. A catalog with errors or without products is not signed, because apps refuse it: the exit status is 1.

            EXAMPLES:
              vitrine catalog sign catalog.plist --key online.key \\
                --app com.example.voyager
              vitrine catalog sign array.plist --key online.key \\
                --app com.example.voyager --version 12 --expires 7
            """
    )

    @Argument(help: ArgumentHelp("The catalog to sign.", valueName: "file"), completion: .catalog)
    var file: String

    @Option(help: ArgumentHelp("The private key that signs the catalog.", valueName: "file"), completion: .file())
    var key: String

    @OptionGroup var scope: ScopeOptions

    @Option(
        help: ArgumentHelp("The catalog's version. (default: catalogVersion in the catalog)", valueName: "number")
    )
    var version: Int?

    @Option(
        help: ArgumentHelp(
            "The day or time at which the catalog expires, or the number of days until then. (default: the date "
                + "expires in the catalog, else 7 days)", valueName: "date"))
    var expires: Expiry?

    @OptionGroup var output: OutputOptions

    private static let usualDays = 7

    func validate() throws {
        guard file != "-" else {
            throw ValidationError("The signature is written beside the catalog, so that - cannot stand for its file.")
        }
    }

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
        let present = try PresentSignature(of: file)
        try present?.check(next: statement)
        var report = try SignedFile(data, path: file, statement: statement, kind: .catalog, key: key).write(
            withFile: false)
        if present?.isOfChangedFile(data, next: statement, key: key) == true {
            report.remarks.append(
                "warning: \(file) has changed since it was signed as version \(version); each change needs a higher "
                    + "version")
        }
        return report
    }
}

struct CatalogVerifyCommand: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Verify a signed catalog.",
        discussion: """
            With --root, verifies FILE and FILE.minisig, with keys.plist and keys.plist.minisig beside them, like an \
            app that sees the catalog for the first time and requires a valid signature. With --key, verifies only \
            that FILE was signed with this key, whatever the trusted comment of the signature contains. The exit \
            status is 0 if the signature is valid, 1 if it is not, and 65 if a file is not a signature.

            EXAMPLES:
              vitrine catalog verify catalog.plist --root root.pub \\
                --app com.example.voyager
              vitrine catalog verify catalog.plist --key minisign.pub
            """
    )

    @Argument(help: ArgumentHelp("The catalog to verify.", valueName: "file"), completion: .catalog)
    var file: String

    @Option(
        name: .customLong("root"),
        help: ArgumentHelp(
            "A public key that the app trusts to sign keys.plist: its file, or the line RW… of that file.",
            valueName: "key"), completion: .file())
    var roots: [String] = []

    @Option(
        help: ArgumentHelp("The public key that must have signed FILE itself.", valueName: "key"), completion: .file())
    var key: String?

    @Option(help: ArgumentHelp("The app that the catalog must be signed for. (default: any)", valueName: "id"))
    var app: String?

    @Option(help: ArgumentHelp("The channel that the catalog must be signed for. (default: any)", valueName: "name"))
    var channel: String?

    @Option(
        help: ArgumentHelp(
            "The day or time at which the catalog and its keys must be valid. (default: now)", valueName: "date"))
    var at: String?

    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard roots.isEmpty != (key == nil) else {
            throw ValidationError("Use either --root or --key to name the trusted key.")
        }
        guard key == nil || app == nil && channel == nil && at == nil else {
            throw ValidationError("--app, --channel and --at can be used only with --root.")
        }
        if let at, Date(dayOrTime: at) == nil {
            throw ValidationError("\(at) is not a day or time since 1970, such as 2024-02-23 or 2024-02-23T17:27:16Z.")
        }
    }

    private func signature() throws(ToolFailure) -> Data {
        do {
            return try InputFile.read("\(file).minisig", limit: SignedCatalogFiles.smallFileLimit)
        } catch {
            guard error.status == .noInput else { throw error }
            throw ToolFailure(status: .noInput, reason: "\(error.reason); 'vitrine catalog sign' makes it")
        }
    }

    func report() async throws -> Report {
        let catalog = try InputFile.read(file, limit: PropertyListLimits().size)
        let signature = try signature()
        if let key {
            return SignatureVerdict(of: catalog, signature: signature, by: try PublicKeyFile.read(key)).report
        }
        let keys = URL(filePath: file, directoryHint: .notDirectory).deletingLastPathComponent()
            .appending(path: "keys.plist", directoryHint: .notDirectory).relativePath
        let files = SignedCatalogFiles(
            catalog: catalog, signature: signature,
            keys: try InputFile.read(keys, limit: SignedCatalogFiles.smallFileLimit),
            keysSignature: try InputFile.read("\(keys).minisig", limit: SignedCatalogFiles.smallFileLimit))
        return await SignatureVerdict(
            of: files, at: file, roots: try roots.map { try PublicKeyFile.read($0) }, app: app, channel: channel,
            on: at.flatMap(Date.init(dayOrTime:)) ?? Date()
        ).report
    }
}
