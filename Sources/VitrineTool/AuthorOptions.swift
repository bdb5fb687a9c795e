import ArgumentParser

/// Who does something that the ledger keeps, and why.
struct AuthorOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Why, in words.", valueName: "text"))
    var reason: String?

    @Option(help: ArgumentHelp("Who does it, in words.", valueName: "name"))
    var by = ""
}
