import Dispatch
import Foundation

/// Somebody asks the tool to end: with Ctrl-C, or by SIGTERM.
enum Interruption {
    /// Takes it in from now on: the first does not kill the process, one more does. When nobody waits any more, the first
    /// does.
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
                // Until here, it is what keeps itself.
                source.cancel()
            }
            source.activate()
        }
        // A signal that comes before would be lost. Dispatch's own thread is waited for, and nothing of Swift's.
        listening.wait()
        continuation.onTermination = { _ in
            for number in [SIGINT, SIGTERM] { signal(number, SIG_DFL) }
        }
        return stream
    }
}
