import ArgumentParser
import Foundation
import VitrineCatalog
internal import VitrineCatalogLoading
import VitrineCommandSupport
import VitrineEntitlements
import VitrineSupport

struct CatalogKeygenCommand: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "keygen",
        abstract: "Create a signing key.",
        discussion: """
            Writes the private key to NAME.key, an Ed25519 key in PEM that only its owner can read and that OpenSSL \
            can use, and the public key to NAME.pub in minisign's format. Existing files are not replaced.

            EXAMPLE:
              vitrine catalog keygen -o root
            """
    )

    @Option(
        name: [.customShort("o"), .long],
        help: ArgumentHelp("The name of both key files, without .key and .pub.", valueName: "name"))
    var outputName: String

    @OptionGroup var output: OutputOptions

    func validate() throws { try PathArgument.validate([outputName]) }

    func report() throws -> Report {
        let key = SigningKey()
        let (keyFile, publicFile) = ("\(outputName).key", "\(outputName).pub")
        for file in [keyFile, publicFile] where FileManager.default.fileExists(atPath: file) {
            throw ToolFailure(status: .no, reason: "\(file) already exists and is not replaced")
        }
        try OutputFile.create(Data(key.pem.utf8), at: keyFile, access: .owner)
        do throws(ToolFailure) {
            try OutputFile.create(Data(key.publicKey.file.utf8), at: publicFile, access: .shared)
        } catch {
            OutputFile.withdraw(keyFile)
            throw error
        }
        return Report(
            lines: [
                "\(keyFile): private key \(key.publicKey.identifierText), which must stay secret",
                "\(publicFile): public key \(key.publicKey.line)",
            ],
            json: [
                "identifier": key.publicKey.identifierText, "publicKey": key.publicKey.line, "keyFile": keyFile,
                "publicKeyFile": publicFile,
            ])
    }
}

struct CatalogKeysCommand: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys",
        abstract: "Write and sign keys.plist, which names the keys that may sign catalogs.",
        discussion: """
            The new keys.plist contains only the keys that the options name. Publish it beside the catalog on the \
            server, with its signature. Each new keys.plist needs a higher version than the one before: apps refuse \
            one with a lower version than one that they have seen, or with an earlier signing date.

            An epoch is the number of a series of catalog versions. In a higher epoch, version numbers start again at \
            1. Set a higher epoch after the holder of a key has signed a catalog with a version so high that no higher \
            one can follow, and revoke that key at the same time. From then on, each keys.plist must name this epoch \
            or a higher one.

            EXAMPLES:
              vitrine catalog keys --key root.key --app com.example.voyager --version 1 \\
                --add online.pub=2027-02-01
              vitrine catalog keys --key root.key --app com.example.voyager --version 2 \\
                --epoch 2 --add next.pub=2027-05-01 --revoke online.pub
            """
    )

    @Option(
        help: ArgumentHelp("The private key of the root, which signs keys.plist.", valueName: "file"),
        completion: .file())
    var key: String

    @OptionGroup var scope: ScopeOptions

    @Option(
        help: ArgumentHelp(
            "The version of the new keys.plist, higher than that of the one before.", valueName: "number"))
    var version: Int

    @Option(
        help: ArgumentHelp(
            "A public key that may sign catalogs, as its file or as the line RW… of that file, and the day or time at "
                + "which the key expires.",
            valueName: "key=date"))
    var add: [AddedKey] = []

    @Option(
        help: ArgumentHelp(
            "A key that is no longer trusted: its identifier of 16 hexadecimal digits, or its public key.",
            valueName: "key"))
    var revoke: [String] = []

    @Option(
        help: ArgumentHelp(
            "The number of the series of catalog versions (epoch). In a higher epoch, version numbers start again "
                + "at 1.",
            valueName: "number"))
    var epoch = 1

    @Option(
        help: ArgumentHelp(
            "The day or time at which keys.plist expires, or the number of days until then. (default: when the last "
                + "key in it expires)",
            valueName: "date"))
    var expires: Expiry?

    @Option(
        name: [.customShort("o"), .long],
        help: ArgumentHelp("The path at which keys.plist is written.", valueName: "file"), completion: .file())
    var outputFile = "keys.plist"

    @OptionGroup var output: OutputOptions

    struct AddedKey: ExpressibleByArgument {
        let key: String
        let expires: Date

        init?(argument: String) {
            guard let separator = argument.lastIndex(of: "="),
                let date = Date(dayOrTime: String(argument[argument.index(after: separator)...]))
            else { return nil }
            key = String(argument[..<separator])
            expires = date
        }
    }

    func validate() throws {
        guard epoch >= 1 else { throw ValidationError("The epoch must be 1 or higher.") }
        guard expires != nil || !add.isEmpty else {
            throw ValidationError("Without --add, --expires is required.")
        }
    }

    func report() throws -> Report {
        let keys = CatalogKeys(
            keys: try add.map { CatalogKeys.Key(publicKey: try PublicKeyFile.read($0.key), expires: $0.expires) },
            revoked: try revoke.map { CatalogKeys.isIdentifier($0) ? $0 : try PublicKeyFile.read($0).identifierText },
            epoch: epoch)
        let file = keys.file
        do {
            _ = try CatalogKeys(file)
        } catch {
            throw ToolFailure(status: .usage, reason: "\(outputFile): \(error.reason)")
        }
        let root = try PrivateKeyFile.read(key)
        guard !keys.keys.contains(where: { $0.publicKey.key == root.publicKey.key }) else {
            throw ToolFailure(status: .usage, reason: "\(key) is the root key, which may sign only keys.plist")
        }
        let issued = Date.thisSecond
        let expires = expires?.date(after: issued) ?? keys.keys.map(\.expires).max() ?? issued
        let statement = CatalogStatement(
            app: scope.app, channel: scope.channel, version: version, issued: issued, expires: expires,
            keyIdentifier: root.publicKey.identifierText, epoch: epoch)
        try PresentKeys(path: outputFile)?.check(next: statement)
        return try SignedFile(file, path: outputFile, statement: statement, kind: .keys, key: root).write(
            withFile: true)
    }
}
