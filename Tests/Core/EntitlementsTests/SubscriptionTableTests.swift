import Foundation
import Testing
import VitrineCatalog
import VitrineEntitlements
import VitrineTestSupport

/// Table in Documentation/Design.md about ownership through subscriptions.
@Suite(.hangLimit) struct SubscriptionTableTests {
    private static let start = Date(timeIntervalSince1970: 1_790_000_000)

    private static func day(_ number: Double) -> Date { start + number * 86_400 }

    private static let catalog = Catalog(products: [
        CatalogProduct(identifier: "maps", kind: .nonConsumable),
        CatalogProduct(identifier: "tours", kind: .nonConsumable),
        CatalogProduct(identifier: "basic", kind: .autoRenewableSubscription, childProducts: ["maps"]),
        CatalogProduct(identifier: "best", kind: .autoRenewableSubscription, childProducts: ["tours"]),
    ])

    // MARK: Rows

    /// Facts of the store's last statement, the product of the row, and the day on which access ends.
    struct Statement: Sendable {
        var facts: [Fact]
        var product = "basic"
        var next = "basic"
        var end = 30.0
        /// Day on which the customer has access.
        var within = 20.0
    }

    private static func period(
        _ transaction: String, of product: String = "basic", from first: Double, to last: Double,
        isUpgraded: Bool = false, isFamilyShared: Bool = false
    ) -> Fact {
        .bought(
            product, transaction: transaction, kind: .autoRenewableSubscription, signed: day(first),
            until: .init(expirationDate: day(last), isUpgraded: isUpgraded), original: "1", at: day(first),
            contents: [product == "basic" ? "maps" : "tours"], isFamilyShared: isFamilyShared)
    }

    private static func renewal(
        _ isRenewing: Bool, signed: Double, of transaction: String = "1", _ product: String = "basic",
        as next: String = "basic", isPeriodOver: Bool = false, isInBillingRetry: Bool = false,
        endReason: SubscriptionEndReason? = nil, priceIncrease: PriceIncreaseConsent? = nil, grace: Double? = nil
    ) -> Fact {
        .renewed(
            product, transaction: transaction, isRenewing: isRenewing, original: "1", signed: day(signed),
            terms: Fact.RenewalTerms(
                nextProduct: next, isPeriodOver: isPeriodOver, gracePeriodExpirationDate: grace.map(day),
                endReason: endReason,
                isInBillingRetry: isInBillingRetry, priceIncrease: priceIncrease))
    }

    private static let first = period("1", from: 0, to: 30)

    private static let statements: [String: Statement] = [
        "renews": Statement(facts: [first, renewal(true, signed: 1)]),
        "renews for a family member": Statement(
            facts: [period("1", from: 0, to: 30, isFamilyShared: true), renewal(true, signed: 1)]),
        "renews, a higher price waits for consent": Statement(
            facts: [first, renewal(true, signed: 1, priceIncrease: .pending)]),
        "does not renew": Statement(facts: [first, renewal(false, signed: 1)]),
        "nothing": Statement(facts: [first]),
        "in grace period": Statement(
            facts: [
                first, renewal(true, signed: 30, isPeriodOver: true, isInBillingRetry: true, grace: 46),
            ], end: 46, within: 40),
        "in grace period, then none": Statement(
            facts: [
                first, renewal(true, signed: 30, isPeriodOver: true, isInBillingRetry: true, grace: 46),
                renewal(true, signed: 32, isPeriodOver: true, isInBillingRetry: true),
            ]),
        "recovered in grace period, then refunded": Statement(
            facts: [
                first, renewal(true, signed: 30, isPeriodOver: true, isInBillingRetry: true, grace: 46),
                period("2", from: 35, to: 65), renewal(true, signed: 35, of: "2"),
                .revoked("basic", transaction: "2", signed: day(36)), renewal(false, signed: 36, of: "2"),
            ], end: 65, within: 40),
        "billing retry": Statement(
            facts: [first, renewal(true, signed: 30, isPeriodOver: true, isInBillingRetry: true)]),
        "ended": Statement(
            facts: [first, renewal(false, signed: 30, isPeriodOver: true, endReason: .cancelled)]),
        "refunded": Statement(
            facts: [first, .revoked("basic", transaction: "1", signed: day(2)), renewal(false, signed: 2)]),
        "renews as another plan: present plan": Statement(
            facts: [first, renewal(true, signed: 1, as: "best")], next: "best"),
        "renews as another plan: next plan": Statement(
            facts: [first, renewal(true, signed: 1, as: "best")], product: "best", next: "best"),
        "upgraded: earlier plan": Statement(
            facts: [
                period("1", from: 0, to: 30, isUpgraded: true), period("2", of: "best", from: 10, to: 40),
                renewal(true, signed: 10, of: "2", "best", as: "best"),
            ], next: "best"),
    ]

    // MARK: Columns

    private static let situations: [String: @Sendable (Statement) throws -> EntitlementSnapshot] = [
        "in the period": { try snapshot($0, at: $0.within) },
        "offline for 1 day": { try snapshot($0, at: $0.end + 1) },
        "offline for 15 days": { try snapshot($0, at: $0.end + 15) },
        "offline for 17 days": { try snapshot($0, at: $0.end + 17) },
        "answer: ended": { statement in
            var snapshot = try snapshot(statement, at: statement.end + 1)
            let said = renewal(
                false, signed: statement.end + 1, as: statement.next, isPeriodOver: true, endReason: .cancelled)
            try snapshot.add([said])
            _ = snapshot.applyAnswer(aboutSubscriptions: ["1"])
            return snapshot
        },
        "answer: renewed": { statement in
            var snapshot = try snapshot(statement, at: statement.end + 1)
            try snapshot.add([
                period("9", of: statement.next, from: statement.end, to: statement.end + 30),
                renewal(true, signed: statement.end, of: "9", statement.next, as: statement.next),
            ])
            _ = snapshot.applyAnswer(aboutSubscriptions: ["1"])
            return snapshot
        },
        "answer without it": { statement in
            var snapshot = try snapshot(statement, at: statement.end + 1)
            _ = snapshot.applyAnswer(aboutSubscriptions: [])
            return snapshot
        },
        "clock 1 day ahead": { statement in
            var snapshot = try snapshot(statement, at: statement.end + 1)
            _ = snapshot.applyAnswer(aboutSubscriptions: ["1"])
            return snapshot
        },
        "clock 17 days ahead": { statement in
            var snapshot = try snapshot(statement, at: statement.end + 17)
            _ = snapshot.applyAnswer(aboutSubscriptions: ["1"])
            return snapshot
        },
        "clock set back": { try setBack($0) },
        "answer after that": { statement in
            var snapshot = try setBack(statement)
            _ = snapshot.applyAnswer(aboutSubscriptions: ["1"])
            return snapshot
        },
        "clock behind": { try snapshot($0, at: -10) },
    ]

    private static func snapshot(
        _ statement: Statement, at number: Double, check: SubscriptionCheck = SubscriptionCheck()
    ) throws -> EntitlementSnapshot {
        let none = LedgerSummary(lastSequence: 0, entries: [], balances: [:])
        var snapshot = EntitlementSnapshot(catalog: catalog, summary: none, at: day(number), check: check)
        try snapshot.add(statement.facts)
        return snapshot
    }

    /// Returns the snapshot after a new launch with a clock that was set back from a date after the end.
    private static func setBack(_ statement: Statement) throws -> EntitlementSnapshot {
        try snapshot(
            statement, at: statement.within, check: snapshot(statement, at: statement.end + 17).check)
    }

    // MARK: Cells

    struct Cell: Sendable, CustomTestStringConvertible {
        let statement: String
        let situation: String
        let expected: String
        var testDescription: String { "\(statement), \(situation)" }
    }

    /// Cells of the table in Documentation/Design.md.
    private static let cells: [Cell] = {
        let page = (try? String(contentsOf: Repository.file("Documentation/Design.md"), encoding: .utf8)) ?? ""
        let rows = page.split(separator: "\n").map { line in
            line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
        }
        guard let head = rows.firstIndex(where: { $0.first == "last statement" }) else { return [] }
        return rows[(head + 2)...].prefix { $0.count == rows[head].count }.flatMap { row in
            zip(rows[head], row).dropFirst().map { Cell(statement: row[0], situation: $0, expected: $1) }
        }
    }()

    /// Returns all permutations of numbers.
    private static func orders(of numbers: [Int]) -> [[Int]] {
        numbers.isEmpty
            ? [[]] : numbers.flatMap { first in orders(of: numbers.filter { $0 != first }).map { [first] + $0 } }
    }

    @Test(arguments: orders(of: [0, 1, 2, 3, 4]))
    func `a subscription's state does not depend on the order in which the store's statements arrive`(order: [Int])
        async throws
    {
        let facts = [
            Self.period("1", from: 0, to: 30), Self.renewal(true, signed: 1), Self.renewal(false, signed: 5),
            Self.renewal(true, signed: 9, as: "best"),
            Self.renewal(true, signed: 31, isPeriodOver: true, isInBillingRetry: true),
        ]
        let ledger = MemoryLedger()
        for number in order { _ = try await ledger.append([facts[number]], at: Self.day(32)) }
        let snapshot = EntitlementSnapshot(catalog: Self.catalog, summary: await ledger.summary(), at: Self.day(32))

        #expect(snapshot.subscriptions.map(\.state) == [.inBillingRetry])
        #expect(snapshot.subscriptions.first?.statementDate == Self.day(31))
        #expect(snapshot.owned.isEmpty)
    }

    @Test func `the documented table of subscription states covers each store statement in each situation`() {
        #expect(Set(Self.cells.map(\.statement)) == Set(Self.statements.keys))
        #expect(Set(Self.cells.map(\.situation)) == Set(Self.situations.keys))
        #expect(Self.cells.count == Self.statements.count * Self.situations.count)
    }

    @Test(arguments: cells)
    func `the ownership of a subscription in each situation matches the documented table of states`(_ cell: Cell) throws
    {
        let statement = try #require(Self.statements[cell.statement])
        let situation = try #require(Self.situations[cell.situation])
        let snapshot = try situation(statement)

        #expect(snapshot.word(for: statement.product) == cell.expected)
        let child = statement.product == "basic" ? "maps" : "tours"
        let own = snapshot.word(for: statement.product)
        #expect(snapshot.word(for: child) == (own == "unconfirmed" ? "yes" : own))
        #expect(snapshot.owned.contains(statement.product) == (own == "yes" || own == "unconfirmed"))
    }
}

extension EntitlementSnapshot {
    fileprivate mutating func add(_ facts: [Fact]) throws {
        let (first, date) = (lastSequence + 1, date)
        _ = try apply(
            facts.enumerated().map {
                LedgerEntry(sequence: first + Int64($0), recordedAt: date, fact: $1)
            })
    }

    /// Returns the table's word for the ownership of a product.
    fileprivate func word(for product: String) -> String {
        switch ownership(of: product) {
        case .notOwned: return "no"
        case .unknown: return "unknown"
        case .owned(let reasons):
            let isUnconfirmed = reasons.contains { reason in
                if case .transaction(let transaction) = reason { transaction.unconfirmedUntil != nil } else { false }
            }
            return isUnconfirmed ? "unconfirmed" : "yes"
        }
    }
}
