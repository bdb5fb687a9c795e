internal import Foundation
internal import Purchasing

/// When products are loaded again by themselves.
struct LoadSchedule: Sendable {
    let retries: RetrySchedule
    /// How long what was loaded is good enough; `nil` where it is not loaded again.
    private let interval: Duration?

    /// What the store says is asked for again when the app comes to the foreground after so long, unless an app names an
    /// interval of its own.
    private static let usualInterval = Duration.seconds(3_600)
    private static let shortestInterval = Duration.seconds(60)

    init(retries: RetrySchedule, interval: Duration?) {
        self.retries = retries
        self.interval = interval.map { max($0, Self.shortestInterval) }
    }

    /// - Parameter goodUntil: When nothing new is sold any more from the catalog that is used.
    /// - Returns: `nil` where nothing is loaded until somebody asks for it.
    func nextLoad(after record: LoadRecord, goodUntil: Date?, at now: Date) -> Date? {
        var dates: [Date] = []
        func retry(after failures: Int) -> Date {
            record.isRetriedAtOnce ? now : now + retries.delay(before: failures - 1).seconds
        }
        // What the store has not said does not wait for the catalog's server.
        if record.productsFailure != nil { dates.append(retry(after: record.productsFailures)) }
        if record.catalogFailure != nil {
            dates.append(max(retry(after: record.catalogFailures), record.retryDate(after: now) ?? now))
        }
        if dates.isEmpty, let interval { dates.append(now + interval.seconds) }
        if let goodUntil, goodUntil > now { dates.append(goodUntil) }
        return dates.min()
    }

    /// Whether what the store said is good enough, for an app that comes to the foreground.
    func isFresh(_ answer: StoreAnswer?, at now: Date) -> Bool {
        guard let answer else { return false }
        return (0..<(interval ?? Self.usualInterval).seconds).contains(now.timeIntervalSince(answer.date))
    }
}

extension Duration {
    fileprivate var seconds: TimeInterval { self / .seconds(1) }
}
