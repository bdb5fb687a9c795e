package import VitrineNetworking

extension RetrySchedule {
    /// Nothing is tried again by itself.
    package static let never = RetrySchedule(random: { 0 }, sleep: { try await sleepUntilCancelled($0) })
}
