import Foundation
import Testing
import VitrineTestSupport

/// Invalid commands for the store, which are refused.
@Suite(.blocksThreads, .hangLimit) struct StoreInputTests {
    /// Refused command, with its exit status and a part of the reason.
    struct Refusal: CustomTestStringConvertible, Sendable {
        let command: String
        let status: Int32
        let reason: String

        init(_ command: String, _ status: Int32, _ reason: String) {
            (self.command, self.status, self.reason) = (command, status, reason)
        }

        var testDescription: String { command }
    }

    static let refusals = [
        Refusal("advance 2040-01-14", 1, "can only be advanced, and stands at 2040-01-15 00:00:00 UTC"),
        Refusal("advance 2040-01-15", 1, "can only be advanced"),
        Refusal("advance 0d", 64, "0d is neither a duration above zero"),
        Refusal("advance P0D", 64, "P0D is neither"),
        Refusal("advance 30x", 64, "30x is neither"),
        Refusal("advance 1.5d", 64, "1.5d is neither"),
        Refusal("advance 12345d", 64, "12345d is neither"),
        Refusal("advance 2040-02-30", 64, "2040-02-30 is neither"),
        Refusal("advance -- -3d", 64, "-3d is neither"),
        Refusal("advance", 64, "Missing expected argument '<duration-or-date>'"),
        Refusal("advance P40Y", 1, "certificates are valid until"),
        Refusal("advance P9999Y", 1, "certificates are valid until"),
        Refusal("advance 9999-12-31", 1, "certificates are valid until"),
        Refusal("clock virtual 2039-12-31", 1, "can only be advanced"),
        Refusal("clock virtual 2200-01-01", 1, "certificates are valid until"),
        Refusal("clock virtual today", 64, "The date today is not a day or time"),
        Refusal("clock machine 2040-02-01", 64, "Only a virtual clock can be set to a date"),
        Refusal("clock sundial", 64, "'sundial' is invalid for '<kind>'"),
        Refusal("rate fast", 64, "fast is not a rate"),
        Refusal("timeline none", 1, "the store has no product none"),
        Refusal("timeline --ahead 1001", 64, "--ahead must be from 0 to 1000"),
        Refusal("set renewal off none", 1, "no auto-renewable subscription none"),
        Refusal("set renewal off club.silver", 1, "the customer has no subscription in the group of club.silver"),
        Refusal("set renewal maybe club.silver", 64, "used as 'renewal on|off PRODUCT', not with the value \"maybe\""),
        Refusal("set billing fail map", 1, "no auto-renewable subscription map"),
        Refusal("set billing recover club.silver", 1, "the customer has no subscription"),
        Refusal("set grace perhaps", 64, "used as 'grace on|off', not with the value \"perhaps\""),
        Refusal("set grace on club.silver", 64, "used as 'grace on|off', without a product"),
        Refusal("set billing fail", 64, "used as 'billing fail|recover PRODUCT', with a product"),
        Refusal("set sunshine on", 64, "'sunshine' is invalid for '<setting>'"),
        Refusal("price none 1.99", 1, "the store has no product none"),
        Refusal("price map 0", 1, "a price must be above zero"),
        Refusal("price map 1.2345", 64, "The price 1.2345 is not a number"),
        Refusal("price map 1,99", 64, "The price 1,99 is not a number"),
        Refusal("price map 9999999999", 64, "The price 9999999999 is not a number"),
        Refusal("consent yes club.silver", 1, "the customer has no subscription"),
        Refusal("withdraw none", 1, "the store has no product none"),
        Refusal("redeem none club.silver", 1, "the store has no offer code none for club.silver"),
        Refusal("redeem summer none", 1, "the store does not sell none"),
        Refusal("redeem summer map", 1, "the store has no offer code summer for map"),
        Refusal("family leave", 1, "the customer default is in no family"),
        Refusal("resolve 99", 1, "the store has no interrupted purchase 99"),
        Refusal("refund 99 --percent 50", 1, "the store has no transaction 99"),
        Refusal("refund 1 --percent 0", 64, "--percent must be from 1 to 100, not 0"),
        Refusal("refund 1 --percent 101", 64, "--percent must be from 1 to 100, not 101"),
        Refusal("refund 1 --percent 5 --prorated", 64, "not both"),
    ]

    @Test(arguments: refusals)
    func `a store command that the state of the store does not permit is refused with the reason and changes nothing`(
        refusal: Refusal
    ) throws {
        let tool = try Tool.club()
        let before = try tool.storeBytes
        let result = try tool.run(["store"] + refusal.command.split(separator: " ").map(String.init))

        #expect(result.status == refusal.status, "\(result.errors)")
        #expect(result.errors.contains(refusal.reason), "\(result.errors)")
        #expect(try tool.storeBytes == before)
    }

    /// Error in a `.storekit` file, with a part of the warning about it, and a command that it makes impossible.
    struct FileError: CustomTestStringConvertible, Sendable {
        let testDescription: String
        /// Text in the file, and its replacement.
        let change: (String, String)
        let warning: String
        let command: String
        let reason: String
    }

    static let fileErrors = [
        FileError(
            testDescription: "a product without a price", change: (#""displayPrice": "4.99","#, ""),
            warning: #"the product "map" is not sold: it has no displayPrice"#,
            command: "buy map", reason: "not bought: map is not offered: the store does not know the product"),
        FileError(
            testDescription: "a subscription without a price, in the store", change: (#""displayPrice": "4.99","#, ""),
            warning: #"the product "club.silver" is not sold: it has no displayPrice"#,
            command: "store redeem summer club.silver",
            reason: "the store does not sell club.silver: it has no displayPrice"),
        FileError(
            testDescription: "a subscription without a period",
            change: (#""recurringSubscriptionPeriod": "P1M","#, ""),
            warning: #"the product "club.silver" is left out: it has no recurringSubscriptionPeriod"#,
            command: "buy club.silver",
            reason: "not bought: club.silver is not offered: the store does not know the product"),
        FileError(
            testDescription: "a subscription with a period of zero",
            change: (#""recurringSubscriptionPeriod": "P1M","#, #""recurringSubscriptionPeriod": "P0M","#),
            warning: #"the product "club.silver" is left out: its recurringSubscriptionPeriod "P0M" is not a period"#,
            command: "store set renewal off club.silver",
            reason: "the store has no auto-renewable subscription club.silver"),
        FileError(
            testDescription: "an offer with a period of zero",
            change: (#""subscriptionPeriod": "P1M""#, #""subscriptionPeriod": "P0M""#),
            warning: #"an offer of "club.silver" is left out: its subscriptionPeriod "P0M" is not a period"#,
            command: "store redeem summer club.silver",
            reason: "the store has no offer code summer for club.silver"),
        FileError(
            testDescription: "an offer of no periods",
            change: (
                #""subscriptionPeriod": "P1M""#, #""numberOfPeriods": 0, "subscriptionPeriod": "P1M""#
            ), warning: #"an offer of "club.silver" is left out: its numberOfPeriods 0 is too small"#,
            command: "store redeem summer club.silver",
            reason: "the store has no offer code summer for club.silver"),
        FileError(
            testDescription: "an unknown rate", change: (#""_storefront": "USA""#, #""_timeRate": 99"#),
            warning: "settings._timeRate is ignored: the rate 99 is unknown", command: "store rate 99",
            reason: "99 is not a rate"),
    ]

    @Test(arguments: fileErrors)
    func `an error in the StoreKit configuration is reported with its field, and commands that need it are refused`(
        error: FileError
    ) throws {
        let tool = try Tool.club()
        let text = try String(contentsOf: Repository.file("Catalogs/Club.storekit"), encoding: .utf8)
        // The product that the warning names, or the settings.
        let product = ["map", "club.silver"].first(where: error.warning.contains)
        let start = product.map { "\"productID\": \"\($0)\"" } ?? "\"settings\""
        let place = try #require(text.range(of: start))
        let change = try #require(text.range(of: error.change.0, range: place.lowerBound..<text.endIndex))
        try tool.folder.write(text.replacingCharacters(in: change, with: error.change.1), to: "Faulty.storekit")
        let warnings = try tool.succeed("init", "--catalog", "Club.plist", "--store", "Faulty.storekit").errors
        #expect(warnings.contains("warning: Faulty.storekit: ") && warnings.contains(error.warning), "\(warnings)")

        let before = try tool.storeBytes
        let result = try tool.run(error.command.split(separator: " ").map(String.init))
        #expect([1, 64].contains(result.status))
        #expect((result.output + result.errors).contains(error.reason), "\(result.output)\(result.errors)")
        #expect(try tool.storeBytes == before)
    }

    @Test func `a product without a price is sold after store price sets one`() throws {
        let tool = try Tool.club()
        let text = try String(contentsOf: Repository.file("Catalogs/Club.storekit"), encoding: .utf8)
        try tool.folder.write(text.replacing(#""displayPrice": "4.99","#, with: ""), to: "Faulty.storekit")
        try tool.succeed("init", "--catalog", "Club.plist", "--store", "Faulty.storekit")
        for product in ["map", "club.silver"] {
            #expect(try tool.run("buy", product).status == 1)
            try tool.succeed("store", "price", product, "4.99")
            try tool.succeed("buy", product)
        }
    }

    @Test func `commands are refused if the joined store does not know the customer or device`() throws {
        let tool = try Tool.club()
        try tool.succeed(
            "init", "--home", "tablet", "--catalog", "Club.plist", "--join", ".vitrine/Store", "--customer", "anna",
            "--device", "tablet")
        // The store is made anew.
        try FileManager.default.removeItem(at: tool.home.appending(path: "Store"))
        try tool.succeed(
            "init", "--catalog", "Club.plist", "--store", Repository.file("Catalogs/Club.storekit").path())
        let before = try tool.storeBytes
        for command in [["store", "transactions"], ["store", "advance", "1d"], ["buy", "map"]] {
            let result = try tool.run(command + ["--home", "tablet"])
            #expect(result.status == 1)
            #expect(result.errors.contains("the store has no device tablet of a customer anna"), "\(result.errors)")
        }
        #expect(try tool.storeBytes == before)
    }
}
