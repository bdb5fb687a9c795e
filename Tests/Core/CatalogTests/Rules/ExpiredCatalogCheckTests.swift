import Foundation
import Testing
import VitrineCatalog
import VitrinePropertyList
import VitrineTestSupport

@Suite(.hangLimit) struct ExpiredCatalogCheckTests {
    private static let end = Date(timeIntervalSince1970: 1_900_000_000)

    @Test(arguments: [(-1.0, false), (0, true), (1, true)])
    func `a catalog is reported as expired from its expiration date on`(seconds: Double, isExpired: Bool) throws {
        let marked = MarkedText(
            PlistText.document(
                """
                <dict><key>expires</key>▸<date>\(Self.end.formatted(.iso8601))</date><key>products</key><array/></dict>
                """))
        let document = try PlistText.read(marked.text)
        let found = ExpiredCatalogCheck.diagnostics(
            of: Catalog(document: document), in: document, at: Self.end + seconds)

        #expect(found.map(\.message) == (isExpired ? ["the catalog expired on 2030-03-17T17:46:40Z"] : []))
        #expect(found.map(\.position) == (isExpired ? marked.positions : []))
        #expect(found.allSatisfy { $0.severity == .warning && $0.rule == "expired-catalog" })
    }

    @Test(arguments: ["0000-12-30T00:00:00Z", "0001-01-01T00:00:00Z", "1582-10-14T00:00:00Z"])
    func `the date of an expired catalog is named as the catalog has it`(date: String) throws {
        let document = try PlistText.read(
            PlistText.document("<dict><key>expires</key><date>\(date)</date><key>products</key><array/></dict>"))
        let found = ExpiredCatalogCheck.diagnostics(of: Catalog(document: document), in: document, at: Self.end)
        #expect(found.map(\.message) == ["the catalog expired on \(date)"])
    }

    @Test(arguments: [
        "<array/>", "<dict><key>products</key><array/></dict>",
        "<dict><key>expires</key><string>2020-01-01</string><key>products</key><array/></dict>",
        "<dict><key>com.example.a</key><dict/></dict>",
    ])
    func `a catalog without an expiration date is not reported as expired`(root: String) throws {
        let document = try PlistText.read(PlistText.document(root))
        #expect(
            ExpiredCatalogCheck.diagnostics(of: Catalog(document: document), in: document, at: .distantFuture).isEmpty)
        #expect(CatalogRuleDescription.all.contains { $0.identifier == "expired-catalog" })
    }
}
