import Foundation
import Testing
import VitrineTestSupport

@testable import VitrineReceipts

@Suite(.hangLimit) struct JSONValueTests {
    private func value(_ text: String) throws(SignedDataError) -> JSONValue { try JSONValue(json: Data(text.utf8)) }

    @Test(
        arguments: [
            ("null", .null), ("true", .bool(true)), ("1", .integer(1)), ("-9223372036854775808", .integer(.min)),
            ("1.5", .number(1.5)), ("1e30", .number(1e30)), (#""\u00e9""#, .string("é")), ("[]", .array([])),
            ("{}", .object([:])), (#"{"a":[{"b":"\u0000"}]}"#, .object(["a": .array([.object(["b": .string("\0")])])])),
        ] as [(String, JSONValue)])
    func `JSON values are read`(text: String, expected: JSONValue) throws {
        #expect(try value(text) == expected)
    }

    @Test func `the first value of a duplicate JSON member name is used`() throws {
        #expect(try value(#"{"a":1,"a":2}"#) == .object(["a": .integer(1)]))
    }

    @Test(arguments: [
        "", "{", "nul", "01", "1e999", "NaN", #"{"a":}"#, #"{'a':1}"#, #""\ud800""#, "\"\u{1}\"",
        String(repeating: "[", count: 400) + String(repeating: "]", count: 400),
    ])
    func `invalid or too deeply nested JSON is refused`(text: String) {
        #expect(throws: SignedDataError.self) { try value(text) }
    }

    @Test(arguments: ["[", #"{"a":"#]) func `JSON that opens 100000 levels is refused`(opening: String) {
        #expect(throws: SignedDataError.self) { try value(String(repeating: opening, count: 100_000)) }
    }

    @Test func `JSON with 64 nested levels is read, and with 65 levels is refused`() throws {
        let text = String(repeating: "[", count: 64) + String(repeating: "]", count: 64)
        #expect(throws: Never.self) { try value(text) }
        #expect(throws: SignedDataError.self) { try value("[\(text)]") }
    }

    /// Smallest stack of a secondary thread on Apple's platforms.
    @Test func `JSON with 64 nested levels is read on a thread with 512 KiB of stack`() async {
        let text = String(repeating: "[", count: 64) + String(repeating: "]", count: 64)
        let isRead = await withCheckedContinuation { continuation in
            let thread = Thread { continuation.resume(returning: (try? JSONValue(json: Data(text.utf8))) != nil) }
            thread.stackSize = 512 * 1024
            thread.start()
        }
        #expect(isRead)
    }
}
