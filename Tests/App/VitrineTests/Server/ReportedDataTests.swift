import Foundation
import Testing

@testable import Vitrine

/// Data that a device reports to the app's server once.
@Suite struct ReportedDataTests {
    /// Returns signed data with the same content at each date. Its signature is not valid, and is not checked here.
    private func signedData(on date: Int) -> String {
        let payload = Data(#"{"transactionId":"7","signedDate":\#(date)}"#.utf8).base64EncodedString()
            .trimmingCharacters(in: ["="])
        return "e30.\(payload).AA"
    }

    @Test(arguments: ReportedSignature.Result.allCases)
    func `data that the store signs anew is reported again if the server has rejected the earlier signature`(
        result: ReportedSignature.Result
    ) {
        let (first, again) = (signedData(on: 1), signedData(on: 2))
        var reported = ReportedData(device: "phone")
        reported.insert([ReportedSignature(signedData: first, result: result)])

        let isAnswered = result != .undetermined
        #expect(reported.unreported(of: [[first]]) == (isAnswered ? [] : [[first]]))
        let isFinal = isAnswered && result != .rejected
        #expect(reported.unreported(of: [[again]]) == (isFinal ? [] : [[again]]))
        // A transaction is sent together with the renewal information of its subscription.
        #expect(reported.unreported(of: [[first, "renewal"]]) == [[first, "renewal"]])
    }
}
