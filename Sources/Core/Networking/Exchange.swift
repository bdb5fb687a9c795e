internal import Foundation
internal import HTTPTypes
internal import VitrineSupport

/// HTTP request in progress, together with its reply. The request ends with the first of these events: the complete
/// reply, an error, a timeout, or a cancellation.
final class Exchange: Sendable {
    private let request: HTTPRequest
    private let sizeLimit: Int
    private let now: @Sendable () -> ContinuousClock.Instant
    private let sleep: @Sendable (Duration) async throws -> Void
    private let head: @Sendable (HTTPResponse) throws(HTTPTransportError) -> Void
    private let part: @Sendable (Data) throws(HTTPTransportError) -> Void
    private let state: Locked<State>

    private struct State {
        var progress: ExchangeProgress
        var timer: Task<Void, Never>?
        var response: HTTPResponse?
        var byteCount = 0
        /// `true` while the head of the reply or a part of its body is being passed to the caller.
        var isHandling = false
        var result: Result<Void, HTTPTransportError>?
        /// Function that closes the connection of the request.
        var stop: (@Sendable () -> Void)?
        var continuation: CheckedContinuation<Result<Void, HTTPTransportError>, Never>?

        /// Returns the continuation of the caller that waits for the end of the request, with the result; `nil` if the
        /// request has not ended, or a handler of the caller is running.
        mutating func popAnswer() -> Answer? {
            guard let result, !isHandling, let continuation else { return nil }
            self.continuation = nil
            return (continuation, result)
        }
    }

    private typealias Answer = (
        continuation: CheckedContinuation<Result<Void, HTTPTransportError>, Never>,
        result: Result<Void, HTTPTransportError>
    )

    init(
        request: HTTPRequest, limits: HTTPLimits, now: @escaping @Sendable () -> ContinuousClock.Instant,
        sleep: @escaping @Sendable (Duration) async throws -> Void,
        head: @escaping @Sendable (HTTPResponse) throws(HTTPTransportError) -> Void,
        part: @escaping @Sendable (Data) throws(HTTPTransportError) -> Void
    ) {
        self.request = request
        sizeLimit = limits.size
        self.now = now
        self.sleep = sleep
        self.head = head
        self.part = part
        state = Locked(State(progress: ExchangeProgress(limits: limits, beginning: now())))
    }

    /// Waits for the end of the request. Cancellation of the task ends it too.
    ///
    /// - Parameter start: Function that sends the request and returns a function that aborts it.
    func run(_ start: () -> @Sendable () -> Void) async throws(HTTPTransportError) {
        try await withTaskCancellationHandler {
            startTimer()
            let stop = start()
            return await withCheckedContinuation { continuation in
                let (isOver, answer) = state.withLock { state in
                    state.continuation = continuation
                    if state.result == nil { state.stop = stop }
                    return (state.result != nil, state.popAnswer())
                }
                if isOver { stop() }
                answer?.continuation.resume(returning: answer?.result ?? .success(()))
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
        if let objection = response.objection(to: request) { return giveUp(.connection, objection) }
        guard !hasBody(response) || response.claimedLength ?? 0 <= sizeLimit else { return giveUpTooLarge() }
        let now = now()
        state.withLock { state in
            state.response = response
            state.progress.advance(to: 0, at: now)
        }
        handle { () throws(HTTPTransportError) in try head(response) }
        // The next deadline may be earlier than the one that the timer waits for.
        startTimer()
    }

    func receive(_ data: Data) {
        let fits = state.withLock { state in
            guard state.result == nil else { return true }
            guard data.count <= sizeLimit - state.byteCount else { return false }
            state.byteCount += data.count
            return true
        }
        guard fits else { return giveUpTooLarge() }
        handle { () throws(HTTPTransportError) in try part(data) }
        let now = now()
        state.withLock { $0.progress.advance(to: $0.byteCount, at: now) }
    }

    func hasBody(_ response: HTTPResponse) -> Bool { response.hasBody(to: request.method) }

    /// Ends the request after the last byte of its reply was received.
    func complete() {
        let (response, byteCount) = state.withLock { ($0.response, $0.byteCount) }
        guard let response else { return end(.failure(.noStatus)) }
        if let length = response.bodyLength(to: request.method), length != byteCount {
            return giveUp(.connection, "the reply has \(byteCount) bytes instead of \(length)")
        }
        end(.success(()))
    }

    /// Runs a handler of the caller, unless the exchange has ended. ``run(_:)`` does not return while a handler is
    /// running.
    private func handle(_ work: () throws(HTTPTransportError) -> Void) {
        let isWanted = state.withLock { state in
            state.isHandling = state.result == nil
            return state.isHandling
        }
        guard isWanted else { return }
        do throws(HTTPTransportError) { try work() } catch { end(.failure(error)) }
        let answer = state.withLock { state in
            state.isHandling = false
            return state.popAnswer()
        }
        if let answer { answer.continuation.resume(returning: answer.result) }
    }

    private func startTimer() {
        // The last timer ends before the next one begins, so that at most one of them waits.
        state.withLock { $0.timer }?.cancel()
        let timer = Task { await enforceTimeLimit() }
        let isOver = state.withLock { state in
            guard state.result == nil else { return true }
            state.timer = timer
            return false
        }
        if isOver { timer.cancel() }
    }

    /// Ends the exchange with a timeout as soon as a deadline passes before further bytes are received.
    private func enforceTimeLimit() async {
        while !Task.isCancelled, let deadline {
            do { try await sleep(max(deadline.instant - now(), .zero)) } catch { return }
            guard deadline != self.deadline else { return giveUp(.timeout, deadline.reason) }
        }
    }

    private var deadline: ExchangeProgress.Deadline? {
        state.withLock { $0.result == nil ? $0.progress.deadline : nil }
    }

    func end(_ result: Result<Void, HTTPTransportError>) {
        let (timer, stop, answer) = state.withLock { state in
            guard state.result == nil else {
                return (nil as Task<Void, Never>?, nil as (@Sendable () -> Void)?, nil as Answer?)
            }
            state.result = result
            defer { (state.timer, state.stop) = (nil, nil) }
            return (state.timer, state.stop, state.popAnswer())
        }
        timer?.cancel()
        stop?()
        if let answer { answer.continuation.resume(returning: answer.result) }
    }
}

/// Progress of the reply to an HTTP request, with the time at which the request times out without further progress.
struct ExchangeProgress: Sendable {
    /// Time at which an HTTP request times out unless more bytes of the reply are received.
    struct Deadline: Sendable, Equatable {
        let instant: ContinuousClock.Instant
        /// Description of the timeout for an error message, as the rest of a sentence.
        let reason: String
    }

    private let limits: HTTPLimits
    private let beginning: ContinuousClock.Instant
    private var latest: (instant: ContinuousClock.Instant, byteCount: Int)?

    init(limits: HTTPLimits, beginning: ContinuousClock.Instant) {
        self.limits = limits
        self.beginning = beginning
    }

    /// Records that bytes of the reply were received.
    ///
    /// - Parameter byteCount: Number of bytes of the body received so far.
    mutating func advance(to byteCount: Int, at instant: ContinuousClock.Instant) {
        latest = (instant, byteCount)
    }

    var deadline: Deadline {
        let whole = Self.deadline(limits.whole, after: beginning) { "the reply was not complete within \($0) s" }
        let part =
            if let latest {
                Self.deadline(limits.stall, after: latest.instant) {
                    "no more data was received for \($0) s (bytes received: \(latest.byteCount))"
                }
            } else {
                Self.deadline(limits.firstByte, after: beginning) { "the reply did not begin within \($0) s" }
            }
        return part.instant < whole.instant ? part : whole
    }

    private static func deadline(
        _ seconds: TimeInterval, after instant: ContinuousClock.Instant, reason: (String) -> String
    ) -> Deadline {
        let seconds = seconds > 0 ? min(seconds, longest) : 0
        return Deadline(instant: instant + .seconds(seconds), reason: reason(seconds.formatted()))
    }

    static let longest: TimeInterval = 86_400
}
