import Foundation
import Testing
import VitrineCatalog
import VitrineStoreSimulator
import VitrineTestSupport

@Suite(.hangLimit) struct TimeRateTests {
    /// Expected lengths at one rate, in seconds.
    struct Case: Sendable, CustomTestStringConvertible {
        let rate: TimeRate
        /// Renewal periods for subscriptions of a week, and of 1, 2, 3, 6 and 12 months.
        let renewals: [TimeInterval]
        let weeklyGrace: TimeInterval
        let grace: TimeInterval
        let retry: TimeInterval
        var testDescription: String { rate.name }
    }

    private static let periods = ["P1W", "P1M", "P2M", "P3M", "P6M", "P1Y"]
    private static let start = Date(timeIntervalSince1970: 1_798_761_600.123)

    private static func period(_ text: String) throws -> RenewalPeriod {
        try #require(RenewalPeriod(iso8601: text))
    }

    private static func days(_ rate: TimeRate, _ day: TimeInterval) -> Case {
        Case(
            rate: rate, renewals: [7, 30, 60, 90, 180, 365].map { $0 * day }, weeklyGrace: 6 * day, grace: 16 * day,
            retry: 60 * day)
    }

    private static func fixed(_ rate: TimeRate, _ renewal: TimeInterval) -> Case {
        Case(
            rate: rate, renewals: Array(repeating: renewal, count: 6), weeklyGrace: renewal, grace: renewal,
            retry: 2 * renewal)
    }

    private static let cases = [
        days(.oneHourIsOneDay, 3_600), days(.thirtyMinutesIsOneDay, 1_800), days(.fiveMinutesIsOneDay, 300),
        days(.oneMinuteIsOneDay, 60), days(.thirtySecondsIsOneDay, 30), days(.oneSecondIsOneDay, 1),
        Case(
            rate: .monthlyRenewalEveryHour, renewals: [900, 3_600, 7_200, 10_800, 21_600, 43_200], weeklyGrace: 771,
            grace: 1_800, retry: 7_200),
        Case(
            rate: .monthlyRenewalEveryThirtyMinutes, renewals: [600, 1_800, 3_600, 5_400, 10_800, 21_600],
            weeklyGrace: 514, grace: 900, retry: 3_600),
        Case(
            rate: .monthlyRenewalEveryFifteenMinutes, renewals: [300, 900, 1_800, 2_700, 5_400, 10_800],
            weeklyGrace: 257, grace: 450, retry: 1_800),
        Case(
            rate: .monthlyRenewalEveryFiveMinutes, renewals: [180, 300, 600, 900, 1_800, 3_600], weeklyGrace: 154,
            grace: 150, retry: 600),
        Case(
            rate: .monthlyRenewalEveryThirtySeconds, renewals: [10, 30, 60, 90, 180, 360], weeklyGrace: 9, grace: 15,
            retry: 60),
        fixed(.oneRenewalEveryFifteenMinutes, 900), fixed(.oneRenewalEveryFiveMinutes, 300),
        fixed(.oneRenewalEveryMinute, 60), fixed(.oneRenewalEveryThirtySeconds, 30),
        fixed(.oneRenewalEveryTenSeconds, 10), fixed(.oneRenewalEveryTwoSeconds, 2),
    ]

    @Test(arguments: cases)
    func `renewal, grace and retry periods have the lengths of the time rate`(length: Case) throws {
        for (text, renewal) in zip(Self.periods, length.renewals) {
            let period = try Self.period(text)
            let end = length.rate.end(of: period, from: Self.start, billingDay: 31)

            #expect(end == Self.start.addingTimeInterval(renewal), "\(text)")
            #expect(
                length.rate.gracePeriod(for: period) == (text == "P1W" ? length.weeklyGrace : length.grace), "\(text)")
            #expect(length.rate.retryPeriod(for: period) == length.retry, "\(text)")
        }
    }

    @Test func `in real time the grace period lasts 6 or 16 days and billing retry lasts 60 days`() throws {
        #expect(TimeRate.realTime.gracePeriod(for: try Self.period("P1W")) == 6 * 86_400)
        for text in ["P1M", "P2M", "P3M", "P6M", "P1Y"] {
            #expect(TimeRate.realTime.gracePeriod(for: try Self.period(text)) == 16 * 86_400)
        }
        for text in Self.periods {
            #expect(TimeRate.realTime.retryPeriod(for: try Self.period(text)) == 60 * 86_400)
        }
    }

    @Test(arguments: [
        ("P2W", TimeRate.monthlyRenewalEveryHour, 1_800.0), ("P7D", .monthlyRenewalEveryHour, 900),
        ("P14D", .monthlyRenewalEveryFiveMinutes, 360), ("P4M", .monthlyRenewalEveryThirtySeconds, 120),
        ("P2Y", .monthlyRenewalEveryFifteenMinutes, 21_600), ("P3D", .oneSecondIsOneDay, 3),
        ("P2W", .oneSecondIsOneDay, 14), ("P2Y", .oneMinuteIsOneDay, 43_800), ("P3D", .oneRenewalEveryMinute, 60),
        ("P12M", .oneRenewalEveryMinute, 60),
    ])
    func `subscription periods of uncommon lengths follow the time rate`(
        text: String, rate: TimeRate, seconds: TimeInterval
    ) throws {
        let end = rate.end(of: try Self.period(text), from: Self.start, billingDay: 1)

        #expect(abs(end.timeIntervalSince(Self.start) - seconds) < 0.000_001)
    }

    @Test(arguments: ["P3D", "P7D", "P2W"])
    func `subscription periods of days or weeks have the grace period of a weekly subscription`(text: String) throws {
        #expect(TimeRate.monthlyRenewalEveryHour.gracePeriod(for: try Self.period(text)) == 771)
        #expect(TimeRate.realTime.gracePeriod(for: try Self.period(text)) == 6 * 86_400)
    }

    @Test(arguments: [
        ("P1M", "2026-01-31T10:30:00Z", 31, "2026-02-28T10:30:00Z"),
        ("P1M", "2026-02-28T10:30:00Z", 31, "2026-03-31T10:30:00Z"),
        ("P1M", "2026-03-31T10:30:00Z", 31, "2026-04-30T10:30:00Z"),
        ("P1M", "2028-01-31T10:30:00Z", 31, "2028-02-29T10:30:00Z"),
        ("P1M", "2028-02-29T10:30:00Z", 30, "2028-03-30T10:30:00Z"),
        ("P1M", "2026-02-28T10:30:00Z", 28, "2026-03-28T10:30:00Z"),
        ("P1M", "2026-01-15T00:00:00Z", 15, "2026-02-15T00:00:00Z"),
        ("P2M", "2026-12-31T23:59:59Z", 31, "2027-02-28T23:59:59Z"),
        ("P3M", "2026-11-30T00:00:00Z", 30, "2027-02-28T00:00:00Z"),
        ("P6M", "2026-08-31T00:00:00Z", 31, "2027-02-28T00:00:00Z"),
        ("P1Y", "2028-02-29T12:00:00Z", 29, "2029-02-28T12:00:00Z"),
        ("P1Y", "2029-02-28T12:00:00Z", 29, "2030-02-28T12:00:00Z"),
        ("P1Y", "2031-02-28T12:00:00Z", 29, "2032-02-29T12:00:00Z"),
        ("P1Y", "2099-02-28T12:00:00Z", 29, "2100-02-28T12:00:00Z"),
        ("P1W", "2026-12-30T08:00:00Z", 31, "2027-01-06T08:00:00Z"),
        ("P3D", "2026-03-28T23:30:00Z", 1, "2026-03-31T23:30:00Z"),
        ("P1M", "2026-01-31T10:30:00Z", 0, "2026-02-01T10:30:00Z"),
        ("P1M", "2026-01-31T10:30:00Z", .max, "2026-02-28T10:30:00Z"),
    ])
    func `subscription periods in real time follow the calendar and end on the billing day`(
        text: String, start: String, billingDay: Int, end: String
    ) throws {
        let date = try Date(start, strategy: .iso8601)

        #expect(
            TimeRate.realTime.end(of: try Self.period(text), from: date, billingDay: billingDay)
                == (try Date(end, strategy: .iso8601)))
    }

    @Test func `twelve monthly renewals from January 31 end on the last day of each month`() throws {
        let month = try Self.period("P1M")
        var date = try Date("2027-01-31T07:08:09Z", strategy: .iso8601).addingTimeInterval(0.25)
        var days: [String] = []
        for _ in 1...12 {
            date = TimeRate.realTime.end(of: month, from: date, billingDay: 31)
            days.append(String(date.ISO8601Format().prefix(10).dropFirst(5)))
        }

        #expect(
            days == [
                "02-28", "03-31", "04-30", "05-31", "06-30", "07-31", "08-31", "09-30", "10-31", "11-30", "12-31",
                "01-31",
            ])
        #expect(date == (try Date("2028-01-31T07:08:09Z", strategy: .iso8601)).addingTimeInterval(0.25))
    }

    @Test(arguments: [
        Date.distantPast, .distantFuture, Date(timeIntervalSince1970: 3e12), Date(timeIntervalSince1970: 1e15),
    ])
    func `a subscription period ends after it begins, even for extreme dates`(start: Date) throws {
        for rate in TimeRate.allCases {
            for text in ["P1D", "P1M", "P9999Y"] {
                #expect(rate.end(of: try Self.period(text), from: start, billingDay: 1) > start, "\(rate.name) \(text)")
            }
        }
    }

    @Test(arguments: [
        (0, "real-time"), (1, "one-hour-is-one-day"), (2, "thirty-minutes-is-one-day"), (3, "five-minutes-is-one-day"),
        (4, "one-minute-is-one-day"), (5, "thirty-seconds-is-one-day"), (6, "one-second-is-one-day"),
        (10, "monthly-renewal-every-hour"), (11, "monthly-renewal-every-thirty-minutes"),
        (12, "monthly-renewal-every-fifteen-minutes"), (13, "monthly-renewal-every-five-minutes"),
        (15, "monthly-renewal-every-thirty-seconds"), (1_000, "one-renewal-every-fifteen-minutes"),
        (1_001, "one-renewal-every-five-minutes"), (1_002, "one-renewal-every-minute"),
        (1_003, "one-renewal-every-thirty-seconds"), (1_004, "one-renewal-every-ten-seconds"),
        (1_005, "one-renewal-every-two-seconds"),
    ])
    func `each time rate has the raw value of the same rate in StoreKitTest`(rawValue: Int, name: String) throws {
        let rate = try #require(TimeRate(name: name))

        #expect(rate.rawValue == rawValue)
        #expect(rate.name == name)
    }

    @Test func `an undefined name of a time rate is refused`() {
        for name in ["", "realTime", "Real-Time", "0"] { #expect(TimeRate(name: name) == nil) }
    }

    @Test func `a store configuration file accepts exactly the defined time rates`() {
        #expect(Set(TimeRate.allCases.map(\.rawValue)) == StoreConfiguration.timeRates)
    }
}
