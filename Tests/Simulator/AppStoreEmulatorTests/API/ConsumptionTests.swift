import Foundation
import GRDB
import HTTPTypes
import Testing
import VitrineReceipts
import VitrineTestSupport

@testable import VitrineStoreSimulator

/// Reports about the consumption of purchases: both versions of `PUT /inApps/…/transactions/consumption/{transactionId}`.
@Suite(.hangLimit) struct ConsumptionTests {
    /// Report of the second version that is accepted for every product.
    static let second: [String: JSONValue] = [
        "customerConsented": .bool(true), "sampleContentProvided": .bool(false), "deliveryStatus": .string("DELIVERED"),
    ]

    /// Report of the first version that is accepted.
    static let first: [String: JSONValue] = [
        "customerConsented": .bool(true), "consumptionStatus": .integer(0), "platform": .integer(0),
        "sampleContentProvided": .bool(false), "deliveryStatus": .integer(0), "appAccountToken": .string(""),
        "accountTenure": .integer(0), "playTime": .integer(0), "lifetimeDollarsRefunded": .integer(0),
        "lifetimeDollarsPurchased": .integer(0), "userStatus": .integer(0),
    ]

    private static func reports(in store: SimulatedStore) async throws -> [ConsumptionReportRecord] {
        try await store.core.read { try ConsumptionReportRecord.fetchAll($0.database) }
    }

    /// Sends the reports of a table, and checks that exactly the accepted ones are stored.
    private func check(
        _ version: String, _ cases: [(id: String, product: String, body: [String: JSONValue], code: Int)]
    ) async throws {
        try await ServedStore.run { served in
            let caller = try APICaller(served)
            let products = ["coins", "map", "pass", "club.silver"]
            var bought: [String: String] = [:]
            for product in products { bought[product] = try await served.buy(product)[0] }
            var accepted = 0
            for entry in cases {
                let id = try #require(bought[entry.product])
                let answer = try await caller.send(
                    .put, "/inApps/\(version)/transactions/consumption/\(id)", body: entry.body)
                #expect(answer.verdict == entry.code, "\(entry.id)")
                if entry.code == 202 {
                    accepted += 1
                    #expect(answer.body.isEmpty, "\(entry.id)")
                    let report = try #require(try await Self.reports(in: served.store).last)
                    let stored = try JSONValue(json: Data(report.body.utf8))
                    #expect(stored == .object(entry.body.filter { $0.value != .null }), "\(entry.id)")
                    #expect(String(report.purchase) == id, "\(entry.id)")
                }
                #expect(try await Self.reports(in: served.store).count == accepted, "\(entry.id)")
            }
        }
    }

    @Test func `a version 2 consumption report is stored, or refused with the error code of its invalid field`()
        async throws
    {
        func report(_ changes: [String: JSONValue?]) -> [String: JSONValue] {
            changes.reduce(into: Self.second) { $0[$1.key] = $1.value }
        }
        let undelivered = [
            "UNDELIVERED_QUALITY_ISSUE", "UNDELIVERED_WRONG_ITEM", "UNDELIVERED_SERVER_OUTAGE", "UNDELIVERED_OTHER",
        ]
        typealias Case = (id: String, product: String, body: [String: JSONValue], code: Int)
        var cases: [Case] = ["coins", "map", "pass", "club.silver"].map { ("for \($0)", $0, Self.second, 202) }
        cases += undelivered.map { ($0, "coins", report(["deliveryStatus": .string($0)]), 202) }
        cases += ["DECLINE", "GRANT_FULL", "GRANT_PRORATED"].map {
            ($0, "coins", report(["refundPreference": .string($0)]), 202)
        }
        for (percentage, code) in [(-1, 4_000_000), (0, 202), (1, 202), (100_000, 202), (100_001, 4_000_000)] {
            let value = JSONValue.integer(Int64(percentage))
            cases.append(("\(percentage) consumed", "coins", report(["consumptionPercentage": value]), code))
            let prorated = report(["consumptionPercentage": value, "refundPreference": .string("GRANT_PRORATED")])
            cases.append(("\(percentage), prorated", "coins", prorated, percentage == 1 ? 202 : 4_000_000))
            let lost = report(["consumptionPercentage": value, "deliveryStatus": .string("UNDELIVERED_OTHER")])
            cases.append(("\(percentage), not delivered", "coins", lost, percentage == 0 ? 202 : 4_000_000))
            let subscription = code == 202 ? 4_000_209 : code
            cases.append(
                (
                    "\(percentage) of a subscription", "club.silver", report(["consumptionPercentage": value]),
                    subscription
                ))
        }
        cases += [
            ("null for what may be missing", "coins", report(["refundPreference": .null]), 202),
            ("unknown fields", "coins", report(["color": .string("red")]), 202),
            ("no consent", "coins", report(["customerConsented": .bool(false)]), 4_000_035),
            ("nothing about consent", "coins", report(["customerConsented": nil as JSONValue?]), 4_000_035),
            ("consent as a word", "coins", report(["customerConsented": .string("true")]), 4_000_035),
            ("consent as a number", "coins", report(["customerConsented": .integer(1)]), 4_000_035),
            ("nothing about samples", "coins", report(["sampleContentProvided": nil as JSONValue?]), 4_000_041),
            ("samples as a number", "coins", report(["sampleContentProvided": .integer(0)]), 4_000_041),
            ("nothing about delivery", "coins", report(["deliveryStatus": nil as JSONValue?]), 4_000_036),
            ("delivery as a number", "coins", report(["deliveryStatus": .integer(0)]), 4_000_036),
            ("delivery in lower case", "coins", report(["deliveryStatus": .string("delivered")]), 4_000_036),
            ("another preference", "coins", report(["refundPreference": .string("MAYBE")]), 4_000_044),
            ("a preference as a number", "coins", report(["refundPreference": .integer(1)]), 4_000_044),
            ("a percentage as a word", "coins", report(["consumptionPercentage": .string("5")]), 4_000_000),
            ("half a unit", "coins", report(["consumptionPercentage": .number(0.5)]), 4_000_000),
            ("an empty object", "coins", [:], 4_000_035),
            ("the first version", "coins", Self.first, 4_000_036),
        ]
        try await check("v2", cases)
    }

    @Test func `a version 1 consumption report is stored, or refused with the error code of its invalid field`()
        async throws
    {
        let numbers: [(name: String, most: Int64, code: Int)] = [
            ("consumptionStatus", 3, 4_000_034), ("platform", 2, 4_000_039), ("deliveryStatus", 5, 4_000_036),
            ("accountTenure", 7, 4_000_032), ("playTime", 7, 4_000_040), ("lifetimeDollarsRefunded", 7, 4_000_038),
            ("lifetimeDollarsPurchased", 7, 4_000_037), ("userStatus", 4, 4_000_042),
            ("refundPreference", 3, 4_000_044),
        ]
        let others = [
            ("customerConsented", 4_000_035), ("sampleContentProvided", 4_000_041), ("appAccountToken", 4_000_033),
        ]
        func report(_ name: String, _ value: JSONValue?) -> [String: JSONValue] {
            var report = Self.first
            report[name] = value
            return report
        }
        typealias Case = (id: String, product: String, body: [String: JSONValue], code: Int)
        var cases: [Case] = [
            ("for coins", "coins", Self.first, 202), ("for a subscription", "club.silver", Self.first, 202),
            ("for a non-consumable", "map", Self.first, 4_000_047),
            ("for a non-renewing subscription", "pass", Self.first, 4_000_047),
            ("an account", "coins", report("appAccountToken", .string(UUID().uuidString)), 202),
            ("no consent", "coins", report("customerConsented", .bool(false)), 4_000_035),
            ("consent as a number", "coins", report("customerConsented", .integer(1)), 4_000_035),
            ("samples as a word", "coins", report("sampleContentProvided", .string("no")), 4_000_041),
            ("an account as a word", "coins", report("appAccountToken", .string("abc")), 4_000_033),
            ("an account as a number", "coins", report("appAccountToken", .integer(0)), 4_000_033),
            ("no preference", "coins", report("refundPreference", nil), 202),
        ]
        for (name, most, code) in numbers {
            cases.append(("most of \(name)", "coins", report(name, .integer(most)), 202))
            for value: JSONValue in [.integer(most + 1), .integer(-1), .string("1"), .bool(true), .number(0.5)] {
                cases.append(("\(value) as \(name)", "coins", report(name, value), code))
            }
        }
        let required = numbers.filter { $0.name != "refundPreference" }.map { ($0.name, $0.code) } + others
        cases += required.map { ("nothing about \($0.0)", "coins", report($0.0, nil), $0.1) }
        cases += required.map { ("null for \($0.0)", "coins", report($0.0, .null), $0.1) }
        try await check("v1", cases)
    }

    @Test(arguments: ["v1", "v2"])
    func `a consumption report about a family-shared or unknown transaction is refused with an error code`(
        version: String
    ) async throws {
        try await ServedStore.run { served in
            let (store, ann) = (served.store, try served.store.device("phone", of: "ann"))
            try await store.joinFamily("Smith")
            try await ann.joinFamily("Smith")
            try await served.buy("news", by: ann)
            let shared = try #require(try await store.transactions().first).id
            let caller = try APICaller(served)
            let cases = [
                (shared, 4_000_185), ("abc", 4_000_006), (ServedStore.unknown, 4_040_010),
                (try await served.appTransaction(), 4_000_048),
            ]
            for (id, code) in cases {
                let answer = try await caller.send(
                    .put, "/inApps/\(version)/transactions/consumption/\(id)",
                    body: version == "v1" ? Self.first : Self.second)
                #expect(answer.code == code, "\(id)")
            }
            #expect(try await Self.reports(in: store).isEmpty)
        }
    }
}
