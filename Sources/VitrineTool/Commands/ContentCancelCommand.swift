import ArgumentParser
import HostedContent
import Vitrine

struct ContentCancelCommand: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel",
        abstract: "Cancel downloads and delete their partial data.",
        discussion: """
            A purchase that waits for the content stays unfinished in the store until the content is downloaded. The \
            exit status is 1 if there is no such download, 2 if it belongs to another process.

            EXAMPLE:
              vitrine content cancel com.example.voyager.rome
            """
    )

    @OptionGroup var content: ContentSelection
    @OptionGroup var home: HomeOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var verbose: VerboseOptions

    func report() async throws -> Report {
        try await OpenHome.open(home, verbose: verbose).use(awaitsContent: false) { manager, _ in
            let wanted = content.identifiers { manager.unfinishedDownloads }
            return await ContentReport.of(wanted, failing: "not cancelled") { identifier throws(ToolFailure) in
                do throws(ContentError) {
                    try await manager.content.cancelDownload(of: identifier)
                } catch {
                    throw ToolFailure(content: error)
                }
                return ("cancelled", ContentReport.Document.Content(product: identifier))
            }
        }
    }
}
