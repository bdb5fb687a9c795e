package import VitrineNetworking

extension RetrySchedule {
    /// Schedule without retries.
    package static let never = RetrySchedule(random: { 0 }, sleep: { try await sleepUntilCancelled($0) })
}
