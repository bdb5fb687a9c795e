import Dispatch
import Foundation

/// Somebody asks the tool to end: with Ctrl-C, or by SIGTERM.
enum Interruption {
    /// Waits for it. From then on it does not kill the process any more.
    static func wait() async {
        let (stream, continuation) = AsyncStream<Void>.makeStream()
        let sources = [SIGINT, SIGTERM].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number)
            source.setEventHandler { continuation.yield() }
            source.activate()
            return source
        }
        _ = await stream.first { _ in true }
        for source in sources { source.cancel() }
    }
}
