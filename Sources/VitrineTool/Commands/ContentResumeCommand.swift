import ArgumentParser
import Vitrine

struct ContentResumeCommand: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume",
        abstract: "Resume interrupted downloads.",
        discussion: """
            Without identifiers, all paused or interrupted downloads are resumed; to start a cancelled one again, use \
            vitrine content download. The exit status is that of vitrine content download.

            EXAMPLE:
              vitrine content resume
            """
    )

    @OptionGroup var content: NamedContent
    @OptionGroup var home: HomeOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var verbose: VerboseOptions

    func report() async throws -> Report {
        try await OpenHome.open(home, verbose: verbose).use { manager, _ in
            let wanted = content.identifiers { manager.unfinishedDownloads }
            var report = await manager.downloadReport(of: wanted)
            if wanted.isEmpty { report.lines = ["no download was interrupted"] }
            return report
        }
    }
}
