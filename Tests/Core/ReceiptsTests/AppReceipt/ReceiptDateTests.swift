import Foundation
import Testing
import VitrineStoreSimulator
import VitrineTestSupport

@testable import VitrineReceipts

@Suite(.hangLimit) struct ReceiptDateTests {
    @Test(
        arguments: [
            ("1970-01-01T00:00:00Z", 0), ("2017-09-04T09:01:20Z", 1_504_515_680),
            ("2020-09-01T16:58:49+0300", 1_598_968_729), ("2020-09-01T16:58:49+03:00", 1_598_968_729),
            ("2020-02-29T23:59:59-0930", 1_583_054_999), ("2000-02-29T00:00:00Z", 951_782_400),
            ("2017-09-04T09:01:20.5Z", 1_504_515_680.5), ("2017-09-04T09:01:20.125+0000", 1_504_515_680.125),
            ("9999-12-31T23:59:59Z", 253_402_300_799), ("4001-01-01T00:00:00+0000", 64_092_211_200),
        ] as [(String, TimeInterval)]
    )
    func `receipt dates are read in all formats that stores write`(text: String, seconds: TimeInterval) {
        #expect(ReceiptDate.date(text)?.timeIntervalSince1970 == seconds)
    }

    @Test(
        arguments: [
            "", "Z", "2017-09-04", "2017-09-04T09:01:20", "2017-09-04 09:01:20Z", "2017-09-04t09:01:20z",
            "2017-9-4T09:01:20Z", "2017-09-04T09:01Z", "2017-09-04T09:01:20ZZ", " 2017-09-04T09:01:20Z",
            "2017-09-04T09:01:20Z ", "2017-00-04T09:01:20Z", "2017-13-04T09:01:20Z", "2017-09-00T09:01:20Z",
            "2017-09-31T09:01:20Z", "2017-02-29T09:01:20Z", "1900-02-29T09:01:20Z", "2100-02-29T09:01:20Z",
            "2017-09-04T24:00:00Z", "2017-09-04T09:60:20Z", "2017-09-04T09:01:60Z", "2017-09-04T09:01:20.Z",
            "2017-09-04T09:01:20.1234567890Z", "2017-09-04T09:01:20,5Z", "2017-09-04T09:01:20+3",
            "2017-09-04T09:01:20+2400", "2017-09-04T09:01:20+0060", "2017-09-04T09:01:20+03:000",
            "1969-12-31T23:59:59Z", "1970-01-01T00:00:00+0100", "9999-12-31T23:59:59-0100", "+2017-09-04T09:01:20Z",
            "-017-09-04T09:01:20Z", "20170904T090120Z", "２０１７-09-04T09:01:20Z", "1504515680",
        ]
    )
    func `a text that is not a valid receipt date is refused`(text: String) {
        #expect(ReceiptDate.date(text) == nil)
    }

    @Test func `any receipt date written in ISO 8601 is read back unchanged`() {
        var generator = SeededGenerator(seed: 12)
        for _ in 0..<2_000 {
            let date = Date(timeIntervalSince1970: TimeInterval(Int.random(in: 0...253_402_300_799, using: &generator)))
            #expect(ReceiptDate.date(date.formatted(.iso8601)) == date)
        }
    }
}

extension ReceiptDate {
    fileprivate static func date(_ text: String) -> Date? { Array(text.utf8).withUnsafeBytes(date) }
}
