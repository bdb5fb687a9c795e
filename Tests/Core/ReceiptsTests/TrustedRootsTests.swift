import Crypto
import Foundation
import SwiftASN1
import Testing
import VitrineTestSupport
import X509

@testable import VitrineReceipts

@Suite(.hangLimit) struct TrustedRootsTests {
    @Test func `the built-in Apple roots have the fingerprints that Apple publishes`() throws {
        let fingerprints = try TrustedRoots.apple.certificates.map { certificate in
            SHA256.hash(data: try #require(Data(base64Encoded: certificate.base64)))
                .map { String(format: "%02X", $0) }.joined()
        }
        #expect(
            fingerprints == [
                "B0B1730ECBC7FF4505142C49F1295E6EDA6BCAED7E2C68C5BE91B5A11001F024",
                "63343ABFB89A6A03EBB57E9B3F5FA7BE7C4F5C756F3017B3A8C488C3653E9179",
            ])
        #expect(TrustedRoots.apple.xcodeCertificates.isEmpty)
    }
}
