import ArgumentParser
import Vitrine

struct ContentRemoveCommand: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove the content of products.",
        discussion: """
            The content can be downloaded again while its product is owned. An unfinished download is cancelled. The \
            exit status is 1 for a product without hosted content, 2 if another process is downloading it.

            EXAMPLE:
              vitrine content remove com.example.voyager.rome
            """
    )

    @Argument(help: ArgumentHelp("The products' identifiers.", valueName: "id"))
    var identifiers: [String]

    @OptionGroup var home: HomeOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var verbose: VerboseOptions

    func report() async throws -> Report {
        try await OpenHome.open(home, verbose: verbose).use(awaitsContent: false) { manager, _ in
            await ContentReport.of(identifiers, failing: "not removed") { identifier throws(ToolFailure) in
                do throws(OwnedContentError) {
                    let line =
                        switch try await manager.content.remove(for: identifier) {
                        case .installed: "removed"
                        case .download: "nothing was installed; the download was cancelled"
                        case .nothing: "nothing was installed"
                        }
                    return (line, ContentReport.Document.Content(product: identifier))
                } catch {
                    throw ToolFailure(error)
                }
            }
        }
    }
}
