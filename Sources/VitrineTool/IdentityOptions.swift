import ArgumentParser
import Receipts

/// App and environment that signed data must belong to.
struct IdentityOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The required bundle identifier. (default: any)", valueName: "id"))
    var bundle: String?

    @Option(
        help: ArgumentHelp(
            "The required environment: Production, Sandbox, Xcode or LocalTesting. (default: any)",
            valueName: "name"))
    var environment: String?

    func validate() throws {
        let known: [StoreEnvironment] = [
            .production, .sandbox, .xcode, .localTesting,
        ]
        guard let storeEnvironment, !known.contains(storeEnvironment) else { return }
        throw ValidationError(
            "\(storeEnvironment.rawValue) must be one of \(known.map(\.rawValue).joined(separator: ", ")).")
    }

    var storeEnvironment: StoreEnvironment? { environment.map(StoreEnvironment.init) }
}
