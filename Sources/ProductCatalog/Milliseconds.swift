package import Foundation

/// Dates as databases keep them: whole milliseconds since 1970.
extension Date {
    package init(milliseconds: Int64) { self.init(timeIntervalSince1970: Double(milliseconds) / 1_000) }

    /// A date further away than a hundred thousand years is one a hundred thousand years away.
    package var milliseconds: Int64 {
        let limit = 100_000 * 365.25 * 86_400
        return Int64((max(-limit, min(limit, timeIntervalSince1970)) * 1_000).rounded())
    }
}
