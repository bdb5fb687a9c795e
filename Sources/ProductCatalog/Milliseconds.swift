package import Foundation

/// Conversion of dates to their stored form in databases: whole milliseconds since 1970.
extension Date {
    package init(milliseconds: Int64) { self.init(timeIntervalSince1970: Double(milliseconds) / 1_000) }

    /// Milliseconds since 1970, limited to a hundred thousand years before or after it.
    package var milliseconds: Int64 {
        let limit = 100_000 * 365.25 * 86_400
        return Int64((max(-limit, min(limit, timeIntervalSince1970)) * 1_000).rounded())
    }
}
