internal import Foundation
internal import Logging
internal import ServiceLifecycle
internal import VitrineStoreSimulator

/// Service that writes the actions in a store, including actions of other processes, to the file of a recording. It
/// must begin before the services that change the store, because a server that shuts down ends its services in reverse
/// order.
struct RecordingService: Service {
    let recorder: StoreRecorder
    let logger: Logger

    /// Interval between two polls of the store.
    private static let interval = Duration.milliseconds(250)

    func run() async throws {
        do {
            try await cancelWhenGracefulShutdown {
                while true {
                    await append()
                    try await Task.sleep(for: Self.interval)
                }
            }
        } catch is CancellationError {
            // The server ends: the last actions are written below.
        }
        // The task may be canceled, and the store cannot be read in a canceled task.
        try await Task { [recorder] in try await recorder.finish() }.value
    }

    /// Writes the actions since the last call. If writing fails, they remain in the store for the next attempt.
    private func append() async {
        do throws(StoreRecordingError) {
            try await recorder.append()
        } catch {
            if !Task.isCancelled { logger.error("the recording cannot be written: \(error)") }
        }
    }
}
