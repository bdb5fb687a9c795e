import ArgumentParser
import Foundation

/// App and channel that a file is signed for.
struct ScopeOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The bundle identifier of the app that the file is signed for.", valueName: "id"))
    var app: String

    @Option(help: ArgumentHelp("The channel that the file is signed for.", valueName: "name"))
    var channel = "production"
}

/// Expiration of a signed file.
enum Expiry: ExpressibleByArgument {
    case date(Date)
    /// Number of days after the file is issued.
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
    /// Current time without the fraction of a second, which signatures do not contain.
    static var thisSecond: Date { Date(timeIntervalSince1970: Date().timeIntervalSince1970.rounded(.down)) }
}
