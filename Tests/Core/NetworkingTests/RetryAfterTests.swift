import Foundation
import Testing
import VitrineTestSupport

@testable import VitrineNetworking

@Suite(.hangLimit) struct RetryAfterTests {
    /// Sunday, 6 November 1994, 08:49:37 GMT.
    private let now = Date(timeIntervalSince1970: 784_111_777)

    @Test(
        arguments: [
            ("0", 0), ("1", 1), ("120", 120), (" 120 ", 120), ("3600", 3_600), ("3601", 3_600),
            ("99999999999999999999999999", 3_600),
            ("Sun, 06 Nov 1994 08:49:38 GMT", 1), ("Sun, 06 Nov 1994 08:49:37 GMT", 0),
            ("Sat, 05 Nov 1994 08:49:37 GMT", 0), ("Mon, 07 Nov 1994 08:49:37 GMT", 3_600),
            ("Sunday, 06-Nov-94 08:50:37 GMT", 60), ("Sun Nov  6 08:50:37 1994", 60),
        ] as [(String, TimeInterval)]
    )
    func `a Retry-After header is read as seconds or as a date, with a maximum of one hour`(
        value: String, seconds: TimeInterval
    ) {
        #expect(RetryAfter.seconds(value, now: now) == seconds)
    }

    @Test(
        arguments: [
            "", " ", "-1", "+1", "1.5", "1, 2", "0x10", "١٢", "soon", "1 hour", "Sun, 06 Nov 1994 08:49:38",
            "Sun, 06 Nov 1994 08:49:38 CET", "Sun, 32 Nov 1994 08:49:37 GMT", "06 Nov 1994", "1994-11-06T08:49:37Z",
            "Sun, 06 Nov 1994 08:49:38 GMT, 1", String(repeating: "Sun, ", count: 1_000),
        ])
    func `an invalid Retry-After header is ignored`(value: String) {
        #expect(RetryAfter.seconds(value, now: now) == nil)
    }
}
