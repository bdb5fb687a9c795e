import ArgumentParser
import Foundation

/// When something that is signed expires.
enum Expiry: ExpressibleByArgument {
    case date(Date)
    /// So many days after it is issued.
    case days(Int)

    private static let mostDays = 36_500

    init?(argument: String) {
        if let date = Date(dayOrTime: argument) {
            self = .date(date)
        } else if let days = Int(argument), (1...Self.mostDays).contains(days) {
            self = .days(days)
        } else {
            return nil
        }
    }

    func date(after issued: Date) -> Date {
        switch self {
        case .date(let date): date
        case .days(let days): issued + TimeInterval(days) * 86_400
        }
    }
}

extension Date {
    /// Now, without the fraction of a second, which signatures do not name.
    static var thisSecond: Date { Date(timeIntervalSince1970: Date().timeIntervalSince1970.rounded(.down)) }
}
