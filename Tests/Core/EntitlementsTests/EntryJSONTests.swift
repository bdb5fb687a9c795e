import Foundation
import Testing
import VitrineEntitlements
import VitrineTestSupport

/// Entries of a ledger as JSON objects, which a server stores.
@Suite(.hangLimit) struct EntryJSONTests {
    static let texts: [(id: String, text: String)] = [
        ("ASCII", "com.example.voyager.coins50"), ("empty", ""), ("quotes", #"a "b" \c\ /d/"#),
        ("controls", "\u{0}\u{1}\t\n\r\u{1F}\u{7F}"), ("other scripts", "Übersee 日本 👩‍👩‍👧 e\u{301} \u{2028}"),
        ("an object", #"{"amount":1}"#),
    ]

    @Test(arguments: texts)
    func `JSON of an entry is read as the same fields, whatever its texts contain`(
        _ test: (id: String, text: String)
    ) throws {
        var fields = EntryFields(kind: test.text, key: test.text, recordedAt: .max)
        (fields.productIdentifier, fields.reason, fields.device) = (test.text, test.text, test.text)
        (fields.signedData, fields.renewalTerms) = (test.text, test.text)
        (fields.amount, fields.quantity, fields.purchaseDate) = (.min, 0, -1)
        (fields.isUpgraded, fields.isRenewing) = (true, false)
        let json = Data(fields.json.utf8)
        #expect(try JSONDecoder().decode(EntryFields.self, from: json) == fields)
    }

    @Test func `JSON of an entry contains each field that has a value`() throws {
        let object = try JSONSerialization.jsonObject(with: try JSONEncoder().encode(Self.full))
        let written = try JSONSerialization.jsonObject(with: Data(Self.full.json.utf8))
        #expect(try #require(object as? NSDictionary) == #require(written as? NSDictionary))
        #expect(try #require(object as? NSDictionary).count == 36)
    }

    /// Entry in which all fields except the sequence number have a value.
    private static var full: EntryFields {
        var (fields, visitor) = (EntryFields(kind: "a", key: "b", recordedAt: 1), Filler())
        fields.visitColumns(&visitor)
        return fields
    }

    private struct Filler: EntryColumnVisitor {
        mutating func visit(_ column: EntryColumn, _ text: inout String?) { text = "the \(column.name)" }

        mutating func visit(_ column: EntryColumn, _ integer: inout Int64?) { integer = Int64(column.name.utf8.count) }

        mutating func visit(_ column: EntryColumn, _ flag: inout Bool?) { flag = true }
    }
}
