import Foundation
import Testing
import VitrineTestSupport

/// Articles for apps that migrate from another library. They have a row for each public symbol of that library.
@Suite(.hangLimit) struct ComingFromTests {
    /// Library with the number of symbols in its public headers.
    struct Library: CustomTestStringConvertible {
        let name: String
        let symbolCount: Int
        /// Tests of the rows.
        let cases: [ComingFromCase]

        var testDescription: String { name }

        var rows: [Row] {
            get throws {
                let article = try DocumentationCatalog.article("ComingFrom\(name)")
                return article.matches(of: /(?m)^\| `(?<symbol>[^`|]+)` \| (?<answer>.*) \|$/).map {
                    Row(symbol: String($0.symbol), answer: String($0.answer))
                }
            }
        }
    }

    struct Row {
        let symbol: String
        let answer: String

        /// `true` if Vitrine has a counterpart of the symbol.
        var hasCounterpart: Bool { !answer.hasPrefix("Nothing") }

        /// `true` if the row names a counterpart, or explains why there is none.
        var isAnswered: Bool {
            let nothing = "Nothing: "
            guard !hasCounterpart else { return answer.contains("`") }
            return answer.hasPrefix(nothing) && answer.count > nothing.count + 20
        }
    }

    static let libraries = [
        Library(name: "VTAInAppPurchases", symbolCount: 56, cases: ComingFromVTAInAppPurchasesTests.cases),
        Library(name: "DEStoreKitManager", symbolCount: 29, cases: ComingFromDEStoreKitManagerTests.cases),
        Library(name: "StoreManager", symbolCount: 16, cases: ComingFromStoreManagerTests.cases),
        Library(name: "CargoBay", symbolCount: 30, cases: ComingFromCargoBayTests.cases),
        Library(name: "CargoManager", symbolCount: 20, cases: ComingFromCargoManagerTests.cases),
    ]

    @Test(arguments: libraries)
    func `each public symbol of a legacy library has exactly one row in its migration article`(library: Library) throws
    {
        let symbols = try library.rows.map(\.symbol)

        #expect(symbols.count == library.symbolCount)
        #expect(Set(symbols).count == symbols.count)
    }

    /// Returns the symbols of a library that the page of symbols lists, in order, without the lines about behavior.
    private static func symbols(of library: Library) throws -> [String] {
        let page = try String(contentsOf: #require(Repository.symbols), encoding: .utf8)
        let sections = page.components(separatedBy: "\n## ")
        let section = try #require(sections.first { $0.prefix { !$0.isWhitespace } == library.name })
        return section.split(separator: "\n").filter { $0.hasPrefix("- ") && !$0.hasPrefix("- behaviour") }
            .flatMap { $0.matches(of: /`(?<symbol>[^`]+)`/).map { String($0.symbol) } }
    }

    @Test(.enabled(if: Repository.symbols != nil, "the page of symbols is not here"), arguments: libraries)
    func `the symbols in a migration article have the names that the legacy library uses`(library: Library) throws {
        let symbols = try Self.symbols(of: library)

        #expect(symbols.count == library.symbolCount)
        #expect(try library.rows.map(\.symbol).sorted() == symbols.sorted())
    }

    @Test(arguments: libraries)
    func `each row of a migration article names a replacement or explains why no replacement exists`(
        library: Library
    ) throws {
        for row in try library.rows { #expect(row.isAnswered, "\(row.symbol): \(row.answer)") }
    }

    @Test(arguments: libraries)
    func `exactly the rows of a migration article that name a replacement are tested, in the article's order`(
        library: Library
    ) throws {
        #expect(try library.rows.filter(\.hasCounterpart).map(\.symbol) == library.cases.map(\.id))
    }

    @Test(arguments: libraries) func `each migration article explains how customers' purchases are imported`(
        library: Library
    ) throws {
        let article = try DocumentationCatalog.article("ComingFrom\(library.name)")
        let sections = article.components(separatedBy: "\n## ")

        #expect(sections.contains { $0.hasPrefix("What is different\n") })
        let customers = try #require(sections.first { $0.hasPrefix("What customers have\n") })
        #expect(customers.contains("``ManagerOptions/legacyData``"))
    }

    @Test func `each migration article is tested and linked from the start page of the documentation`() throws {
        let names = try DocumentationCatalog.articleNames.filter { $0.hasPrefix("ComingFrom") }
        let start = try DocumentationCatalog.article("Vitrine")

        #expect(Set(names) == Set(Self.libraries.map { "ComingFrom\($0.name)" }))
        for name in names { #expect(start.contains("<doc:\(name)>"), "\(name)") }
    }
}
