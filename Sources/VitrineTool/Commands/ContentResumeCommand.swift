import ArgumentParser
import Vitrine

struct ContentResumeCommand: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume",
        abstract: "Go on with downloads that were interrupted.",
        discussion: """
            Without identifiers all that were paused or broken off go on; what was cancelled is asked for by vitrine \
            content download. The exit status is that of vitrine content download.

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
