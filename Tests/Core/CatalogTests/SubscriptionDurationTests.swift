import Foundation
import Testing
import VitrineCatalog
import VitrineTestSupport

@Suite(.hangLimit) struct SubscriptionDurationTests {
    @Test(arguments: [
        "P1M", "P7D", "P1Y", "PT12H", "P1W", "P1Y6M", "P1Y2M3DT4H5M6S", "P9999Y9999M9999D", "P0Y1M", "P01M", "PT1S",
        "P1DT1M", "P9999W",
    ])
    func `a subscription duration is read from ISO 8601 text and described by the same text`(text: String) throws {
        #expect(try #require(SubscriptionDuration(text)).description == text)
    }

    @Test(arguments: [
        "", "P", "PT", "P1", "1M", "P1DT", "PT1", "P0D", "P0W", "P0Y0M0DT0H0M0S", "p1m", "P1m", " P1M", "P1M ", "-P1M",
        "P-1M", "P+1M", "P1.5Y", "P1,5Y", "P10000D", "P00001D", "P1W1D", "P1Y1W", "PT1W", "P1D1M", "P1M1Y", "P1M1M",
        "PT1M1H", "PT1HT1M", "P1H", "PT1D", "PT1Y", "PW", "PD", "P١M", "P1M\u{301}", "month", "P1M\0",
    ])
    func `an invalid subscription duration is refused`(text: String) { #expect(SubscriptionDuration(text) == nil) }

    @Test func `a subscription duration of a million digits is refused`() {
        #expect(SubscriptionDuration("P" + String(repeating: "1", count: 1_000_000) + "D") == nil)
    }

    @Test(arguments: [
        ("P1W", "P7D"), ("P1Y", "P12M"), ("P1D", "PT24H"), ("PT1H", "PT60M"), ("P1Y6M", "P18M"), ("P01M", "P1M"),
    ])
    func `subscription durations that always end at the same time are equal`(left: String, right: String) {
        #expect(SubscriptionDuration(left) == SubscriptionDuration(right))
        #expect(SubscriptionDuration(left).hashValue == SubscriptionDuration(right).hashValue)
    }

    @Test(arguments: [("P1M", "P30D"), ("P1Y", "P365D"), ("PT1M", "P1M"), ("P1M", "P2M")])
    func `subscription durations that can end at different times are not equal`(left: String, right: String) {
        #expect(SubscriptionDuration(left) != SubscriptionDuration(right))
    }

    @Test(arguments: [
        ("P1M", "2026-01-31T10:30:00Z", "2026-02-28T10:30:00Z"),
        ("P1M", "2028-01-31T10:30:00Z", "2028-02-29T10:30:00Z"),
        ("P1M", "2026-02-28T00:00:00Z", "2026-03-28T00:00:00Z"),
        ("P1Y", "2028-02-29T12:00:00Z", "2029-02-28T12:00:00Z"),
        ("P1Y", "2027-02-28T12:00:00Z", "2028-02-28T12:00:00Z"),
        ("P4Y", "2028-02-29T12:00:00Z", "2032-02-29T12:00:00Z"),
        ("P2M", "2026-12-31T23:59:59Z", "2027-02-28T23:59:59Z"),
        ("P7D", "2026-02-25T08:00:00Z", "2026-03-04T08:00:00Z"),
        ("P1W", "2026-12-30T08:00:00Z", "2027-01-06T08:00:00Z"),
        ("PT12H", "2026-12-31T13:00:00Z", "2027-01-01T01:00:00Z"),
        ("P1D", "2026-03-28T23:30:00Z", "2026-03-29T23:30:00Z"),
        ("P1MT1H", "2026-01-31T23:30:00Z", "2026-03-01T00:30:00Z"),
        ("P1M1D", "2026-01-31T00:00:00Z", "2026-03-01T00:00:00Z"),
    ])
    func `the end of a subscription duration is computed with the calendar in UTC`(
        text: String, start: String, end: String
    ) throws {
        let duration = try #require(SubscriptionDuration(text))

        #expect(duration.end(from: try Date(start, strategy: .iso8601)) == (try Date(end, strategy: .iso8601)))
    }

    @Test(arguments: ["P1M", "P7D", "P1Y"])
    func `the end of a subscription duration has the same fraction of a second as its start`(text: String) throws {
        let start = Date(timeIntervalSince1970: 1_798_761_600.123)
        let end = try #require(SubscriptionDuration(text)?.end(from: start))

        #expect(abs(end.timeIntervalSince1970.truncatingRemainder(dividingBy: 1) - 0.123) < 0.000_1)
    }

    @Test(arguments: [
        Double.infinity, -.infinity, .nan, .greatestFiniteMagnitude, -.greatestFiniteMagnitude, 1e18, -1e18, 3.2e12,
    ])
    func `the end of a subscription duration is nil if its start date is outside the calendar`(seconds: Double) {
        for text in ["P1M", "P1D", "P9999Y9999M9999D"] {
            #expect(SubscriptionDuration(text)?.end(from: Date(timeIntervalSince1970: seconds)) == nil)
        }
    }

    @Test(arguments: [
        Date.distantPast, .distantFuture, Date(timeIntervalSince1970: 0), Date(timeIntervalSince1970: 3.15e12),
        Date(timeIntervalSince1970: -3.15e12),
    ])
    func `the longest subscription duration ends more than ten thousand years after its start`(start: Date) throws {
        let longest = try #require(SubscriptionDuration("P9999Y9999M9999DT9999H9999M9999S"))

        #expect(try #require(longest.end(from: start)) > start.addingTimeInterval(10_800 * 365 * 86_400))
    }
}
