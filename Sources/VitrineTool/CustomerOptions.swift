import ArgumentParser

/// Language and storefront of the customer for whom the store is queried.
struct CustomerOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The customer's language as a BCP 47 tag, for this command only. (default: this machine's languages)",
            valueName: "language"))
    var language: String?

    @Option(
        help: ArgumentHelp(
            "The customer's storefront as an ISO 3166-1 alpha-3 country code, for this command only.",
            valueName: "country"))
    var storefront: String?

    /// `true` if a language or storefront is set, which may differ from that of this machine's user.
    var isSomebodyElse: Bool { language != nil || storefront != nil }

    func validate() throws {
        guard language != "" else { throw ValidationError("The language must not be empty.") }
    }
}
