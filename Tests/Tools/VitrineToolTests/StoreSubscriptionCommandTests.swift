import Foundation
import Testing
import VitrineCatalog
import VitrineReceipts
import VitrineStoreSimulator
import VitrineTestSupport

/// Changes of subscriptions outside the app, and the resulting state in the app.
@Suite(.blocksThreads, .hangLimit) struct StoreSubscriptionCommandTests {
    private let tool: Tool

    init() throws { tool = try Tool.club() }

    private func owns(_ product: String) throws -> Bool { try tool.run("owned", product).status == 0 }

    @Test func `vitrine listing prints subscription prices and the offers that the customer is eligible for`() throws {
        func lines() throws -> [String] {
            try tool.succeed("listing").lines.filter { $0.contains(" a month") || $0.contains(" a year") }
        }
        #expect(
            try lines() == [
                "  $9.99 a month", "  introductory offer: 1 week free, then $9.99 a month", "  $4.99 a month",
                "  $5.49 a month", "  $49.99 a year, $4.17 a month, saves $9.89 (17%)", "  $2.99 a month",
                "  introductory offer: $0.99 a month for 3 months, then $2.99 a month",
            ])
        try tool.succeed("buy", "club.silver")
        #expect(try lines().filter { $0.contains("offer") } == [])
        try tool.succeed("store", "set", "renewal", "off", "club.silver")
        try tool.succeed("store", "advance", "P2M")
        let offer = "  win-back offer again: $0.99 a month for 2 months, then $4.99 a month"
        #expect(try lines().contains(offer))
        #expect(try lines().count == 8)

        let listing = try tool.succeed("listing", "--json").json["products"] as? [[String: Any]]
        let year = try #require(listing?.first { $0["identifier"] as? String == "club.silver.year" })
        #expect(year["familyShareable"] as? Bool == true)
        #expect(
            year["subscription"] as? NSDictionary == [
                "group": "club", "groupName": "Club", "level": 2, "period": "P1Y",
                "displayPricePerPeriod": "$49.99 a year", "pricePerMonth": "4.17",
                "displayPricePerMonth": "$4.17 a month", "saving": "9.89", "displaySaving": "$9.89",
                "winBackOffers": NSArray(),
            ])
    }

    @Test func `a former subscriber can buy with a win-back offer`() throws {
        try tool.succeed("buy", "club.silver")
        #expect(try tool.run("buy", "club.silver", "--win-back", "again").status == 1)
        try tool.succeed("store", "set", "renewal", "off", "club.silver")
        try tool.succeed("store", "advance", "P2M")
        try tool.succeed("buy", "club.silver", "--win-back", "again")

        let transactions = try tool.run("store", "transactions", "--json").json["transactions"] as? [[String: Any]]
        #expect(
            transactions?.last?["offer"] as? NSDictionary == ["type": "win-back", "identifier": "again"])
    }

    @Test func `a former subscriber can buy with a promotional offer, which the tool signs`() throws {
        #expect(try tool.run("buy", "club.gold", "--offer", "spring").status == 1)
        #expect(try tool.run("buy", "club.gold", "--offer", "spring", "--win-back", "again").status == 64)
        try tool.succeed("buy", "club.gold")
        try tool.succeed("store", "set", "renewal", "off", "club.gold")
        try tool.succeed("store", "advance", "P2M")
        #expect(try tool.run("buy", "club.gold", "--offer", "autumn").status == 1)
        try tool.succeed("buy", "club.gold", "--offer", "spring")

        let transactions = try tool.run("store", "transactions", "--json").json["transactions"] as? [[String: Any]]
        #expect(
            transactions?.map { $0["offer"] as? NSDictionary }.suffix(1)
                == [["type": "promotional", "identifier": "spring"]])
    }

    @Test func `a token signed by the app's server can deny the introductory offer`() throws {
        let file = try Data(contentsOf: Repository.file("Catalogs/Club.storekit"))
        let pair = try #require(try StoreConfiguration(data: file).offersKeyPair)
        let customers = try tool.run("store", "customers", "--json").json["customers"] as? [[String: Any]]
        let customer = try #require(customers?.first?["appTransactionID"] as? String)
        let request = OfferRequest(
            purpose: .introductoryOffer(product: "club.gold", isAllowed: false, transaction: customer),
            bundleIdentifier: "com.example.club", issuer: "issuer", nonce: UUID(), date: Date())
        let token = try OfferKey(pem: pair.pem, identifier: pair.id).sign(request)
        try tool.folder.write(token + "\n", to: "denied.jws")

        #expect(try tool.run("buy", "club.gold", "--introductory-eligibility", "missing.jws").status == 66)
        #expect(try tool.run("buy", "club.silver", "--introductory-eligibility", "denied.jws").status == 1)
        try tool.succeed("buy", "club.gold", "--introductory-eligibility", "denied.jws")
        let transactions = try tool.run("store", "transactions", "--json").json["transactions"] as? [[String: Any]]
        #expect(transactions?.count == 1)
        #expect(transactions?.first?["offer"] == nil)
    }

    @Test func `the renewal of a subscription can be turned off and on`() throws {
        try tool.succeed("buy", "club.silver")
        #expect(
            try tool.succeed("store", "set", "renewal", "off", "club.silver").output
                == "the subscription to club.silver does not renew\n")
        #expect(
            try tool.succeed("store", "set", "renewal", "on", "club.silver", "--json").json as NSDictionary
                == ["product": "club.silver", "renewal": true])
        try tool.succeed("store", "advance", "P1M")

        #expect(try owns("club.silver"))
        #expect(try tool.eventKinds() == ["purchased", "renewal-off", "renewal-on", "renewed"])
    }

    @Test func `a failed renewal enters the grace period, then billing retry, and can be recovered`() throws {
        #expect(try tool.succeed("store", "set", "grace", "on").output == "subscriptions have a grace period\n")
        try tool.succeed("buy", "club.silver")
        #expect(
            try tool.succeed("store", "set", "billing", "fail", "club.silver").output
                == "the customer cannot be charged for renewals of club.silver\n")
        try tool.succeed("store", "advance", "P1M")
        // The grace period is no new transaction, so that an app that did not run learns of it by restoring.
        try tool.succeed("restore")
        #expect(try owns("club.silver"))
        #expect(try tool.run("why", "club.silver").output.contains("in grace period until 2040-03-02"))
        try tool.succeed("store", "advance", "17d")
        #expect(try owns("club.silver") == false)

        #expect(
            try tool.succeed("store", "set", "billing", "recover", "club.silver").output
                == "renewed club.silver (transaction 2)\n")
        #expect(try owns("club.silver"))
        #expect(try tool.eventKinds() == ["purchased", "grace-period", "billing-retry", "recovered"])
        #expect(
            try tool.succeed("store", "set", "billing", "recover", "club.silver").output
                == "the customer can be charged for renewals of club.silver\n")
    }

    @Test func `a downgrade of a subscription takes effect at the next renewal`() throws {
        try tool.succeed("buy", "club.gold")
        for _ in 0..<2 {
            #expect(
                try tool.succeed("buy", "club.silver").output
                    == "club.silver: planned: the change of plan takes effect when the subscription renews, at "
                    + "2040-01-22 00:00:00 UTC\n")
        }
        let json = try tool.succeed("buy", "club.silver", "--json").json
        #expect(json["answer"] as? String == "planned")
        #expect(json["begins"] as? String == "2040-01-22T00:00:00Z")
        #expect(try owns("club.silver") == false)
        #expect(
            try tool.succeed("buy", "club.gold").output == "bought club.gold (transaction 1, not charged again)\n")
        try tool.succeed("buy", "club.silver")
        try tool.succeed("store", "advance", "7d")

        #expect(try owns("club.silver"))
        #expect(try owns("club.gold") == false)
        #expect(
            try tool.eventKinds() == [
                "purchased", "plan-change-requested", "plan-change-canceled", "plan-change-requested", "renewed",
            ])
    }

    @Test(arguments: [
        ("yes", ["purchased", "price-changed", "consent-requested", "consented", "renewed"]),
        ("no", ["purchased", "price-changed", "consent-requested", "consent-declined", "expired"]),
    ])
    func `a subscription renews at a higher price only if the customer consents`(answer: String, events: [String])
        throws
    {
        try tool.succeed("buy", "club.silver")
        let price = try tool.succeed("store", "price", "club.silver", "5.99", "--consent", "required", "--json").json
        #expect(price as NSDictionary == ["product": "club.silver", "price": "5.99", "consentRequired": true])
        try tool.succeed("store", "consent", answer, "club.silver")
        try tool.succeed("store", "advance", "P1M")

        #expect(try owns("club.silver") == (answer == "yes"))
        #expect(try tool.eventKinds() == events)
        #expect(try tool.run("listing").output.contains("club.silver): $5.99"))
    }

    @Test func `a higher price that needs no consent is shown as one that applies`() throws {
        try tool.succeed("buy", "club.silver")
        try tool.succeed("store", "price", "club.silver", "5.99", "--consent", "none")
        try tool.succeed("load")

        #expect(try tool.succeed("subscriptions").output.hasSuffix("; a higher price applies\n"))
    }

    @Test func `a subscription to a withdrawn product ends with its period, and the product is not sold`() throws {
        try tool.succeed("buy", "club.silver")
        #expect(
            try tool.succeed("store", "withdraw", "club.silver").output == "club.silver is no longer sold\n")
        #expect(try owns("club.silver"))
        try tool.succeed("store", "advance", "P1M")

        #expect(try owns("club.silver") == false)
        #expect(try tool.run("buy", "club.silver").status == 1)
    }

    @Test func `redeeming an offer code outside the app starts a subscription`() throws {
        #expect(
            try tool.succeed("store", "redeem", "summer", "club.silver").output
                == "redeemed summer for club.silver (transaction 1)\n")
        #expect(try owns("club.silver"))
        let transactions = try tool.run("store", "transactions", "--json").json["transactions"] as? [[String: Any]]
        #expect(transactions?[0]["offer"] as? NSDictionary == ["type": "code", "identifier": "summer"])
        #expect(transactions?[0]["customer"] as? String == "default")
        #expect(transactions?[0]["renewal"] as? Bool == false)
        #expect(transactions?[0]["expires"] as? String == "2040-02-15T00:00:00Z")
        #expect(
            try tool.succeed("store", "transactions").lines[1].hasSuffix(
                "2040-02-15 00:00:00 UTC  offer code summer, finished"))
    }

    @Test func `a refund can return a percentage of the price or the remaining part of a period`() throws {
        try tool.succeed("buy", "map")
        try tool.succeed("buy", "club.silver")
        #expect(try tool.succeed("store", "refund", "1", "--percent", "40", "--json").json["percent"] as? Double == 40)
        try tool.succeed("store", "advance", "2040-01-31T12:00:00Z")
        let prorated = try tool.succeed("store", "refund", "2", "--prorated", "--json").json

        #expect((prorated["percent"] as? Double).map { (46.7...46.8).contains($0) } == true, "\(prorated)")
        #expect(try tool.run("store", "refund", "1", "--prorated").status == 1)
        #expect(try owns("club.silver") == false)
        #expect(
            try tool.succeed("store", "transactions").lines[1].hasSuffix("  40.0 % refunded on 2040-01-15, finished"))
    }

    @Test func `an interrupted purchase is completed when its issue is resolved`() throws {
        #expect(try tool.succeed("store", "set", "interrupt", "on").output == "new purchases are interrupted\n")
        let interrupted = try tool.run("buy", "club.silver")
        #expect(interrupted.status == 2)
        #expect(
            interrupted.output
                == "club.silver: pending: the customer has to resolve an issue with the store; 'vitrine store resolve' "
                + "does so\n")
        #expect(
            try tool.succeed("store", "transactions").lines[1].hasSuffix(
                "  interrupted until the customer resolves an issue"))
        #expect(try tool.run("store", "approve", "1").status == 1)
        try tool.succeed("store", "set", "interrupt", "off")

        #expect(
            try tool.succeed("store", "resolve", "1").output == "issue resolved: club.silver (transaction 1)\n")
        #expect(try owns("club.silver"))
    }
}
