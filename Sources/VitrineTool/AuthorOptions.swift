import ArgumentParser

/// Author and reason of a change that the ledger records.
struct AuthorOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The reason, as free text.", valueName: "text"))
    var reason: String?

    @Option(help: ArgumentHelp("The author, as free text.", valueName: "name"))
    var by = ""
}
