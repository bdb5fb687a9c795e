package import ArgumentParser

/// Options for serving a simulated store, which `vitrine store serve` passes to `vitrine-server store`.
package struct ServeOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The port. 0 stands for one that the system chooses.", valueName: "number"))
    package var port = 0

    @Option(
        help: ArgumentHelp(
            "The address of this machine at which the server listens, such as 0.0.0.0 for all.", valueName: "address"))
    package var host = "127.0.0.1"

    @Flag(help: "Keep Apple's limits for the number of requests an hour.")
    package var rateLimits = false

    @Option(
        help: ArgumentHelp(
            "The time in seconds for which the receiver of a notification may take to answer.", valueName: "seconds"))
    package var deliveryTime = 30.0

    @Flag(help: "Log each delivery of a notification to standard error.")
    package var verbose = false

    @Option(
        help: ArgumentHelp(
            "The file to which all that happens in the store is recorded, without what identifies persons. "
                + "(default: end a recording)", valueName: "file"), completion: .file())
    package var record: String?

    package init() {}

    package func validate() throws {
        guard (0...65_535).contains(port) else {
            throw ValidationError("The port must be from 0 to 65535, not \(port).")
        }
        guard deliveryTime > 0, deliveryTime <= 3_600 else {
            throw ValidationError("The delivery time must be above 0 and at most 3600 seconds.")
        }
        guard !host.isEmpty else { throw ValidationError("The address must not be empty.") }
    }

    /// Command-line arguments that represent these options.
    package var arguments: [String] {
        var arguments = ["--port", String(port), "--host", host, "--delivery-time", String(deliveryTime)]
        if rateLimits { arguments.append("--rate-limits") }
        if verbose { arguments.append("--verbose") }
        if let record { arguments += ["--record", record] }
        return arguments
    }
}
