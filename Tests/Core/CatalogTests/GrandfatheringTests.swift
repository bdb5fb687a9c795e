import Foundation
import Testing
import VitrineCatalog
import VitrineTestSupport

@Suite(.hangLimit) struct GrandfatheringTests {
    @Test(
        arguments: [
            ("150", "200", true), ("200", "200", false), ("201", "200", false), ("1.9", "1.10", true),
            ("1.10", "1.9", false), ("2", "2.0", false), ("2.0.0", "2", false), ("1.0", "1.0.1", true),
            ("007", "8", true), ("0", "0.1", true),
        ]
    )
    func `version numbers are compared component by component`(one: String, other: String, isBefore: Bool) throws {
        #expect(try (#require(VersionNumber(one)) < #require(VersionNumber(other))) == isBefore)
    }

    @Test(arguments: ["", ".", "1.", ".1", "1..2", "1.x", "1.0b2", "-1", "+1", "1 ", "１", "1.2.3.4.5.6.7.8.9"])
    func `a malformed version number is refused`(text: String) { #expect(VersionNumber(text) == nil) }

    @Test func `a version number with a component that is too large is refused`() {
        #expect(VersionNumber("99999999999999999999") == nil)
    }

    @Test func `version numbers with different spellings of the same value are equal`() throws {
        let numbers = try ["2", "2.0", "02.0.0"].map { try #require(VersionNumber($0)) }
        #expect(Set(numbers).count == 1)
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let id: String
        let rule: GrandfatheringRule
        let purchase: OriginalPurchase
        let answer: GrandfatheringRule.Answer
        var testDescription: String { id }

        init(
            _ id: String, _ rule: GrandfatheringRule, _ purchase: OriginalPurchase, _ answer: GrandfatheringRule.Answer
        ) {
            self.id = id
            self.rule = rule
            self.purchase = purchase
            self.answer = answer
        }
    }

    private static let day = Date(timeIntervalSince1970: 1_556_668_800)
    private static let onPhone = OriginalPurchase(version: "150", date: day, platform: .iOS)
    private static let onMac = OriginalPurchase(version: "1.5", date: day, platform: .macOS)
    private static let somewhere = OriginalPurchase(version: "150", date: day, platform: nil)
    private static let build200 = VersionNumber("200")
    private static let version2 = VersionNumber("2.0")

    @Test(arguments: [
        Case("a build before", GrandfatheringRule(beforeBuild: build200), onPhone, .yes),
        Case("that build", GrandfatheringRule(beforeBuild: VersionNumber("150")), onPhone, .no),
        Case("a build, of a Mac that has none", GrandfatheringRule(beforeBuild: build200), onMac, .no),
        Case("a build, of nobody knows what", GrandfatheringRule(beforeBuild: build200), somewhere, .unknown),
        Case("a version before", GrandfatheringRule(beforeVersion: version2), onMac, .yes),
        Case("a version, of a phone that has none", GrandfatheringRule(beforeVersion: version2), onPhone, .no),
        Case("a date before", GrandfatheringRule(beforeDate: day + 1), somewhere, .yes),
        Case("that date", GrandfatheringRule(beforeDate: day), onPhone, .no),
        Case("build and date", GrandfatheringRule(beforeBuild: build200, beforeDate: day + 1), onPhone, .yes),
        Case("build, but not date", GrandfatheringRule(beforeBuild: build200, beforeDate: day), onPhone, .no),
        Case("a date that decides", GrandfatheringRule(beforeBuild: build200, beforeDate: day), somewhere, .no),
        Case("the platform", GrandfatheringRule(beforeDate: day + 1, platform: .iOS), onPhone, .yes),
        Case("another platform", GrandfatheringRule(beforeDate: day + 1, platform: .macOS), onPhone, .no),
        Case(
            "a platform that nobody told", GrandfatheringRule(beforeDate: day + 1, platform: .iOS), somewhere, .unknown),
        Case("no limit at all", GrandfatheringRule(platform: .iOS), onPhone, .no),
        Case(
            "a build that cannot be read", GrandfatheringRule(beforeBuild: build200),
            OriginalPurchase(version: "1.0b3", date: day, platform: .iOS), .unknown),
    ])
    func `a grandfathering rule answers yes, no or unknown for the customer's original app version and date`(
        _ test: Case
    ) {
        #expect(test.rule.answer(for: test.purchase) == test.answer)
    }

    @Test func `several grandfathering rules answer yes if any is met, else unknown if any is undecided, else no`() {
        let (yes, no) = (GrandfatheringRule(beforeDate: Self.day + 1), GrandfatheringRule(beforeDate: Self.day))
        let unknown = GrandfatheringRule(beforeBuild: Self.build200)

        #expect([no, unknown, yes].answer(for: Self.somewhere) == .yes)
        #expect([no, unknown].answer(for: Self.somewhere) == .unknown)
        #expect([no, no].answer(for: Self.somewhere) == .no)
    }

    @Test func `grandfathering rules of a product are read from a catalog file`() throws {
        let text = """
            <array><dict><key>productIdentifier</key><string>a</string><key>consumable</key><false/>
            <key>grandfathered</key><array>
            <dict><key>beforeBuild</key><integer>200</integer><key>platform</key><string>iOS</string></dict>
            <dict><key>beforeVersion</key><string>2.0</string><key>platform</key><string>macOS</string></dict>
            <dict><key>beforeDate</key><date>2020-01-01T00:00:00Z</date></dict>
            </array></dict></array>
            """
        let catalog = Catalog(document: try PlistText.read(PlistText.document(text)))

        #expect(catalog.diagnostics.isEmpty)
        #expect(
            catalog["a"]?.grandfathered.map(\.conditions)
                == ["a build before 200 on iOS", "a version before 2.0 on macOS", "a date before 2020-01-01"])
    }
}
