internal import Crypto
package import Foundation
internal import VitrineSupport

/// Rate of requests that a limit accepts.
package struct RequestRate: Sendable, Hashable {
    /// Maximum number of requests in a burst.
    package var count: Int
    /// Time in seconds until a used-up allowance is full again.
    package var seconds: TimeInterval

    package init(count: Int, seconds: TimeInterval) { (self.count, self.seconds) = (count, seconds) }
}

/// Rate limits for addresses or devices. Each has an allowance (token bucket) that refills over time.
package final class RequestLimits: Sendable {
    private struct Allowance {
        var count: Double
        var date: Date
    }

    /// Maximum number of addresses or devices whose allowance is stored.
    private static let most = 100_000
    /// Maximum length in bytes of a stored name. Clients choose parts of the names.
    private static let longestName = 160

    private let rate: RequestRate
    private let now: @Sendable () -> Date
    private let allowances = Locked<[String: Allowance]>([:])

    package init(_ rate: RequestRate, now: @escaping @Sendable () -> Date) { (self.rate, self.now) = (rate, now) }

    /// Counts a request against the allowance of its sender.
    ///
    /// - Parameters:
    ///   - name: Address or device that makes the request.
    ///   - units: What the request uses of the allowance.
    /// - Throws: ``ErrorResponse`` with status 429 if the allowance is used up.
    package func count(_ name: String, units: Int = 1) throws(ErrorResponse) {
        try require(units, of: name, counting: units)
    }

    /// Checks that the allowance of a sender is large enough for a request, and does not count the request.
    ///
    /// - Parameters:
    ///   - name: Address or device that makes the request.
    ///   - units: What the request uses of the allowance if it is counted.
    /// - Throws: ``ErrorResponse`` with status 429 if the allowance is too small.
    package func check(_ name: String, units: Int) throws(ErrorResponse) {
        try require(units, of: name, counting: 0)
    }

    private func require(_ units: Int, of name: String, counting counted: Int) throws(ErrorResponse) {
        let (name, units) = (Self.stored(name), Double(units))
        let (now, full, refill) = (now(), Double(rate.count), Double(rate.count) / rate.seconds)
        let missing: Double = allowances.withLock { allowances in
            var allowance = allowances[name] ?? Allowance(count: full, date: now)
            allowance.count = min(full, allowance.count + max(now.timeIntervalSince(allowance.date), 0) * refill)
            allowance.date = now
            let isAccepted = allowance.count >= units
            if isAccepted { allowance.count -= Double(counted) }
            if allowances[name] == nil, allowances.count >= Self.most {
                allowances = allowances.filter { $0.value.count + now.timeIntervalSince($0.value.date) * refill < full }
                if allowances.count >= Self.most { allowances = [:] }
            }
            allowances[name] = allowance
            return isAccepted ? 0 : units - allowance.count
        }
        guard missing > 0 else { return }
        throw .tooMany(after: max(1, Int((missing / refill).rounded(.up))))
    }

    /// Returns a name as it is stored: a long name is replaced by its digest.
    static func stored(_ name: String) -> String {
        name.utf8.count <= longestName ? name : SHA256.hash(data: Data(name.utf8)).hexadecimal
    }
}
