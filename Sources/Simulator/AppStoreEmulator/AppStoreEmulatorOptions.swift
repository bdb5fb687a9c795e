public import Foundation

/// Options of the server of a simulated store.
public struct AppStoreEmulatorOptions: Sendable {
    /// Address at which the server listens; by default that of this machine alone.
    public var host = "127.0.0.1"
    /// Port at which the server listens; 0 for one that the system chooses.
    public var port = 0
    /// `true` if the server keeps Apple's limits for the number of requests.
    public var limitsRates = false
    /// Maximum time in seconds for which the server waits for the answer of the receiver of a notification.
    public var deliveryTime: TimeInterval = 30
    /// File to which the server records what happens in the store, also by other processes: a new one, or the one of the
    /// recording that goes on. Without a file, a recording of the store ends, unless another server records it now.
    public var recording: URL?
    /// Clock of the machine, by which the dates in tokens are judged.
    public var now: @Sendable () -> Date = { Date() }

    /// Maximum time for the body of a request.
    package var bodyTime = Duration.seconds(20)
    /// Maximum time for which a connection may be idle.
    let idleTime = Duration.seconds(60)

    public init() {}
}
