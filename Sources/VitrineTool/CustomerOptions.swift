import ArgumentParser

/// For whom the store is looked at.
struct CustomerOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The customer's language as a BCP 47 tag, for this look only. (default: those of this machine)",
            valueName: "language"))
    var language: String?

    @Option(
        help: ArgumentHelp(
            "The country of the customer's storefront as ISO 3166-1 alpha-3 names it, for this look only.",
            valueName: "country"))
    var storefront: String?

    /// A language or storefront is asked for that need not be that of this machine's user.
    var isSomebodyElse: Bool { language != nil || storefront != nil }

    func validate() throws {
        guard language != "" else { throw ValidationError("The language must not be empty.") }
    }
}
