package import Purchasing

extension RetrySchedule {
    /// Nothing is tried again by itself.
    package static let never = RetrySchedule(random: { 0 }, sleep: { _ in try await Task.sleep(for: .seconds(86_400)) })
}
