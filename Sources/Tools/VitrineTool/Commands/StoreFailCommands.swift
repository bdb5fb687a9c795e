public import ArgumentParser
import VitrineCommandSupport
public import VitrineStoreSimulator

struct StoreFailCommand: StoreReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "fail",
        abstract: "Make requests to the store fail.",
        discussion: """
            With cancelled, network, not-available, not-allowed or unknown, a purchase fails and nothing is bought; \
            with lost-answer, the product is bought, but the app receives no response. With damaged-receipt, the app \
            receipt on the device does not match its signature; with verification, no transaction matches its \
            signature. The last eight, from server-error on, make the requests of the app's server to 'vitrine store \
            serve' fail. Each other failure concerns one other kind of request to the store. At most one failure at a \
            time is simulated for purchases, and one for each other kind of request.

            EXAMPLE:
              vitrine store fail lost-answer --times 1
            """
    )

    @Argument(help: ArgumentHelp("The kind of failure to simulate.", valueName: "what"))
    var failure: SimulatedFailure?

    @Option(help: ArgumentHelp("The number of requests that fail. (default: all until --clear)", valueName: "n"))
    var times: Int?

    @Flag(help: "End all simulated failures.")
    var clear = false

    @OptionGroup var options: StoreOptions

    func validate() throws {
        guard (failure == nil) == clear else {
            throw ValidationError("Name the failure to simulate, or use --clear, but not both.")
        }
        if let times {
            guard failure != nil else { throw ValidationError("--times can be used only with the name of a failure.") }
            guard times > 0 else { throw ValidationError("--times must be above zero.") }
        }
    }

    func report(on store: SimulatedStore) async throws(SimulatedStoreError) -> Report {
        guard let failure else {
            try await store.clearFailures()
            return Report(lines: ["all simulated failures ended"], json: [:])
        }
        try await store.fail(failure, times: times)
        let count = times.map { $0 == 1 ? "once" : "\($0) times" } ?? "until 'vitrine store fail --clear'"
        return Report(
            lines: ["simulated failure of the store, \(count): \(failure.rawValue)"],
            json: ["failure": failure, "times": times])
    }
}

extension SimulatedFailure: ExpressibleByArgument {}
