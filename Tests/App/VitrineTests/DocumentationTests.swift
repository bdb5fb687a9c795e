import Foundation
import Testing
import VitrinePurchasing
import VitrineReceipts
import VitrineTestSupport

@Suite(.hangLimit) struct DocumentationTests {
    @Test(arguments: [("ExampleScreen", "SwiftUI"), ("ExampleTableScreen", "UIKit")])
    func `each example screen in the documentation is identical to its source file`(name: String, framework: String)
        throws
    {
        let code = try DocumentationCatalog.text("\(name).swift")

        #expect(code.contains("#if canImport(\(framework))"))
        #expect(try DocumentationCatalog.article(name).contains("```swift\n\(code)```\n"))
    }

    @Test func `the article FromZeroToTheAppStore explains each code of store, purchase and rejection errors`()
        throws
    {
        let tables = try DocumentationCatalog.article("FromZeroToTheAppStore").split(separator: "\n")
            .filter { $0.hasPrefix("|") }.compactMap { $0.split(separator: "|").first }
        let explained = Set(tables.flatMap { $0.matches(of: /`(?<code>[a-z-]+)`/).map { String($0.output.code) } })
        let codes =
            StoreErrorCode.allCases.map(\.rawValue) + PurchaseFailureCode.allCases.map(\.rawValue)
            + RejectionCode.allCases.map(\.rawValue)

        #expect(codes.filter { !explained.contains($0) } == [])
    }

    @Test(arguments: [
        ("Subscriptions", "SubscriptionScreenExample"), ("ManagingPurchases", "AccountActionsExample"),
        ("ObjectiveC", "ObjectiveCExample"),
    ])
    func `the example in an article is identical to the file that the tests compile`(article: String, file: String)
        throws
    {
        let code = try String(
            contentsOf: Repository.file("Tests/App/VitrineTests/\(file).swift"), encoding: .utf8)

        #expect(try DocumentationCatalog.article(article).contains("```swift\n\(code)```\n"))
    }

    @Test(arguments: [
        ("FromZeroToTheAppStore", "FirstApp"), ("ShopScreens", "EmbeddedShop"), ("StoreKitViews", "StoreViews"),
    ])
    func `the example in an article is identical to the file that is checked for Apple's platforms`(
        article: String, file: String
    ) throws {
        let code = try String(
            contentsOf: Repository.file("Sources/App/Vitrine/Vitrine.docc/\(file).swift"), encoding: .utf8)

        #expect(try DocumentationCatalog.article(article).contains("```swift\n\(code)```\n"))
    }

    @Test func `links between articles are valid, and each article is linked from the start page`() throws {
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
