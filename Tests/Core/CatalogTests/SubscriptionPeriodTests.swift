import Foundation
import Testing
import VitrineCatalog
import VitrineTestSupport

@Suite(.hangLimit) struct SubscriptionPeriodTests {
    @Test(arguments: [
        ("P3D", 3, RenewalPeriod.Unit.day), ("P1W", 1, .week), ("P1M", 1, .month), ("P12M", 12, .month),
        ("P1Y", 1, .year), ("P9999D", 9_999, .day),
    ])
    func `a renewal period is read as a number and a unit`(text: String, count: Int, unit: RenewalPeriod.Unit) throws {
        let period = try #require(RenewalPeriod(iso8601: text))

        #expect(period.count == count)
        #expect(period.unit == unit)
        #expect(period == RenewalPeriod(count: count, unit: unit))
        #expect(period.description == text)
    }

    @Test(arguments: [
        "", "P", "PM", "P1", "1M", "P0D", "P0000M", "P10000D", "P00001D", "P-1M", "P+1M", "P1.5Y", "p1m", "P1m", " P1M",
        "P1M ", "PT1H", "P1H", "P1Y6M", "P1M\u{301}", "P١M", "month", "P1M\0",
    ])
    func `an invalid renewal period is refused`(text: String) { #expect(RenewalPeriod(iso8601: text) == nil) }

    @Test func `a renewal period of a million digits is refused`() {
        #expect(RenewalPeriod(iso8601: "P" + String(repeating: "1", count: 1_000_000) + "D") == nil)
    }

    @Test(arguments: [0, -1, 10_000, .max, .min])
    func `a renewal period with a number out of range is refused`(count: Int) {
        #expect(RenewalPeriod(count: count, unit: .day) == nil)
    }

    @Test func `a renewal period is encoded and decoded as its ISO 8601 text`() throws {
        let periods = try ["P1W", "P3M"].map { try #require(RenewalPeriod(iso8601: $0)) }
        let data = try JSONEncoder().encode(periods)

        #expect(String(decoding: data, as: UTF8.self) == #"["P1W","P3M"]"#)
        #expect(try JSONDecoder().decode([RenewalPeriod].self, from: data) == periods)
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([RenewalPeriod].self, from: Data(#"["P0M"]"#.utf8))
        }
    }
}
