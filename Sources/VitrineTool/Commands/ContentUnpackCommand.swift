import ArgumentParser
import Foundation
import HostedContent

struct ContentUnpackCommand: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "unpack",
        abstract: "Unpack an archive of content.",
        discussion: """
            The folder is created completely or not at all. An archive that an app would refuse is not unpacked: the \
            exit status is 65.

            EXAMPLE:
              vitrine content unpack Rome.zip -o Rome
            """
    )

    @Argument(help: ArgumentHelp("The archive.", valueName: "archive"))
    var archive: String

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("The output folder, which must be missing or empty.", valueName: "folder"))
    var outputFolder: String

    @OptionGroup var manifest: ManifestOptions
    @OptionGroup var output: OutputOptions

    func report() throws -> Report {
        let expected = try manifest.read()
        do throws(ContentError) {
            let package = try ContentUnpacker.unpack(
                URL(filePath: archive, directoryHint: .notDirectory), manifest: expected,
                as: URL(filePath: outputFolder, directoryHint: .isDirectory))
            return Report(
                lines: ["\(outputFolder): \(package.info.productIdentifier) \(package.info.version)"],
                json: Document(
                    folder: outputFolder, product: package.info.productIdentifier, version: package.info.version),
                status: .yes)
        } catch {
            throw ToolFailure(error)
        }
    }

    private struct Document: Encodable {
        let folder: String
        let product: String
        let version: String
    }
}
