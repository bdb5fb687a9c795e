import Foundation
import Testing
import VitrineCatalog
import VitrineEntitlements
import VitrineTestSupport

@testable import Vitrine

/// Balances of wallets, recomputed from the entries of a ledger.
@Suite(.hangLimit) struct WalletAuditTests {
    struct History: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let facts: [Fact]
        var problems: [String] = []
    }

    private static let later = Date(timeIntervalSince1970: 1_790_200_000)

    private static func bought(_ policy: RefundPolicy = .clawback) -> [Fact] {
        [
            .bought("pack", transaction: "1", kind: .consumable),
            .credited(50, transaction: "1", policy: policy),
            .spent(30, token: "map"),
        ]
    }

    @Test(
        arguments: [
            History(
                testDescription: "a refund and its reversal",
                facts: bought() + [
                    .revoked("pack", transaction: "1", units: 20),
                    .credited("pack", transaction: "1", units: 20, signed: later), .spent(20, token: "other"),
                ]),
            History(
                testDescription: "a refund into debt",
                facts: bought(.debt) + [.revoked("pack", transaction: "1", units: 50)]),
            History(
                testDescription: "a refund that leaves the coins",
                facts: bought(.ignore) + [.revoked("pack", transaction: "1")]),
            History(
                testDescription: "a refund of a part that becomes one of the whole price, and its reversal",
                facts: bought(.debt) + [
                    .revoked("pack", transaction: "1", units: 15, percentage: 30_000),
                    .revoked("pack", transaction: "1", units: 35, signed: later - 1),
                    .credited("pack", transaction: "1", units: 50, signed: later),
                ]),
            History(
                testDescription: "a refund of the whole price that becomes one of a part",
                facts: bought() + [
                    .revoked("pack", transaction: "1", units: 20),
                    .revoked("pack", transaction: "1", units: -5, signed: later, percentage: 30_000),
                ]),
            History(
                testDescription: "a changed refund that takes the units of the first one again",
                facts: bought(.debt) + [
                    .revoked("pack", transaction: "1", units: 15, percentage: 30_000),
                    .revoked("pack", transaction: "1", units: 50, signed: later),
                ],
                problems: ["entry 5 removes 50 of \"coins\", but the entries before it require 35 of \"coins\""]),
            History(
                testDescription: "a wallet that was overdrawn and filled again",
                facts: [
                    .deposited(10, token: "a"), .spent(60, token: "b"), .deposited(90, token: "c"),
                ],
                problems: ["entry 2 debits 60 from the wallet \"coins\", which had 10"]),
            History(
                testDescription: "a debit below zero", facts: [.spent(-10, token: "a")],
                problems: ["entry 1 debits -10 from the wallet \"coins\", which had 0"]),
            History(
                testDescription: "a deposit below zero", facts: [.deposited(-10, token: "a")],
                problems: ["entry 1 deposits -10 of \"coins\""]),
            History(
                testDescription: "a refund of more than was credited",
                facts: bought(.debt) + [.revoked("pack", transaction: "1", units: 51)],
                problems: ["entry 4 removes 51 of \"coins\", but the entries before it require 50 of \"coins\""]),
            History(
                testDescription: "a refund that leaves what it should not",
                facts: bought() + [.revoked("pack", transaction: "1")],
                problems: ["entry 4 removes nothing, but the entries before it require 20 of \"coins\""]),
            History(
                testDescription: "a refund of a purchase without a credit",
                facts: [.deposited(10, token: "a"), .revoked("pack", transaction: "2", units: 10)],
                problems: ["entry 2 removes 10 of \"coins\", but the entries before it require nothing"]),
            History(
                testDescription: "a reversal that returns more",
                facts: bought() + [
                    .revoked("pack", transaction: "1", units: 20),
                    .credited("pack", transaction: "1", units: 50, signed: later),
                ],
                problems: ["entry 5 returns 50 of \"coins\", but the entries before it require 20 of \"coins\""]),
        ]
    )
    func `the wallet audit reports each entry whose amount does not follow from the entries before it`(
        _ history: History
    ) {
        let entries = history.facts.enumerated().map { index, fact in
            LedgerEntry(sequence: Int64(index + 1), recordedAt: Self.later, fact: fact)
        }
        #expect(WalletAudit(entries).problems == history.problems)
    }
}
