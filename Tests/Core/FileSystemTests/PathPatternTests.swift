import Testing
import VitrineFileSystem
import VitrineTestSupport

@Suite(.hangLimit) struct PathPatternTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let pattern: String
        /// Paths that match; those of folders have a slash at the end.
        let matching: [String]
        let others: [String]

        var testDescription: String { pattern }
    }

    @Test(arguments: [
        Case(
            pattern: "Pods", matching: ["Pods/", "App/Pods/", "Pods/a.plist", "App/Pods/B/c.plist", "App/Pods"],
            others: ["Podcasts/", "pods/", "a.plist"]),
        Case(pattern: "Pods/", matching: ["Pods/", "App/Pods/", "Pods/a.plist"], others: ["Pods", "App/Pods"]),
        Case(pattern: "/Pods", matching: ["Pods/", "Pods/a.plist"], others: ["App/Pods/", "App/Pods/a.plist"]),
        Case(pattern: "./Old*.plist", matching: ["Old.plist", "Old 2.plist"], others: ["App/Old.plist", "old.plist"]),
        Case(
            pattern: "App/Old", matching: ["App/Old/", "App/Old/a.plist"],
            others: ["App/", "Other/App/Old/a.plist", "App/Older/a.plist"]),
        Case(
            pattern: "*Test?.plist", matching: ["ShopTests.plist", "a/b/ShopTest1.plist", "Test1.plist"],
            others: ["ShopTest.plist", "Test/Shop.plist"]),
        Case(
            pattern: "App/*/a.plist", matching: ["App/Old/a.plist"], others: ["App/a.plist", "App/Old/Older/a.plist"]),
        Case(
            pattern: "App/**/a.plist", matching: ["App/a.plist", "App/Old/a.plist", "App/Old/Older/a.plist"],
            others: ["a.plist", "Other/a.plist", "App/Old/b.plist"]),
        Case(
            pattern: "**/Fixtures/*.plist", matching: ["Fixtures/a.plist", "Tests/Unit/Fixtures/a.plist"],
            others: ["Fixtures/", "Fixtures/b.txt", "Tests/a.plist"]),
        Case(
            pattern: "App/**", matching: ["App/a.plist", "App/Old/a.plist", "App/Old/"], others: ["App/", "a.plist"]),
        Case(pattern: "**", matching: ["a.plist", "App/", "App/a.plist"], others: []),
        Case(pattern: "[ab].plist", matching: ["[ab].plist"], others: ["a.plist"]),
        Case(pattern: "*é*", matching: ["café.plist"], others: ["cafe.plist"]),
    ])
    func `a pattern matches names in any folder, paths, and what is in folders that match`(_ test: Case) throws {
        let pattern = try #require(PathPattern(test.pattern))
        for path in test.matching { #expect(pattern.matches(path, isFolder: path.hasSuffix("/")), "\(path)") }
        for path in test.others { #expect(!pattern.matches(path, isFolder: path.hasSuffix("/")), "\(path)") }
    }

    @Test(arguments: ["", "/", ".", "./", "..", "../Pods", "Pods/../.."])
    func `a text without a name, or with a path out of its folder, is no pattern`(text: String) {
        #expect(PathPattern(text) == nil)
    }

    @Test func `a pattern with many stars is compared in a time that its length bounds`() throws {
        let names = try #require(PathPattern(String(repeating: "*a", count: 2_000) + "b"))
        #expect(!names.matches(String(repeating: "a", count: 4_000), isFolder: false))
        let folders = try #require(PathPattern(String(repeating: "**/a/", count: 200) + "b"))
        #expect(!folders.matches(String(repeating: "a/", count: 400), isFolder: true))
    }
}
