import Foundation
import VitrineCatalog
import VitrineEntitlements
import VitrineSupport

/// Time to which a store's clock is advanced: a date, or the end of a duration that starts now.
enum StoreInstant {
    case date(Date)
    case end(of: SubscriptionDuration)

    /// Parses a day or time, a duration in ISO 8601 notation such as P1M or PT12H, or a number of weeks, days, hours,
    /// minutes or seconds such as 30d, 12h or 90m.
    ///
    /// - Returns: `nil` for other texts, numbers of more than four digits, and a duration of zero.
    init?(_ text: String) {
        if let date = Date(dayOrTime: text) {
            self = .date(date)
        } else if let duration = SubscriptionDuration(text) ?? Self.duration(text) {
            self = .end(of: duration)
        } else {
            return nil
        }
    }

    private static func duration(_ text: String) -> SubscriptionDuration? {
        let amount = text.dropLast()
        switch text.last {
        case "w": return SubscriptionDuration("P\(amount)W")
        case "d": return SubscriptionDuration("P\(amount)D")
        case "h", "m", "s": return SubscriptionDuration("PT\(text.uppercased())")
        default: return nil
        }
    }

    /// Returns the date to which the clock is advanced.
    ///
    /// - Parameter start: Start of a duration, in the Gregorian calendar and UTC.
    func date(from start: Date) -> Date {
        switch self {
        case .date(let date): date
        case .end(let duration): duration.end(from: start) ?? .distantFuture
        }
    }
}
