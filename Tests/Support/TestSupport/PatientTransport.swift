package import VitrineNetworking

extension DefaultTransport {
    /// Transport without time limits, except that a limit of zero applies, because tests keep the machine busy. Its
    /// clock is stopped, so that the check of limits after a minute has no effect.
    package static let patient: DefaultTransport = {
        let instant = ContinuousClock.now
        return DefaultTransport(
            now: { instant },
            sleep: { duration in if duration > .zero { try await sleepUntilCancelled(duration) } })
    }()
}
