import Foundation
import Testing
import VitrineTestSupport

@testable import VitrineReceipts

@Suite(.hangLimit) struct Base64URLTests {
    @Test(
        arguments: [
            ("", [] as [UInt8]), ("_-8", [0xFF, 0xEF]), ("AA", [0]), ("AAA", [0, 0]), ("AAAA", [0, 0, 0]),
        ]
    )
    func `base64url text is decoded and encoded`(text: String, bytes: [UInt8]) {
        #expect(Base64URL.decode(text) == Data(bytes))
        #expect(Base64URL.encode(bytes) == text)
    }

    @Test(arguments: ["A", "AA==", "AB", "AAB", "A A", "AA\n", "+/8", "ä", "AAAA="])
    func `malformed or non-canonical base64url text is refused`(text: String) {
        #expect(Base64URL.decode(text) == nil)
    }
}
