import ArgumentParser
import Receipts

/// Whom signed data must be for.
struct IdentityOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The app that it must be for. (default: any)", valueName: "id"))
    var bundle: String?

    @Option(
        help: ArgumentHelp(
            "The environment that must have signed it: Production, Sandbox, Xcode or LocalTesting. (default: any)",
            valueName: "name"))
    var environment: String?

    func validate() throws {
        let known: [StoreEnvironment] = [
            .production, .sandbox, .xcode, .localTesting,
        ]
        guard let storeEnvironment, !known.contains(storeEnvironment) else { return }
        throw ValidationError(
            "\(storeEnvironment.rawValue) is none of \(known.map(\.rawValue).joined(separator: ", ")).")
    }

    var storeEnvironment: StoreEnvironment? { environment.map(StoreEnvironment.init) }
}
