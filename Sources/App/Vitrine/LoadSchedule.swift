internal import Foundation
internal import VitrineNetworking
internal import VitrinePurchasing

/// Schedule of automatic loads of products.
struct LoadSchedule: Sendable {
    let retries: RetrySchedule
    /// Interval after which loaded products are loaded again; `nil` for never.
    private let interval: Duration?

    /// Default age at which the store's response is requested again when the app comes to the foreground, if the app
    /// sets no interval.
    private static let usualInterval = Duration.seconds(3_600)
    private static let shortestInterval = Duration.seconds(60)

    init(retries: RetrySchedule, interval: Duration?) {
        self.retries = retries
        self.interval = interval.map { max($0, Self.shortestInterval) }
    }

    /// Returns the date of the next automatic load of products.
    ///
    /// - Parameter goodUntil: Date until which new products are sold from the current catalog.
    /// - Returns: `nil` if nothing is loaded automatically.
    func nextLoad(after record: LoadRecord, goodUntil: Date?, at now: Date) -> Date? {
        var dates: [Date] = []
        func retry(after failures: Int) -> Date {
            record.isRetriedAtOnce ? now : now + retries.delay(before: failures - 1).seconds
        }
        // A retry of the store query does not wait for the catalog's server.
        if record.productsFailure != nil { dates.append(retry(after: record.productsFailures)) }
        if record.purchasesFailure != nil { dates.append(retry(after: record.purchasesFailures)) }
        if record.catalogFailure != nil {
            dates.append(max(retry(after: record.catalogFailures), record.retryDate(after: now) ?? now))
        }
        if dates.isEmpty, let interval { dates.append(now + interval.seconds) }
        if record.isCatalogAhead { dates.append(now) }
        if let date = record.contradictions.nextRequest {
            dates.append(max(date, record.retryDate(after: now) ?? date))
        }
        if let goodUntil, goodUntil > now { dates.append(goodUntil) }
        return dates.min()
    }

    /// Returns `true` if the store's response is recent enough not to be requested again when the app comes to the
    /// foreground.
    func isFresh(_ answer: StoreSnapshot?, at now: Date) -> Bool {
        guard let answer else { return false }
        return (0..<(interval ?? Self.usualInterval).seconds).contains(now.timeIntervalSince(answer.date))
    }
}

extension Duration {
    fileprivate var seconds: TimeInterval { self / .seconds(1) }
}
