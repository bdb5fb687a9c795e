import ArgumentParser

/// App and channel that a file is signed for.
struct ScopeOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The bundle identifier of the app that the file is signed for.", valueName: "id"))
    var app: String

    @Option(help: ArgumentHelp("The channel that the file is signed for.", valueName: "name"))
    var channel = "production"
}
