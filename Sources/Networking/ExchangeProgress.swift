internal import Foundation

/// How far an exchange has come, and when it takes too long.
struct ExchangeProgress: Sendable {
    /// When to give up, unless more has come by then.
    struct Deadline: Sendable, Equatable {
        let instant: ContinuousClock.Instant
        /// Why, as the rest of a sentence.
        let reason: String
    }

    private let limits: HTTPLimits
    private let beginning: ContinuousClock.Instant
    private var latest: (instant: ContinuousClock.Instant, byteCount: Int)?

    init(limits: HTTPLimits, beginning: ContinuousClock.Instant) {
        self.limits = limits
        self.beginning = beginning
    }

    /// - Parameter byteCount: How much of the body there is.
    mutating func advance(to byteCount: Int, at instant: ContinuousClock.Instant) {
        latest = (instant, byteCount)
    }

    var deadline: Deadline {
        let whole = Self.deadline(limits.whole, after: beginning) { "there was no whole reply within \($0) s" }
        let part =
            if let latest {
                Self.deadline(limits.stall, after: latest.instant) {
                    "no further byte came within \($0) s, after \(latest.byteCount)"
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
