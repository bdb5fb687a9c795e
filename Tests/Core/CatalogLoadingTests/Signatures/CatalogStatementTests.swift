import Foundation
import Testing
import VitrineSupport
import VitrineTestSupport

@testable import VitrineCatalog
@testable import VitrineCatalogLoading

@Suite(.hangLimit) struct CatalogStatementTests {
    static let comment =
        "vitrine catalog app=com.example.voyager channel=production version=12 issued=2026-11-22T00:00:00Z "
        + "expires=2026-11-29T00:00:00Z"
    static let statement = CatalogStatement(
        app: "com.example.voyager", channel: "production", version: 12,
        issued: Date(timeIntervalSince1970: 1_795_305_600), expires: Date(timeIntervalSince1970: 1_795_910_400),
        keyIdentifier: "4F68C5A0CC4A2350")

    @Test func `the trusted comment of a catalog signature is read and written back unchanged`() throws {
        #expect(try CatalogStatement(Self.comment, for: .catalog, keyIdentifier: "4F68C5A0CC4A2350") == Self.statement)
        #expect(Self.statement.trustedComment(for: .catalog) == Self.comment)
        #expect(
            Self.statement.trustedComment(for: .keys) == Self.comment.replacing("vitrine catalog", with: "vitrine keys")
        )
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let old: String
        let new: String
    }

    @Test(arguments: [
        Case(testDescription: "the other kind", old: "vitrine catalog", new: "vitrine keys"),
        Case(testDescription: "another program", old: "vitrine", new: "shop"),
        Case(testDescription: "capitals", old: "vitrine", new: "Vitrine"),
        Case(testDescription: "two spaces", old: " version", new: "  version"),
        Case(testDescription: "a space at the end", old: "29T00:00:00Z", new: "29T00:00:00Z "),
        Case(
            testDescription: "another order", old: "app=com.example.voyager channel=production",
            new: "channel=production app=com.example.voyager"),
        Case(testDescription: "a field twice", old: "version=12", new: "version=12 version=12"),
        Case(testDescription: "an unknown field", old: "version=12", new: "version=12 x=1"),
        Case(testDescription: "an unknown field in the place of another", old: "version=12", new: "number=12"),
        Case(testDescription: "no app", old: "app=com.example.voyager ", new: ""),
        Case(testDescription: "an empty app", old: "com.example.voyager", new: ""),
        Case(
            testDescription: "an app that is too long", old: "com.example.voyager",
            new: String(repeating: "a", count: 256)),
        Case(testDescription: "an app with a slash", old: "com.example.voyager", new: "com/example"),
        Case(testDescription: "an app that only looks like another", old: "com.example", new: "com.ex\u{430}mple"),
        Case(testDescription: "an empty channel", old: "production", new: ""),
        Case(testDescription: "a version with a zero before it", old: "version=12", new: "version=012"),
        Case(testDescription: "a version with a sign", old: "version=12", new: "version=+12"),
        Case(testDescription: "a negative version", old: "version=12", new: "version=-12"),
        Case(testDescription: "a version of more than 63 bits", old: "version=12", new: "version=9223372036854775808"),
        Case(testDescription: "a version in other digits", old: "version=12", new: "version=١٢"),
        Case(testDescription: "no version", old: "version=12", new: "version="),
        Case(testDescription: "a fraction of a second", old: "22T00:00:00Z", new: "22T00:00:00.0Z"),
        Case(testDescription: "another time zone", old: "22T00:00:00Z", new: "22T00:00:00+00:00"),
        Case(testDescription: "a day that is none", old: "2026-11-22", new: "2026-11-31"),
        Case(testDescription: "no leap day", old: "2026-11-22", new: "2026-02-29"),
        Case(testDescription: "an hour that is none", old: "22T00:00:00Z", new: "22T24:00:00Z"),
        Case(testDescription: "a second that is none", old: "22T00:00:00Z", new: "22T00:00:60Z"),
        Case(testDescription: "before 1970", old: "2026-11-22", new: "1969-12-31"),
        Case(testDescription: "issued when it expires", old: "2026-11-22", new: "2026-11-29"),
        Case(testDescription: "issued after it expires", old: "2026-11-22", new: "2026-11-30"),
    ]) func `a malformed trusted comment of a catalog signature is refused`(test: Case) {
        let comment = Self.comment.replacing(test.old, with: test.new)
        #expect(comment != Self.comment)

        let failure = #expect(throws: CatalogSignatureFailure.self) {
            try CatalogStatement(comment, for: .catalog, keyIdentifier: "4F68C5A0CC4A2350")
        }
        #expect(failure?.code == .statement)
    }

    @Test(arguments: [0, Int.max]) func `the smallest and the largest catalog version are read from a trusted comment`(
        version: Int
    ) throws {
        let comment = Self.comment.replacing("version=12", with: "version=\(version)")

        #expect(try CatalogStatement(comment, for: .catalog, keyIdentifier: "").version == version)
    }

    @Test func `every accepted trusted comment of a catalog signature is in canonical form`() {
        var generator = SeededGenerator(seed: 12)
        let alphabet = Array("vitrne=.:-TZ 0123456789é\u{301}\u{2212}")
        for _ in 0..<5_000 {
            var characters = Array(Self.comment)
            for _ in 0...Int.random(in: 0..<3, using: &generator) {
                let index = characters.indices.randomElement(using: &generator) ?? 0
                let replacement = alphabet.randomElement(using: &generator).map { [$0] } ?? []
                characters.replaceSubrange(index...index, with: Bool.random(using: &generator) ? replacement : [])
            }
            let comment = String(characters)
            guard let read = try? CatalogStatement(comment, for: .catalog, keyIdentifier: "") else { continue }
            #expect(read.trustedComment(for: .catalog).utf8.elementsEqual(comment.utf8))
        }
    }

    struct Content: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let keys: String
        let reason: String?
    }

    @Test(arguments: [
        Content(testDescription: "neither", keys: "", reason: nil),
        Content(
            testDescription: "both as signed",
            keys: "<key>catalogVersion</key><integer>12</integer><key>expires</key><date>2026-11-29T00:00:00Z</date>",
            reason: nil),
        Content(
            testDescription: "another version", keys: "<key>catalogVersion</key><integer>13</integer>",
            reason: "the catalog has version 13, but is signed as version 12"),
        Content(
            testDescription: "another date", keys: "<key>expires</key><date>2026-11-30T00:00:00Z</date>",
            reason: "the catalog expires on 2026-11-30T00:00:00Z, but is signed until 2026-11-29T00:00:00Z"),
    ]) func `the version and expiration in a catalog must agree with its signed statement`(content: Content) throws {
        let catalog = Catalog(
            document: try PlistText.read(
                PlistText.document(
                    "<dict>\(content.keys)<key>products</key><array><string>com.example.voyager.map</string></array></dict>"
                )))
        #expect(!catalog.hasErrors)

        #expect(Self.statement.disagreement(with: catalog)?.reason == content.reason)
    }
}
