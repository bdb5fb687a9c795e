import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(45))) struct DocumentationTests {
    @Test func `the screen in the article is the one in the file`() throws {
        let code = try DocumentationCatalog.text("ExampleScreen.swift")

        #expect(code.contains("#if canImport(SwiftUI)"))
        #expect(try DocumentationCatalog.article("ExampleScreen").contains("```swift\n\(code)```\n"))
    }

    @Test func `the screen in the article about subscriptions is the one that the tests compile`() throws {
        let code = try String(
            contentsOf: Repository.file("Tests/VitrineTests/SubscriptionScreenExample.swift"), encoding: .utf8)

        #expect(try DocumentationCatalog.article("Subscriptions").contains("```swift\n\(code)```\n"))
    }

    @Test func `articles link to articles that there are, and each is reached from the first page`() throws {
        let names = try DocumentationCatalog.articleNames
        for name in names {
            for link in try DocumentationCatalog.article(name).matches(of: /<doc:(?<name>\w+)(#(?<heading>[\w-]+))?>/) {
                let target = String(link.name)
                try #require(names.contains(target), "\(name) links to \(target)")
                guard let heading = link.heading?.replacing("-", with: " ") else { continue }
                #expect(try DocumentationCatalog.article(target).contains("# \(heading)\n"), "\(name): \(heading)")
            }
        }
        let start = try DocumentationCatalog.article("Vitrine")
        for name in names where name != "Vitrine" { #expect(start.contains("<doc:\(name)>"), "\(name)") }
    }
}
