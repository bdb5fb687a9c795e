import ArgumentParser

/// What something is signed for.
struct ScopeOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The bundle identifier of the app that it is for.", valueName: "id"))
    var app: String

    @Option(help: ArgumentHelp("The channel that it is of.", valueName: "name"))
    var channel = "production"
}
