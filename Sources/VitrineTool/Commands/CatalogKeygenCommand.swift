import ArgumentParser
internal import CatalogLoading
import Foundation
import ProductCatalog

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

    @Option(name: [.customShort("o"), .long], help: ArgumentHelp("The common name of the files.", valueName: "name"))
    var outputName: String

    @OptionGroup var output: OutputOptions

    func report() throws -> Report {
        let key = SigningKey()
        let (keyFile, publicFile) = ("\(outputName).key", "\(outputName).pub")
        for file in [keyFile, publicFile] where FileManager.default.fileExists(atPath: file) {
            throw ToolFailure(status: .no, reason: "\(file) already exists and is not replaced")
        }
        try OutputFile.create(Data(key.pem.utf8), at: keyFile, permissions: 0o600)
        try OutputFile.create(Data(key.publicKey.file.utf8), at: publicFile, permissions: 0o644)
        return Report(
            lines: [
                "\(keyFile): private key \(key.publicKey.identifierText), which must stay secret",
                "\(publicFile): public key \(key.publicKey.line)",
            ],
            json: Document(
                identifier: key.publicKey.identifierText, publicKey: key.publicKey.line, keyFile: keyFile,
                publicKeyFile: publicFile),
            status: .yes)
    }

    private struct Document: Encodable {
        let identifier: String
        let publicKey: String
        let keyFile: String
        let publicKeyFile: String
    }
}
