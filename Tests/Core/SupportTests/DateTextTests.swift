import Foundation
import Testing
import VitrineSupport

/// Texts of dates, in the calendar of ISO 8601.
struct DateTextTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let seconds: Double
        let text: String
        var testDescription: String { text }
    }

    @Test(arguments: [
        Case(seconds: 0, text: "1970-01-01T00:00:00Z"), Case(seconds: 0.9, text: "1970-01-01T00:00:00Z"),
        Case(seconds: -0.1, text: "1969-12-31T23:59:59Z"), Case(seconds: 951_782_400, text: "2000-02-29T00:00:00Z"),
        Case(seconds: 4_107_542_399, text: "2100-02-28T23:59:59Z"),
        Case(seconds: -12_219_292_801, text: "1582-10-14T23:59:59Z"),
        Case(seconds: -62_135_596_800, text: "0001-01-01T00:00:00Z"),
        Case(seconds: Date.distantPast.timeIntervalSince1970, text: "0000-12-30T00:00:00Z"),
        Case(seconds: 253_402_300_799, text: "9999-12-31T23:59:59Z"),
        Case(seconds: -62_167_219_201, text: "-0001-12-31T23:59:59Z"),
    ])
    func `a date is shown in the Gregorian calendar, rounded down to the second`(_ test: Case) {
        let date = Date(timeIntervalSince1970: test.seconds)

        #expect(date.inSeconds == test.text)
        #expect(date.second == test.text.replacing("T", with: " ").replacing("Z", with: " UTC"))
        #expect(test.text.hasPrefix(date.day))
        #expect(date.minute == test.text.dropLast(4).replacing("T", with: " ") + " UTC")
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity, 1e300])
    func `a number that is no date has a text too`(seconds: Double) {
        #expect(Date(timeIntervalSince1970: seconds).inSeconds.hasSuffix("Z"))
    }
}
