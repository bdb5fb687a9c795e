import ArgumentParser
import Vitrine

struct ContentRemoveCommand: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove the content of products.",
        discussion: """
            It can be downloaded again as long as its product is owned. A download that is not finished is dropped. The \
            exit status is 1 for a product without hosted content, 2 where another process is downloading it.

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
            await ContentReport.of(identifiers, failing: "not removed") { identifier throws(ContentFailure) in
                do throws(OwnedContentError) {
                    let line =
                        switch try await manager.removeContent(for: identifier) {
                        case .installed: "removed"
                        case .download: "nothing was installed, and its download was dropped"
                        case .nothing: "nothing was installed"
                        }
                    return (line, ContentReport.Document.Content(product: identifier))
                } catch {
                    throw ContentFailure(error)
                }
            }
        }
    }
}
