internal import Foundation
internal import HTTPTypes
internal import Locking

/// A request that is under way, until the first of its ends: the whole reply, an error, a timeout, a cancellation.
final class Exchange: Sendable {
    private let method: HTTPRequest.Method
    private let sizeLimit: Int
    private let now: @Sendable () -> ContinuousClock.Instant
    private let sleep: @Sendable (Duration) async throws -> Void
    private let state: Locked<State>

    private struct State {
        var progress: ExchangeProgress
        var timer: Task<Void, Never>?
        var response: HTTPResponse?
        var body = Data()
        var result: Result<HTTPReply, HTTPTransportError>?
        /// Breaks the connection off.
        var stop: (@Sendable () -> Void)?
        var continuation: CheckedContinuation<Result<HTTPReply, HTTPTransportError>, Never>?
    }

    init(
        method: HTTPRequest.Method, limits: HTTPLimits, now: @escaping @Sendable () -> ContinuousClock.Instant,
        sleep: @escaping @Sendable (Duration) async throws -> Void
    ) {
        self.method = method
        sizeLimit = limits.size
        self.now = now
        self.sleep = sleep
        state = Locked(State(progress: ExchangeProgress(limits: limits, beginning: now())))
    }

    /// Waits for the end, also where the task is cancelled.
    ///
    /// - Parameter start: Sends the request, and answers how to break it off.
    func reply(_ start: () -> @Sendable () -> Void) async throws(HTTPTransportError) -> HTTPReply {
        try await withTaskCancellationHandler {
            startTimer()
            let stop = start()
            return await withCheckedContinuation { continuation in
                let result = state.withLock { state in
                    if state.result == nil { (state.stop, state.continuation) = (stop, continuation) }
                    return state.result
                }
                guard let result else { return }
                stop()
                continuation.resume(returning: result)
            }
        } onCancel: {
            giveUp(.cancelled, "the request was cancelled")
        }.get()
    }

    func giveUp(_ code: HTTPTransportError.Code, _ reason: String) {
        end(.failure(HTTPTransportError(code: code, reason: reason)))
    }

    func giveUpTooLarge() { giveUp(.tooLarge, "the reply has more than \(sizeLimit) bytes") }

    func receive(_ response: HTTPResponse) {
        if let objection = response.objection { return giveUp(.connection, objection) }
        guard !hasBody(response) || response.claimedLength ?? 0 <= sizeLimit else { return giveUpTooLarge() }
        let now = now()
        state.withLock { state in
            state.response = response
            state.progress.advance(to: 0, at: now)
        }
        // The next deadline may come before the one that is waited for.
        startTimer()
    }

    func receive(_ data: some Collection<UInt8>) {
        let now = now()
        let fits = state.withLock { state in
            guard state.result == nil else { return true }
            guard data.count <= sizeLimit - state.body.count else { return false }
            state.body.append(contentsOf: data)
            state.progress.advance(to: state.body.count, at: now)
            return true
        }
        if !fits { giveUpTooLarge() }
    }

    func hasBody(_ response: HTTPResponse) -> Bool { response.hasBody(to: method) }

    /// Nothing more comes.
    func complete() {
        let (response, body) = state.withLock { ($0.response, $0.body) }
        guard let response else { return giveUp(.connection, "the reply has no status") }
        if let length = response.bodyLength(to: method), length != body.count {
            return giveUp(.connection, "the reply has \(body.count) bytes instead of \(length)")
        }
        end(.success(HTTPReply(response: response, body: body)))
    }

    private func startTimer() {
        let timer = Task { await keepTime() }
        let superfluous = state.withLock { state in
            guard state.result == nil else { return timer as Task<Void, Never>? }
            defer { state.timer = timer }
            return state.timer
        }
        superfluous?.cancel()
    }

    /// Gives the exchange up at the first deadline that comes without a further byte before it.
    private func keepTime() async {
        while let deadline {
            do { try await sleep(max(deadline.instant - now(), .zero)) } catch { return }
            guard deadline != self.deadline else { return giveUp(.timeout, deadline.reason) }
        }
    }

    private var deadline: ExchangeProgress.Deadline? {
        state.withLock { $0.result == nil ? $0.progress.deadline : nil }
    }

    func end(_ result: Result<HTTPReply, HTTPTransportError>) {
        let ended = state.withLock { state -> State? in
            guard state.result == nil else { return nil }
            state.result = result
            defer { (state.continuation, state.timer, state.stop, state.body) = (nil, nil, nil, Data()) }
            return state
        }
        ended?.timer?.cancel()
        ended?.stop?()
        ended?.continuation?.resume(returning: result)
    }
}
