package import VitrineNetworking

extension DefaultTransport {
    /// Gives no reply up for taking long, unless it may take no time at all: where tests keep the machine busy, any takes
    /// long. Its time stands still, for it may be looked at only after a minute.
    package static let patient: DefaultTransport = {
        let instant = ContinuousClock.now
        return DefaultTransport(
            now: { instant },
            sleep: { duration in if duration > .zero { try await sleepUntilCancelled(duration) } })
    }()
}
