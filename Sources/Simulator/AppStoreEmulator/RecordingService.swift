internal import Foundation
internal import Logging
internal import ServiceLifecycle
internal import VitrineStoreSimulator

/// Service that writes what happens in a store to the file of a recording, also what other processes do. It must begin
/// before the services that change the store: these end first when the server shuts down.
struct RecordingService: Service {
    let recorder: StoreRecorder
    let logger: Logger

    /// Time between two looks at the store.
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
            // The end of the server: the last actions are written below.
        }
        // The task may be cancelled, and the store cannot be read in a cancelled task.
        try await Task { [recorder] in try await recorder.finish() }.value
    }

    /// Writes what has happened. If that fails, the store keeps it for the next time.
    private func append() async {
        do throws(StoreRecordingError) {
            try await recorder.append()
        } catch {
            if !Task.isCancelled { logger.error("the recording cannot be written: \(error)") }
        }
    }
}
