public import ArgumentParser
public import StoreSimulator

struct StoreFailCommand: StoreReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "fail",
        abstract: "Have the store fail.",
        discussion: """
            A purchase fails with cancelled, network, not-available, not-allowed or unknown: nothing is bought; with \
            lost-answer it is bought, and the app does not hear so. With damaged-receipt the app receipt on the device \
            does not fit its signature. The other failures are those of other calls. A purchase has one failure at a time, and so has each of the other calls.

            EXAMPLE:
              vitrine store fail lost-answer --times 1
            """
    )

    @Argument(help: ArgumentHelp("What fails.", valueName: "what"))
    var failure: SimulatedFailure?

    @Option(help: ArgumentHelp("How often. (default: until it is cleared)", valueName: "n"))
    var times: Int?

    @Flag(help: "Have nothing fail any more.")
    var clear = false

    @OptionGroup var home: HomeOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard (failure == nil) == clear else { throw ValidationError("Say either what fails or --clear.") }
        if let times {
            guard failure != nil else { throw ValidationError("--times belongs to something that fails.") }
            guard times > 0 else { throw ValidationError("The times must be above zero.") }
        }
    }

    func report(on store: SimulatedStore) async throws(SimulatedStoreError) -> Report {
        guard let failure else {
            try await store.clearFailures()
            return Report(lines: ["nothing fails any more"], json: Document(), status: .yes)
        }
        try await store.fail(failure, times: times)
        let count = times.map { $0 == 1 ? "once" : "\($0) times" } ?? "until it is cleared"
        return Report(
            lines: ["fails \(count): \(failure.rawValue)"],
            json: Document(failure: failure, times: times),
            status: .yes
        )
    }

    private struct Document: Encodable {
        var failure: SimulatedFailure?
        var times: Int?
    }
}

extension SimulatedFailure: ExpressibleByArgument {}
