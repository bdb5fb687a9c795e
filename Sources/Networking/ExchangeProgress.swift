internal import Foundation

/// Progress of an exchange, and the deadline that follows from it.
struct ExchangeProgress: Sendable {
    /// Time at which an exchange times out unless more bytes have been received.
    struct Deadline: Sendable, Equatable {
        let instant: ContinuousClock.Instant
        /// Reason for the timeout, as the rest of a sentence.
        let reason: String
    }

    private let limits: HTTPLimits
    private let beginning: ContinuousClock.Instant
    private var latest: (instant: ContinuousClock.Instant, byteCount: Int)?

    init(limits: HTTPLimits, beginning: ContinuousClock.Instant) {
        self.limits = limits
        self.beginning = beginning
    }

    /// Records that bytes were received.
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
