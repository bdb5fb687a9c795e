import Testing

@testable import VitrineDeviceExchange

/// Names of the documents with which devices exchange facts: `device.first-last.digest.facts`.
struct DocumentNameTests {
    @Test(arguments: [
        "tablet-1.1-20.0123456789abcdef.facts",
        "tablet-1.1-20.0123456789abcdef",
        "tablet-1.1-20.0123456789abcdef (a copy of the phone).facts",
        "tablet-1.21-20.0123456789abcdef.facts",
        "00000000.999999999999999999-999999999999999999.0123456789abcdef.facts",
    ])
    func `the name of a document is parsed, and what follows its digest is ignored`(text: String) throws {
        let name = try #require(DocumentName(text))
        #expect(text.hasPrefix(name.text.dropLast(".facts".count)))
    }

    @Test(arguments: [
        "", "notes.txt", "tablet-1", "tablet-1.1-20", "tablet-1.1-20.0123456789abcde", "tablet-1.1-20.0123456789ABCDEF",
        "tablet.1-20.0123456789abcdef", "Tablet-1.1-20.0123456789abcdef", "tablet_1.1-20.0123456789abcdef",
        "täblet-1.1-20.0123456789abcdef", "../../etc.1-20.0123456789abcdef",
        "tablet-1.20.0123456789abcdef", "tablet-1.1-2-3.0123456789abcdef", "tablet-1.0-20.0123456789abcdef",
        "tablet-1.+1-20.0123456789abcdef", "tablet-1.1--20.0123456789abcdef", "tablet-1.22-20.0123456789abcdef",
        "tablet-1.1-١.0123456789abcdef", "tablet-1.1-1000000000000000000.0123456789abcdef",
        "\(String(repeating: "a", count: 65)).1-20.0123456789abcdef",
        "tablet-1.1-20.0123456789abcdef\(String(repeating: "a", count: 226))",
    ])
    func `the name of another file is not that of a document`(text: String) {
        #expect(DocumentName(text) == nil)
    }
}
