public import Foundation

/// Options of the App Store emulator.
public struct AppStoreEmulatorOptions: Sendable {
    /// Address at which the server listens; by default the loopback address.
    public var host = "127.0.0.1"
    /// Port at which the server listens; 0 lets the system choose one.
    public var port = 0
    /// `true` if the server enforces Apple's rate limits.
    public var limitsRates = false
    /// Timeout in seconds for the response to a delivered notification.
    public var deliveryTime: TimeInterval = 30
    /// File to which the server records the actions in the store, including actions of other processes: a new file, or
    /// the file of the recording in progress. `nil` ends the recording of the store, unless another server is recording
    /// it now.
    public var recording: URL?
    /// Clock of the machine, with which the dates in tokens are compared.
    public var now: @Sendable () -> Date = { Date() }

    /// Maximum time for receiving the body of a request.
    package var bodyTime = Duration.seconds(20)
    /// Sleep between two polls of the store for due notifications.
    package var sleep: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }

    public init() {}
}
