internal import CatalogLoading
import Foundation
import ProductCatalog

extension Date {
    /// Parses a day such as 2019-05-01 as midnight in UTC. Parsing is lenient, so the result must format back to the
    /// same text.
    init?(day text: String) {
        guard let date = try? Date(text, strategy: .iso8601.year().month().day()), date.day == text,
            date.timeIntervalSince1970 >= 0
        else { return nil }
        self = date
    }

    /// Parses a day, or a time such as 2019-05-01T12:30:00Z.
    init?(dayOrTime text: String) {
        if let day = Date(day: text) {
            self = day
        } else if let time = Date(inSeconds: text) {
            self = time
        } else {
            return nil
        }
    }
}
