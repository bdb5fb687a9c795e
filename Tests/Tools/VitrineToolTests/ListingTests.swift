import Foundation
import Testing
import VitrineTestSupport

/// Output of `vitrine listing`.
@Suite(.blocksThreads, .hangLimit) struct ListingTests {
    private let tool: Tool

    init() throws { tool = try Tool.voyager() }

    /// Returns the lines of the output, with every white space character replaced by a plain space.
    private func lines(_ arguments: String...) throws -> [String] {
        let result = try tool.run(["listing"] + arguments)
        #expect(result.status == 0, "\(result.errors)")
        return result.lines.map { String($0.map { $0.isWhitespace ? " " : $0 }) }
    }

    /// Returns the lines about one product.
    private func lines(about name: String, _ lines: [String]) -> [String] {
        let rest = lines.drop { !$0.contains("(\(String.voyager(name)))") }
        return Array(rest.prefix(1) + rest.dropFirst().prefix { $0.hasPrefix("  ") })
    }

    private func product(_ name: String, _ arguments: String...) throws -> [String: Any] {
        let result = try tool.run(["listing", "--json"] + arguments)
        #expect(result.status == 0, "\(result.errors)")
        let products = try #require(try result.json["products"] as? [[String: Any]])
        return try #require(products.first { $0["identifier"] as? String == .voyager(name) })
    }

    @Test func `vitrine listing prints title, price, description and availability of each product`() throws {
        let all = try lines("--language", "en")

        #expect(
            lines(about: "lisbon", all) == [
                "Lisbon Guide (com.example.voyager.lisbon): $4.99",
                "  Seven hills, forty walks and every tram.", "  offered",
            ])
        #expect(lines(about: "coins50", all).first?.hasSuffix(": $0.99, 50 × $0.0198") == true)
        let german = lines(about: "coins50", try lines("--language", "de", "--storefront", "DEU"))
        #expect(german.first?.contains(", 50 × 0,0198") == true, "\(german)")
        // Prices in Arabic contain marks of the writing direction.
        let arabic = try lines("--language", "ar").joined(separator: "\n")
        #expect(arabic.contains("4.99") && !arabic.contains("\\u{"), "\(arabic)")
        #expect(lines(about: "atlantis", all).contains("  not offered: the store does not know the product"))
        #expect(lines(about: "iberia", all).contains("  contains Lisbon Guide, Porto Guide, Madrid Guide"))
        #expect(lines(about: "iberia", all).contains { $0.hasPrefix("  bought separately $14.97: saves ") })
    }

    @Test func `vitrine listing prints titles and descriptions in the store's language unless another one is given`()
        throws
    {
        let tool = try Tool()
        let store = try String(contentsOf: Repository.sample("Voyager.storekit"), encoding: .utf8)
        try tool.folder.write(
            store.replacing(#""_locale" : "en_US""#, with: #""_locale" : "de_DE""#), to: "Voyager.storekit")
        let catalog = Repository.sample("Voyager.plist").path()
        #expect(try tool.run("init", "--catalog", catalog, "--store", "Voyager.storekit").status == 0)
        let german = lines(about: "lisbon", try tool.run("listing").lines)
        #expect(german.first?.hasPrefix("Reiseführer Lissabon") == true, "\(german)")
        #expect(german.contains("  Sieben Hügel, vierzig Spaziergänge und jede Straßenbahn."))

        let english = lines(about: "lisbon", try tool.run("listing", "--language", "en").lines)
        #expect(english.first?.hasPrefix("Lisbon Guide") == true, "\(english)")
        #expect(english.contains("  Seven hills, forty walks and every tram."))
    }

    @Test func `vitrine listing --json prints the price per unit of a consumable as a decimal string`() throws {
        let coins = try product("coins50")
        #expect(coins["price"] as? String == "0.99")
        #expect(coins["pricePerUnit"] as? String == "0.0198")
        #expect((coins["displayPricePerUnit"] as? String)?.hasPrefix("$0.0198") == true)
        let german = try product("coins50", "--storefront", "DEU")
        #expect(german["pricePerUnit"] as? String == "0.0198")
        #expect(try product("lisbon")["pricePerUnit"] == nil)
    }

    @Test func `the options --language and --storefront of vitrine listing do not affect later listings`() throws {
        let german = lines(about: "lisbon", try lines("--language", "de", "--storefront", "DEU"))
        #expect(german.first?.hasSuffix(": 4,99 €") == true)
        #expect(german.contains("  Sieben Hügel, vierzig Spaziergänge und jede Straßenbahn."))

        #expect(lines(about: "lisbon", try lines("--language", "en")).first?.hasSuffix(": $4.99") == true)
    }

    @Test func `prices listed with --storefront are not reused in later offline listings`() throws {
        #expect(try product("lisbon")["displayPrice"] as? String == "$4.99")
        _ = try product("lisbon", "--language", "de", "--storefront", "DEU")
        try tool.run("store", "set", "offline", "on")

        let listing = try tool.run("listing", "--json")
        let products = try #require(try listing.json["products"] as? [[String: Any]])
        #expect(
            products.first { $0["identifier"] as? String == .voyager("lisbon") }?["displayPrice"] as? String == "$4.99")
    }

    @Test func `vitrine listing warns that products with errors are left out`() throws {
        let plist = PlistText.document("<array><string>com.example.voyager.lisbon</string><integer>1</integer></array>")
        try tool.run("init", "--catalog", tool.folder.write(plist, to: "Shop.plist").path())
        let result = try tool.run("listing")

        #expect(result.status == 1)
        #expect(result.errors.contains("warning: products with errors in the catalog are left out"))
        #expect(result.lines.count > 1)
    }

    @Test func `the storefront that is set with vitrine store set storefront applies to later commands`() throws {
        let moved = try tool.run("store", "set", "storefront", "JPN")
        #expect(moved.output == "storefront set to JPN\n")
        #expect(try tool.run("store", "set", "storefront", "DEU", "--json").json["storefront"] as? String == "DEU")

        #expect(try product("lisbon")["currency"] as? String == "EUR")
        #expect(try product("lisbon", "--storefront", "USA")["currency"] as? String == "USD")
    }

    @Test(arguments: ["Atlantis", "XQZ", "de", ""])
    func `an invalid country code is refused as a storefront`(country: String) throws {
        // Nothing is not a value at all.
        #expect(try tool.run("store", "set", "storefront", country).status == (country.isEmpty ? 64 : 1))
        let listing = try tool.run("listing", "--storefront", country)
        #expect(listing.status == 1)
        #expect(listing.errors.contains("is not a country code like USA or DEU"))
        #expect(try product("lisbon")["currency"] as? String == "USD")
    }

    @Test func `vitrine listing --json prints the same products as load --json`() throws {
        try tool.run("buy", .voyager("lisbon"))
        let iberia = try product("iberia")
        let bundle = try #require(iberia["bundle"] as? [String: Any])
        #expect(bundle["separatePrice"] as? String == "14.97")
        #expect(bundle["remainingPrice"] as? String == "9.98")
        #expect(bundle["ownedChildren"] as? [String] == [.voyager("lisbon")])
        let lisbon = try product("lisbon")
        #expect(lisbon["owned"] as? String == "yes")
        #expect((lisbon["because"] as? [[String: Any]])?.first?["kind"] as? String == "transaction")
        #expect(lisbon["reasonNotOffered"] as? String == "the product is owned already")
        #expect((try product("rome")["content"] as? [String: Any])?["installed"] as? Int == 0)

        let loaded = try #require(try tool.run("load", "--json").json["products"] as? [NSDictionary])
        let listed = try #require(try tool.run("listing", "--json").json["products"] as? [NSDictionary])
        #expect(loaded == listed)
    }

    @Test func `vitrine listing shows which products are owned and by which purchase or bundle`() throws {
        try tool.run("buy", .voyager("iberia"))
        let all = try lines("--language", "en")

        #expect(lines(about: "lisbon", all).contains("  owned: included in com.example.voyager.iberia"))
        #expect(lines(about: "iberia", all).contains { $0.hasPrefix("  owned: bought on ") })
        #expect(
            lines(about: "iberia", all).contains(
                "  contains Lisbon Guide (owned), Porto Guide (owned), Madrid Guide (owned)"))
        #expect(lines(about: "athens", all).contains("  content not installed"))
    }

    @Test func `an offline listing prints the catalog without prices and reports the error`() throws {
        try tool.run("store", "set", "offline", "on")
        let result = try tool.run("listing", "--language", "en")

        #expect(result.status == 1)
        #expect(result.errors.contains("products load failed"))
        #expect(result.lines.first == "Lisbon (com.example.voyager.lisbon): no price")
    }
}
