internal import Foundation
internal import VitrineReceipts
internal import VitrineSupport

/// Apple's hourly limits for the number of requests of an app
/// ([Apple's table](https://developer.apple.com/documentation/appstoreserverapi/identifying-rate-limits)).
final class RateLimits: Sendable {
    private struct Hour {
        var number: Int
        var requests: [String: Int] = [:]
    }

    private static let hourLength = 3_600
    private let environment: StoreEnvironment
    private let hour = Locked(Hour(number: 0))

    init(environment: StoreEnvironment) { self.environment = environment }

    /// Counts a request.
    ///
    /// - Returns: The date from which requests of the operation are accepted again; `nil` if the request is accepted.
    func count(_ operation: EmulatorOperation, at date: Date) -> Date? {
        guard let rate = operation.rate else { return nil }
        // The sandbox permits a tenth of the requests.
        let limit = environment == .production ? rate * Self.hourLength : rate * Self.hourLength / 10
        let number = Int(date.timeIntervalSince1970) / Self.hourLength
        return hour.withLock { hour in
            if hour.number != number { hour = Hour(number: number) }
            hour.requests[operation.name, default: 0] += 1
            guard hour.requests[operation.name, default: 0] > limit else { return nil }
            return Date(timeIntervalSince1970: TimeInterval((number + 1) * Self.hourLength))
        }
    }
}
