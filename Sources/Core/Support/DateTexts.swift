package import Foundation

extension Int {
    /// Text with a number of products, such as "2 products".
    package var products: String { "\(self) product\(self == 1 ? "" : "s")" }
}

extension Date {
    /// Formatted day in UTC, such as "2019-05-01".
    package var day: String { formatted(.iso8601.year().month().day()) }

    /// Formatted day and time in UTC, to the second, such as "2019-05-01 12:30:00 UTC".
    package var second: String {
        day + " " + formatted(.iso8601.time(includingFractionalSeconds: false)).prefix(8) + " UTC"
    }

    /// Formatted day and time in UTC, to the minute, such as "2019-05-01 12:30 UTC".
    package var minute: String {
        day + " " + formatted(.iso8601.time(includingFractionalSeconds: false)).prefix(5) + " UTC"
    }
}

extension Date {
    /// Parses a day such as 2019-05-01 as midnight in UTC. The formatted result must equal the text, because
    /// Foundation's parser is lenient.
    package init?(day text: String) {
        guard let date = try? Date(text, strategy: .iso8601.year().month().day()), date.day == text,
            date.timeIntervalSince1970 >= 0
        else { return nil }
        self = date
    }

    /// Parses a day such as 2019-05-01, or a time such as 2019-05-01T12:30:00Z, also in the forms in which it is displayed:
    /// 2019-05-01 12:30:00 UTC and 2019-05-01 12:30 UTC.
    package init?(dayOrTime text: String) {
        let inSeconds = text.replacing(" UTC", with: text.utf8.count < 23 ? ":00Z" : "Z").replacing(" ", with: "T")
        if let date = Date(day: text) ?? Date(inSeconds: text) {
            self = date
        } else if let date = Date(inSeconds: inSeconds), [date.second, date.minute].contains(text) {
            self = date
        } else {
            return nil
        }
    }
}

extension Date {
    /// Parses a time such as `2026-11-22T00:00:00Z`, not before 1970. The formatted result must equal the text.
    package init?(inSeconds text: String) {
        guard text.utf8.count == 20, let date = try? Date(text, strategy: .iso8601), date.timeIntervalSince1970 >= 0,
            date.inSeconds.utf8.elementsEqual(text.utf8)
        else { return nil }
        self = date
    }

    /// Formatted date such as `2026-11-22T00:00:00Z`.
    package var inSeconds: String { formatted(.iso8601) }
}
