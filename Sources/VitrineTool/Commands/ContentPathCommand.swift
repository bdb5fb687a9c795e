import ArgumentParser
import Foundation
import Vitrine

struct ContentPathCommand: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "path",
        abstract: "Print the folder with a product's content.",
        discussion: """
            The folder contains the files of the package's Contents; content that is not hosted is located beside the \
            catalog. The exit status is 1 for a product that is not owned or whose content is not installed, 2 if \
            ownership is unknown.

            EXAMPLE:
              ls "$(vitrine content path com.example.voyager.rome)"
            """
    )

    @Argument(help: ArgumentHelp("The product's identifier.", valueName: "id"))
    var identifier: String

    @OptionGroup var home: HomeOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var verbose: VerboseOptions

    func report() async throws -> Report {
        try await OpenHome.open(home, verbose: verbose).use(awaitsContent: false) { manager, _ in
            do {
                let path = try manager.content.url(for: identifier).path(percentEncoded: false)
                return Report(lines: [path], json: Document(product: identifier, path: path), status: .yes)
            } catch let error as OwnedContentError {
                throw ToolFailure(status: error.exitStatus, reason: error.reason)
            }
        }
    }

    private struct Document: Encodable {
        let product: String
        let path: String
    }
}
