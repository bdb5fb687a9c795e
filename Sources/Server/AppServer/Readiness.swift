internal import VitrineSupport

/// Readiness of a server to receive requests.
package final class Readiness: Sendable {
    private let state = Locked(false)

    package init() {}

    /// `true` once the server is shutting down.
    package var isEnding: Bool { state.withLock { $0 } }

    package func end() { state.withLock { $0 = true } }
}
