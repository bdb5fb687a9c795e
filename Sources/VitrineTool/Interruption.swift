import Dispatch
import Foundation

/// Somebody asks the tool to end: with Ctrl-C, or by SIGTERM.
enum Interruption {
    /// Waits for it. It does not kill the process meanwhile; once more of it does.
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
        for number in [SIGINT, SIGTERM] { signal(number, SIG_DFL) }
    }
}
