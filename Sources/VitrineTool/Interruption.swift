import Dispatch
import Foundation

/// Request to end the tool, by Ctrl-C or SIGTERM.
enum Interruption {
    /// Starts to listen for signals. The first signal finishes the stream and does not end the process; a second one
    /// does. Once the stream is terminated, the next signal ends the process.
    static func listen() -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream<Void>.makeStream()
        let listening = DispatchGroup()
        for number in [SIGINT, SIGTERM] {
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number)
            listening.enter()
            source.setRegistrationHandler { listening.leave() }
            source.setEventHandler {
                continuation.finish()
                // The source retains itself until it is cancelled here.
                source.cancel()
            }
            source.activate()
        }
        // A signal received before registration would be lost. This waits for Dispatch's own thread, not for a Swift
        // task.
        listening.wait()
        continuation.onTermination = { _ in
            for number in [SIGINT, SIGTERM] { signal(number, SIG_DFL) }
        }
        return stream
    }
}
