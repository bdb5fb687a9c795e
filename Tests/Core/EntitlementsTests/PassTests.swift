import Foundation
import Testing
import VitrineCatalog
import VitrineEntitlements
import VitrineTestSupport

/// Purchases of a non-renewing subscription, whose time adds up.
@Suite(.hangLimit) struct PassTests {
    private static func day(_ number: Double) -> Date { Date(timeIntervalSince1970: 1_790_000_000) + number * 86_400 }

    /// Catalog with a pass of 30 days that contains a map.
    private static func catalog(
        _ formerDurations: [FormerDuration] = [], duration: String = "P30D", children: [String] = ["map"]
    ) -> Catalog {
        var pass = CatalogProduct(
            identifier: "pass", kind: .nonRenewingSubscription, childProducts: children,
            subscriptionDuration: SubscriptionDuration(duration))
        pass.formerDurations = formerDurations
        return Catalog(products: [pass, CatalogProduct(identifier: "map", kind: .nonConsumable)])
    }

    /// Returns the purchase of a pass, with its end as a device records it under a catalog.
    private static func bought(
        _ transaction: Int, on first: Double, days: Double = 30, quantity: Int = 1, signed: Double? = nil
    ) -> Fact {
        .bought(
            "pass", transaction: "\(transaction)", kind: .nonRenewingSubscription, quantity: quantity,
            signed: day(signed ?? first), until: .init(expirationDate: day(first + days * Double(quantity))),
            at: day(first), contents: ["map"])
    }

    private static func snapshot(
        _ facts: [Fact], on number: Double, _ catalog: Catalog = PassTests.catalog()
    ) async throws -> EntitlementSnapshot {
        let ledger = MemoryLedger()
        for fact in facts { _ = try await ledger.append([fact], at: day(number)) }
        return EntitlementSnapshot(catalog: catalog, summary: await ledger.summary(), at: day(number))
    }

    private func duration(_ text: String) throws -> SubscriptionDuration { try #require(SubscriptionDuration(text)) }

    // MARK: Table in Documentation/Design.md

    struct Row: Sendable, CustomTestStringConvertible {
        let statements: [String]
        /// Days from which, and until which, the pass is owned.
        let access: [Range<Double>]
        var testDescription: String { statements.joined(separator: "; ") }
    }

    private static let rows: [Row] = {
        let page = (try? String(contentsOf: Repository.file("Documentation/Design.md"), encoding: .utf8)) ?? ""
        let lines = page.split(separator: "\n")
        guard let head = lines.firstIndex(of: "| purchases of a pass of 30 days | owned on days |") else { return [] }
        return lines[(head + 2)...].prefix { $0.hasPrefix("|") }.map { line in
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            return Row(
                statements: cells[0].components(separatedBy: "; "),
                access: cells[1].components(separatedBy: ", ").compactMap { text in
                    let days = text.split(separator: "–").compactMap { Double($0) }
                    return days.count == 2 ? days[0]..<days[1] : nil
                })
        }
    }()

    /// Returns the fact that a statement of the table stands for.
    private static func fact(_ statement: String) throws -> Fact {
        if let match = statement.wholeMatch(of: /refund of ([0-9]+) on ([0-9]+)/) {
            return .revoked("pass", transaction: String(match.1), signed: day(try number(match.2)))
        }
        let match = try #require(
            statement.wholeMatch(
                of: /([0-9]+) on ([0-9]+)(?: in quantity ([0-9]+))?(?: recorded as ([0-9]+) days)?(?: signed ([0-9]+))?/
            ))
        return bought(
            Int(try number(match.1)), on: try number(match.2), days: try match.4.map(number) ?? 30,
            quantity: Int(try match.3.map(number) ?? 1), signed: try match.5.map(number))
    }

    private static func number(_ text: Substring) throws -> Double { try #require(Double(text)) }

    /// Returns all orders of the elements.
    private static func orders(of facts: [Fact]) -> [[Fact]] {
        guard facts.count > 1 else { return [facts] }
        return facts.indices.flatMap { index in
            var others = facts
            let first = others.remove(at: index)
            return orders(of: others).map { [first] + $0 }
        }
    }

    @Test(arguments: rows)
    func `passes of a product add up as documented, in every order of their purchases and refunds`(_ row: Row)
        async throws
    {
        let facts = try row.statements.map(Self.fact)
        let latest = try #require(facts.compactMap(\.origin?.signedDate).max())
        for order in Self.orders(of: facts) {
            let ledger = MemoryLedger()
            var updated = try EntitlementSnapshot(catalog: Self.catalog(), entries: [], at: latest)
            for fact in order {
                do throws(LedgerError) {
                    _ = try updated.apply(try await ledger.append([fact], at: latest))
                } catch {
                    // A copy that was signed before the refund.
                    #expect(error.code == .revoked)
                }
            }
            let summary = await ledger.summary()
            for number in (0...320).map({ Double($0) / 2 }) where Self.day(number) >= latest {
                let rebuilt = EntitlementSnapshot(catalog: Self.catalog(), summary: summary, at: Self.day(number))
                _ = updated.set(date: Self.day(number))
                let isOwned = row.access.contains { $0.contains(number) }
                for product in ["pass", "map"] {
                    #expect(rebuilt.isOwned(product) == isOwned, "\(product) on day \(number), \(order.map(\.key))")
                    #expect(updated.isOwned(product) == isOwned, "\(product) on day \(number), \(order.map(\.key))")
                }
            }
        }
    }

    @Test func `the documented table of passes can be read`() {
        #expect(Self.rows.count > 8)
        #expect(Self.rows.contains { $0.access.isEmpty })
    }

    // MARK: Reasons

    @Test func `the reasons for ownership contain the start, end and quantity of each pass in the order of use`()
        async throws
    {
        let snapshot = try await Self.snapshot(
            [Self.bought(2, on: 10, quantity: 2), Self.bought(1, on: 0)], on: 10)
        func reason(_ id: String, bought: Double, from: Double, to: Double, quantity: Int = 1) -> Ownership.Reason {
            .transaction(
                .init(
                    id: id, purchaseDate: Self.day(bought), expirationDate: Self.day(to),
                    pass: .init(start: Self.day(from), quantity: quantity)))
        }
        let ownership = snapshot.ownership(of: "pass")

        #expect(
            ownership
                == .owned(because: [
                    reason("1", bought: 0, from: 0, to: 30), reason("2", bought: 10, from: 30, to: 90, quantity: 2),
                ]))
        #expect(ownership.isExtendable)
        #expect(ownership.endOfPasses == Self.day(90))
        #expect(ownership.sumOfPasses?.hasSuffix(" by 2 purchases") == true)
        #expect(snapshot.nextEnd == Self.day(30))
    }

    @Test func `a pass that is also granted, or contained in an owned bundle, cannot be extended`() async throws {
        let granted = try await Self.snapshot([Self.bought(1, on: 0), .given("pass", token: "a")], on: 1)
        #expect(granted.ownership(of: "pass").isOwned)
        #expect(!granted.ownership(of: "pass").isExtendable)
        #expect(!granted.ownership(of: "map").isExtendable)

        let bundles = Catalog(
            products: Self.catalog().products + [
                CatalogProduct(identifier: "all", kind: .nonConsumable, childProducts: ["pass"])
            ])
        let contained = try await Self.snapshot(
            [Self.bought(1, on: 0), .bought("all", transaction: "9", contents: ["pass", "map"])], on: 1, bundles)
        #expect(contained.ownership(of: "pass").isOwned)
        #expect(!contained.ownership(of: "pass").isExtendable)
    }

    @Test func `products that a pass contained when it was bought stay owned for all of the time that adds up`()
        async throws
    {
        var snapshot = try await Self.snapshot(
            [Self.bought(1, on: 0), Self.bought(2, on: 10)], on: 20, Self.catalog(children: []))
        #expect(snapshot.owned == ["pass", "map"])
        #expect(snapshot.set(date: Self.day(59)).changesNothing)
        #expect(Set(snapshot.set(date: Self.day(60)).noLongerOwned) == ["pass", "map"])
    }

    @Test func `the time of many passes has an end that can be shown`() async throws {
        let facts = (0..<200).map { Self.bought($0 + 1, on: 0, days: 36_500_000) }
        let ownership = try await Self.snapshot(facts, on: 1).ownership(of: "pass")
        let end = try #require(ownership.endOfPasses)
        #expect(end > .distantFuture)
        #expect(end.timeIntervalSince(.distantFuture) <= 36_500_000 * 86_400)
    }

    // MARK: Durations

    struct DurationCase: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// Duration that the device has recorded, in days.
        let recorded: Double
        let present: String
        var former: [(String, until: Double)] = []
        /// Last day of ownership.
        let end: Double
    }

    @Test(arguments: [
        DurationCase(testDescription: "an unchanged catalog", recorded: 30, present: "P30D", end: 30),
        DurationCase(testDescription: "a shorter present duration", recorded: 60, present: "P30D", end: 60),
        DurationCase(testDescription: "a longer present duration", recorded: 30, present: "P60D", end: 30),
        DurationCase(
            testDescription: "a longer former duration, on a device that has recorded the present one", recorded: 30,
            present: "P30D", former: [("P60D", until: 5)], end: 60),
        DurationCase(
            testDescription: "a former duration that ended before the purchase", recorded: 30, present: "P30D",
            former: [("P60D", until: 0)], end: 30),
        DurationCase(
            testDescription: "a former duration that is shorter than the recorded one", recorded: 60, present: "P90D",
            former: [("P30D", until: 5)], end: 60),
        DurationCase(
            testDescription: "the earliest of two former durations after the purchase", recorded: 30, present: "P30D",
            former: [("P90D", until: 9), ("P60D", until: 5)], end: 60),
        DurationCase(
            testDescription: "the present duration after all former ones", recorded: 30, present: "P45D",
            former: [("P90D", until: -5)], end: 45),
    ])
    func `a pass has the longer one of its recorded duration and of that in the catalog's history`(
        test: DurationCase
    ) async throws {
        let former = try test.former.map { FormerDuration(try duration($0.0), until: Self.day($0.until)) }
        let history = Self.catalog(former, duration: test.present)
        let snapshot = try await Self.snapshot([Self.bought(1, on: 0, days: test.recorded)], on: 1, history)
        #expect(snapshot.ownership(of: "pass").endOfPasses == Self.day(test.end))

        // A catalog that is loaded later has the same effect.
        let later = try await Self.snapshot([Self.bought(1, on: 0, days: test.recorded)], on: 1).with(catalog: history)
        #expect(later.ownership(of: "pass").endOfPasses == Self.day(test.end))
    }

    @Test func `a former duration of the catalog moves the start of the passes after it`() async throws {
        let history = Self.catalog([FormerDuration(try duration("P60D"), until: Self.day(5))])
        let snapshot = try await Self.snapshot([Self.bought(1, on: 0), Self.bought(2, on: 10)], on: 12, history)
        #expect(snapshot.ownership(of: "pass").endOfPasses == Self.day(90))
        #expect(snapshot.nextEnd == Self.day(60))
    }

    // MARK: Other devices

    @Test(arguments: [[60, 30], [30, 60], [30, 60, 45], [45, 30, 60], [60, 60]] as [[Double]])
    func `the longest duration that a device has recorded for a pass counts on every device`(
        recorded: [Double]
    ) async throws {
        let ledger = MemoryLedger()
        _ = try await ledger.append([Self.bought(1, on: 0, days: recorded[0])], at: Self.day(0))
        for (index, days) in recorded.enumerated().dropFirst() {
            let facts = [
                ExchangedFact(
                    fact: Self.bought(1, on: 0, days: days), moment: Self.day(Double(index)), device: "device-\(index)")
            ]
            for _ in 0..<2 {
                let merge = try await ledger.merge(facts, adjusting: [], overdrafts: nil, at: Self.day(9))
                #expect(merge.problems.isEmpty)
            }
        }
        let snapshot = EntitlementSnapshot(
            catalog: Self.catalog(), summary: await ledger.summary(), at: Self.day(1))

        #expect(snapshot.ownership(of: "pass").endOfPasses == Self.day(60))
        let updated = try EntitlementSnapshot(
            catalog: Self.catalog(), entries: await ledger.entries(after: 0), at: Self.day(1))
        #expect(updated.ownership(of: "pass") == snapshot.ownership(of: "pass"))
        #expect(await ledger.entries(after: 0).count <= recorded.count)
    }
}
