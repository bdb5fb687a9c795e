package import Networking

extension DefaultTransport {
    /// Gives no reply up for taking long, unless it may take no time at all: where tests keep the machine busy, any takes
    /// long.
    package static let patient = DefaultTransport(sleep: { duration in
        if duration > .zero { try await sleepUntilCancelled(duration) }
    })
}
