import Foundation
import HTTPTypes
import Testing
import VitrineAppServerAPI

@testable import VitrineAppServer

/// Conditions and ranges of requests for files.
struct ContentConditionTests {
    struct ConditionCase: CustomTestStringConvertible, Sendable {
        let id: String
        let fields: [(HTTPField.Name, String)]
        let outcome: RequestConditions.Outcome

        init(_ id: String, _ outcome: RequestConditions.Outcome, _ fields: (HTTPField.Name, String)...) {
            (self.id, self.outcome, self.fields) = (id, outcome, fields)
        }

        var testDescription: String { id }
    }

    /// Sunday, 22 November 2026, 03:49:02 GMT.
    private static let modified = Date(timeIntervalSince1970: 1_795_319_342)

    static let conditions = [
        ConditionCase("none", .proceed),
        ConditionCase("the tag", .notModified, (.ifNoneMatch, "\"a\"")),
        ConditionCase("the tag, said to be weak", .notModified, (.ifNoneMatch, "W/\"a\"")),
        ConditionCase("another tag", .proceed, (.ifNoneMatch, "\"b\"")),
        ConditionCase("the tag in a list", .notModified, (.ifNoneMatch, "\"b\", W/\"c\",\"a\"")),
        ConditionCase("a tag with a comma", .proceed, (.ifNoneMatch, "\"b,a\"")),
        ConditionCase("the tag in a second field", .notModified, (.ifNoneMatch, "\"b\""), (.ifNoneMatch, "\"a\"")),
        ConditionCase("any", .notModified, (.ifNoneMatch, "*")),
        ConditionCase("a tag without quotation marks", .proceed, (.ifNoneMatch, "a")),
        ConditionCase("a tag without its end", .proceed, (.ifNoneMatch, "\"a")),
        ConditionCase("an empty field", .proceed, (.ifNoneMatch, "")),
        ConditionCase("the date", .notModified, (.ifModifiedSince, "Sun, 22 Nov 2026 03:49:02 GMT")),
        ConditionCase("a later date", .notModified, (.ifModifiedSince, "Sun, 22 Nov 2026 03:49:03 GMT")),
        ConditionCase("an earlier date", .proceed, (.ifModifiedSince, "Sun, 22 Nov 2026 03:49:01 GMT")),
        ConditionCase(
            "a date of another day of the week", .proceed, (.ifModifiedSince, "Mon, 22 Nov 2026 03:49:02 GMT")),
        ConditionCase("no date", .proceed, (.ifModifiedSince, "yesterday")),
        ConditionCase(
            "another tag with the date", .proceed, (.ifNoneMatch, "\"b\""),
            (.ifModifiedSince, "Sun, 22 Nov 2026 03:49:02 GMT")),
        ConditionCase("required: the tag", .proceed, (.ifMatch, "\"a\"")),
        ConditionCase("required: any", .proceed, (.ifMatch, "*")),
        ConditionCase("required: the tag, said to be weak", .failed, (.ifMatch, "W/\"a\"")),
        ConditionCase("required: another tag", .failed, (.ifMatch, "\"b\"")),
        ConditionCase(
            "required: unchanged since an earlier date", .failed,
            (.ifUnmodifiedSince, "Sun, 22 Nov 2026 03:49:01 GMT")),
        ConditionCase(
            "required: unchanged since the date", .proceed, (.ifUnmodifiedSince, "Sun, 22 Nov 2026 03:49:02 GMT")),
        ConditionCase("required and known", .notModified, (.ifMatch, "\"a\""), (.ifNoneMatch, "\"a\"")),
    ]

    @Test(arguments: conditions)
    func `conditional request headers determine whether a file is sent, unmodified or refused`(_ test: ConditionCase) {
        let headers = HTTPFields(test.fields.map { HTTPField(name: $0.0, value: $0.1) })
        #expect(RequestConditions(headers: headers, tag: "a", modified: Self.modified).outcome == test.outcome)
    }

    struct RangeCase: CustomTestStringConvertible, Sendable {
        let field: String?
        let length: Int
        let part: RequestedPart

        init(_ field: String?, of length: Int = 100, _ part: RequestedPart) {
            (self.field, self.length, self.part) = (field, length, part)
        }

        var testDescription: String { "\(field ?? "none") of \(length)" }
    }

    static let ranges = [
        RangeCase(nil, .whole), RangeCase("bytes=0-0", .part(0..<1)), RangeCase("bytes=10-19", .part(10..<20)),
        RangeCase("bytes=10-", .part(10..<100)), RangeCase("bytes=-10", .part(90..<100)),
        RangeCase("bytes=-1000", .part(0..<100)), RangeCase("bytes=99-99", .part(99..<100)),
        RangeCase("bytes=10-1000", .part(10..<100)), RangeCase("BYTES=0-1", .part(0..<2)),
        RangeCase("bytes=0-99999999999999999999999999", .part(0..<100)),
        RangeCase("bytes=100-", .unsatisfiable), RangeCase("bytes=100-200", .unsatisfiable),
        RangeCase("bytes=99999999999999999999999999-", .unsatisfiable), RangeCase("bytes=-0", .unsatisfiable),
        RangeCase("bytes=0-", of: 0, .unsatisfiable), RangeCase("bytes=-1", of: 0, .unsatisfiable),
        RangeCase("bytes=0-1,3-4", .whole), RangeCase("bytes=0-0,1-1,2-2,3-3,4-4,5-5,6-6", .whole),
        RangeCase("bytes=20-10", .whole), RangeCase("bytes=-", .whole), RangeCase("bytes=", .whole),
        RangeCase("bytes=a-b", .whole), RangeCase("bytes=+1-2", .whole), RangeCase("bytes=1--2", .whole),
        RangeCase("bytes= 1-2", .part(1..<3)), RangeCase("bytes=1 - 2", .whole), RangeCase("items=0-1", .whole),
        RangeCase("bytes=0x1-2", .whole), RangeCase("bytes=１-2", .whole), RangeCase("", .whole),
    ]

    @Test(arguments: ranges)
    func `a single byte range selects a part of a file, and an unsupported Range header the whole file`(
        _ test: RangeCase
    ) {
        #expect(RequestedPart(test.field, length: test.length) == test.part)
    }

    @Test(arguments: [
        ("\"a\"", true), ("W/\"a\"", false), ("\"b\"", false), ("*", false), ("Sun, 22 Nov 2026 03:49:02 GMT", false),
    ]) func `a part of a file is sent only if the If-Range header has the file's current tag`(
        _ field: String, _ isSent: Bool
    ) {
        let conditions = RequestConditions(headers: [.ifRange: field], tag: "a", modified: Self.modified)
        #expect(conditions.permitsPart == isSent)
    }

    @Test(arguments: [0, 951_782_400, 1_795_319_342, 4_102_444_799, 253_402_300_799])
    func `an HTTP date is written and read back unchanged`(_ seconds: Int) {
        let date = Date(timeIntervalSince1970: Double(seconds))
        #expect(HTTPTimestamp.date(HTTPTimestamp.text(date)) == date)
    }

    @Test(arguments: [
        "Sun, 22 Nov 2026 24:00:00 GMT", "Sun, 22 Nov 2026 03:60:02 GMT", "Sun, 22 Nov 2026 03:49:02 UTC",
        "Sun, 31 Feb 2026 03:49:02 GMT", "Sunday, 22-Nov-26 03:49:02 GMT", "Sun Nov 22 03:49:02 2026",
        "Sun, 22 Nov 99999999999999999999 03:49:02 GMT", "Sun, 22 Nov 2026 -3:49:02 GMT", "",
    ]) func `an invalid or obsolete HTTP date is refused`(_ text: String) {
        #expect(HTTPTimestamp.date(text) == nil)
    }

    @Test(arguments: [
        "", "/", "a/", "/a", "a//b", ".", "..", "a/..", "../a", "a/../b", ".hidden", "a/.git/b", "a\\b", "a\u{0}b",
        "a\nb", "a\u{7F}", String(repeating: "a", count: 256), Array(repeating: "a", count: 33).joined(separator: "/"),
    ]) func `a served path that leads out of its folder or has an invalid name is refused`(_ text: String) {
        #expect(ServedPath(text) == nil)
    }

    @Test func `a file name with a slash is refused as a path component`() {
        #expect(ServedPath(names: ["a", "b/c"]) == nil)
        #expect(ServedPath(names: ["a", "../b"]) == nil)
        #expect(ServedPath(names: []) == nil)
        #expect(ServedPath("maps/Rome ä-1.0.zip")?.names == ["maps", "Rome ä-1.0.zip"])
    }
}
