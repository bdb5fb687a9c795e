import Foundation
import Testing
import VitrinePropertyList
import VitrineTestSupport

/// Reasons in the privacy manifest for the calls that Apple requires reasons for.
@Suite(.hangLimit) struct PrivacyManifestTests {
    /// Category of Apple's required reason API, with its calls and the reasons that apply to this library.
    struct Category: CustomTestStringConvertible {
        let name: String
        /// Regular expression that finds the calls.
        let calls: String
        var reasons: [String] = []

        var testDescription: String { name }
        var identifier: String { "NSPrivacyAccessedAPICategory\(name)" }
    }

    static let categories = [
        Category(
            name: "FileTimestamp", calls: #"\b[fl]?stat(at)?\(|\bf?getattrlist|\.modificationDate\b|ModificationDate"#,
            reasons: ["C617.1"]),
        Category(
            name: "DiskSpace", calls: #"\bf?statv?fs\(|volumeAvailableCapacity|systemFreeSize"#, reasons: ["E174.1"]),
        Category(name: "UserDefaults", calls: #"\bUserDefaults\b"#, reasons: ["CA92.1", "1C8F.1"]),
        Category(name: "SystemBootTime", calls: #"systemUptime|mach_absolute_time"#),
        Category(name: "ActiveKeyboards", calls: #"activeInputModes"#),
    ]

    /// Source code that an app links. Simulated stores, servers and tools are not part of a released app.
    private static let libraryCode = Result {
        let sources = Repository.file("Sources")
        return try FileManager.default.subpathsOfDirectory(atPath: sources.path(percentEncoded: false))
            .filter { $0.hasSuffix(".swift") || $0.hasSuffix(".h") }
            .filter { $0.hasPrefix("Core/") || $0.hasPrefix("App/") }
            .map { try String(contentsOf: sources.appending(path: $0), encoding: .utf8) }
    }

    private func manifest() throws -> PropertyListValue {
        let file = Repository.file("Sources/App/Vitrine/Resources/PrivacyInfo.xcprivacy")
        return try PropertyListDocument(bytes: Array(Data(contentsOf: file))).root
    }

    @Test(arguments: categories)
    func `the privacy manifest declares exactly the API categories that the sources use, with reasons`(
        category: Category
    ) throws {
        let calls = try Regex(category.calls)
        let isCalled = try Self.libraryCode.get().contains { $0.contains(calls) }
        let declared = try #require(try manifest()["NSPrivacyAccessedAPITypes"]).elements
            .first { $0["NSPrivacyAccessedAPIType"]?.string == category.identifier }

        #expect(isCalled == !category.reasons.isEmpty)
        #expect((declared?["NSPrivacyAccessedAPITypeReasons"]?.elements ?? []).map(\.string) == category.reasons)
    }

    @Test func `the privacy manifest declares no tracking, no collected data and no unused API category`() throws {
        let manifest = try manifest()

        #expect(manifest["NSPrivacyTracking"]?.boolean == false)
        #expect(manifest["NSPrivacyTrackingDomains"]?.count == 0)
        #expect(manifest["NSPrivacyCollectedDataTypes"]?.count == 0)
        let declared = try #require(manifest["NSPrivacyAccessedAPITypes"]).elements
            .map { $0["NSPrivacyAccessedAPIType"]?.string }
        #expect(declared == Self.categories.filter { !$0.reasons.isEmpty }.map(\.identifier))
    }

    @Test func `each reason in the privacy manifest is explained in the documentation`() throws {
        let page = try String(contentsOf: Repository.file("Documentation/Privacy.md"), encoding: .utf8)

        for reason in Self.categories.flatMap(\.reasons) { #expect(page.contains("\(reason):"), "\(reason)") }
    }
}
