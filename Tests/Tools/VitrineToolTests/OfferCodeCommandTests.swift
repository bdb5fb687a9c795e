import Foundation
import Testing
import VitrineTestSupport

/// Offer codes for products that are bought once.
@Suite(.blocksThreads, .hangLimit) struct OfferCodeCommandTests {
    private let tool: Tool

    init() throws {
        tool = try Tool.club()
        let configuration = try String(contentsOf: Repository.file("Catalogs/Club.storekit"), encoding: .utf8)
        let code = #""codeOffers": [{"referenceName": "gift", "paymentMode": "free"}],"#
        try tool.folder.write(
            configuration.replacing(#""internalID": "c","#, with: #""internalID": "c", \#(code)"#), to: "Codes.storekit"
        )
        try tool.succeed("init", "--home", "codes", "--catalog", "Club.plist", "--store", "Codes.storekit")
    }

    @Test func `a consumable from an offer code is credited once, and is named in the history`() throws {
        let redeemed = try tool.succeed("store", "redeem", "gift", "coins", "--home", "codes")
        #expect(redeemed.output.hasPrefix("redeemed gift for coins (transaction "))
        for _ in 0..<2 {
            #expect(try tool.succeed("wallet", "coins", "--home", "codes").lines.last == "coins   1")
        }
        #expect(
            try tool.succeed("history", "--home", "codes").output.contains("bought coins, with the offer code gift ("))
        let transactions = try tool.succeed("store", "transactions", "--json", "--home", "codes").json["transactions"]
        let transaction = try #require((transactions as? [[String: Any]])?.first)
        #expect(transaction["offer"] as? NSDictionary == ["type": "code", "identifier": "gift"])
        #expect(transaction["finished"] as? Bool == true)

        let again = try tool.run("store", "redeem", "gift", "coins", "--home", "codes")
        #expect(again.status == 1)
        #expect(again.errors == "vitrine: error: the customer has redeemed the offer code gift before\n")
        #expect(try tool.run("store", "redeem", "winter", "coins", "--home", "codes").status == 1)
        #expect(try tool.run("check", "--home", "codes").status == 0)
    }
}
