import ArgumentParser
import Foundation
import Vitrine

struct HomeOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The home folder. (default: VITRINE_HOME, else .vitrine in the current folder)", valueName: "dir"))
    var home: String?

    func validate() throws {
        guard home != "" else { throw ValidationError("The home must not be empty.") }
    }

    var folder: Home {
        let named = home ?? ProcessInfo.processInfo.environment["VITRINE_HOME"].flatMap { $0.isEmpty ? nil : $0 }
        return Home(url: URL(filePath: named ?? ".vitrine", directoryHint: .isDirectory))
    }
}

struct VerboseOptions: ParsableArguments {
    @Flag(help: "Print each event to standard error, one per line.")
    var verbose = false
}

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

/// Author and reason of a change that the ledger records.
struct AuthorOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The reason, as free text.", valueName: "text"))
    var reason: String?

    @Option(help: ArgumentHelp("The author, as free text.", valueName: "name"))
    var by = ""
}

/// Token that identifies one of the app's accounts.
enum AccountToken {
    static func parse(_ text: String) throws(ToolFailure) -> UUID {
        guard let token = UUID(uuidString: text) else {
            throw ToolFailure(status: .usage, reason: "\(text) is not a UUID")
        }
        return token
    }
}
