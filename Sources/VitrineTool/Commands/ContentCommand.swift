import ArgumentParser

struct ContentCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "content",
        abstract: "Show, download and pack the hosted content of products.",
        subcommands: [
            ContentListCommand.self, ContentDownloadCommand.self, ContentResumeCommand.self, ContentCancelCommand.self,
            ContentCheckCommand.self, ContentRepairCommand.self, ContentRemoveCommand.self, ContentPathCommand.self,
            ContentPackCommand.self, ContentVerifyCommand.self, ContentUnpackCommand.self,
        ],
        defaultSubcommand: ContentListCommand.self
    )
}
