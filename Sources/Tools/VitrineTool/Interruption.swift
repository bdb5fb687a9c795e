import Dispatch
import Foundation
import VitrineSupport

/// Interruption of the tool by Ctrl-C (SIGINT) or SIGTERM. No other code handles these signals.
enum Interruption {
    fileprivate struct State {
        var listeners: [Int: AsyncStream<Void>.Continuation] = [:]
        var listenerCount = 0
        var sources: [any DispatchSourceSignal] = []
        var isRequested = false
    }

    fileprivate static let signals = [SIGINT, SIGTERM]
    private static let state = Locked(State())

    /// Returns a stream that ends at the first SIGINT or SIGTERM, which then does not end the process. The next signal
    /// ends the process, and so does any signal while no stream is in use.
    ///
    /// - Returns: A stream without elements, which is already finished if there was a signal before.
    static func listen() -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream<Void>.makeStream()
        let listener: Int? = state.withLock { state in
            guard !state.isRequested else { return nil }
            if state.listeners.isEmpty { state.sources = beginHandling() }
            state.listenerCount += 1
            state.listeners[state.listenerCount] = continuation
            return state.listenerCount
        }
        guard let listener else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { _ in
            state.withLock { state in
                guard state.listeners.removeValue(forKey: listener) != nil, state.listeners.isEmpty else { return }
                state.endHandling()
            }
        }
        return stream
    }

    private static func beginHandling() -> [any DispatchSourceSignal] {
        let listening = DispatchGroup()
        let sources = signals.map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number)
            listening.enter()
            source.setRegistrationHandler { listening.leave() }
            source.setEventHandler { finishAll() }
            source.activate()
            return source
        }
        // A signal before the registration would be lost. This waits for a thread of Dispatch, not for a Swift task.
        listening.wait()
        return sources
    }

    private static func finishAll() {
        let listeners = state.withLock { state in
            state.isRequested = true
            state.endHandling()
            defer { state.listeners = [:] }
            return state.listeners.values
        }
        for listener in listeners { listener.finish() }
    }
}

extension Interruption.State {
    /// Restores the default handling of the signals, which end the process.
    fileprivate mutating func endHandling() {
        for number in Interruption.signals { signal(number, SIG_DFL) }
        for source in sources { source.cancel() }
        sources = []
    }
}
