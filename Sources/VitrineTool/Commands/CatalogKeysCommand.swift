import ArgumentParser
internal import CatalogLoading
import Foundation
import ProductCatalog

struct CatalogKeysCommand: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys",
        abstract: "Write and sign keys.plist, which names the keys that may sign catalogs.",
        discussion: """
            The file holds what is named here and nothing else. It lies beside the catalog on the server, with its \
            signature. Each time it is written it has a higher version: apps refuse a lower one than they have seen, and one \
            that was signed before.

            A new epoch begins a new count of the catalogs' versions. It is for when somebody who had a key has signed \
            a catalog of a version so high that no other could follow; that key is revoked with it. From then on each file \
            names that epoch, or a higher one.

            EXAMPLES:
              vitrine catalog keys --key root.key --app com.example.voyager --version 1 --add online.pub=2027-02-01
              vitrine catalog keys --key root.key --app com.example.voyager --version 2 --epoch 2 \\
                --add next.pub=2027-05-01 --revoke online.pub
            """
    )

    @Option(help: ArgumentHelp("The root's private key.", valueName: "file"))
    var key: String

    @OptionGroup var scope: ScopeOptions

    @Option(help: ArgumentHelp("The version of the file.", valueName: "number"))
    var version: Int

    @Option(
        help: ArgumentHelp(
            "A public key that may sign catalogs, in a file or as the line in it, and the day or time until which.",
            valueName: "key=date"))
    var add: [AddedKey] = []

    @Option(
        help: ArgumentHelp(
            "A key that is not to be trusted any more: its identifier of 16 digits, or its public key.",
            valueName: "key"))
    var revoke: [String] = []

    @Option(help: ArgumentHelp("The count of versions that catalogs belong to.", valueName: "number"))
    var epoch = 1

    @Option(
        help: ArgumentHelp(
            "The day or time until which the file is good, or for how many days. (default: as long as its last key)",
            valueName: "date"))
    var expires: Expiry?

    @Option(name: [.customShort("o"), .long], help: ArgumentHelp("The file to write.", valueName: "file"))
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
        guard epoch >= 1 else { throw ValidationError("Epochs are counted from 1.") }
        guard expires != nil || !add.isEmpty else {
            throw ValidationError("Without a key there is no date of expiry: --expires names one.")
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
            throw ToolFailure(status: .usage, reason: "\(key) is the root, which signs nothing but keys.plist")
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
