import Foundation
import Testing
import VitrineCatalog
import VitrineEntitlements
import VitrineTestSupport

/// Statements about the refund of a purchase of 50 units, as two devices have heard them, and the balance of a third one.
struct RefundsHeard: CustomTestStringConvertible, Sendable {
    enum Statement {
        case refunded(part: Int?, signed: TimeInterval)
        case reversed(signed: TimeInterval)

        func fact(since date: Date) -> Fact {
            switch self {
            case .refunded(let part, let signed):
                .revoked("pack", transaction: "1", signed: date + signed, percentage: part)
            case .reversed(let signed): .bought("pack", transaction: "1", kind: .consumable, signed: date + signed)
            }
        }
    }

    let testDescription: String
    let heard: [[Statement]]
    let balance: Int

    static let cases = [
        RefundsHeard(
            testDescription: "the same part",
            heard: [[.refunded(part: 40_000, signed: 1)], [.refunded(part: 40_000, signed: 1)]], balance: 30),
        RefundsHeard(
            testDescription: "the whole in copies signed apart",
            heard: [[.refunded(part: nil, signed: 1)], [.refunded(part: nil, signed: 2)]], balance: 0),
        RefundsHeard(
            testDescription: "a part, then the whole",
            heard: [[.refunded(part: 40_000, signed: 1)], [.refunded(part: nil, signed: 2)]], balance: 0),
        RefundsHeard(
            testDescription: "a part that only one device knows to have become the whole",
            heard: [
                [.refunded(part: 40_000, signed: 1), .refunded(part: nil, signed: 2)],
                [.refunded(part: 40_000, signed: 1)],
            ], balance: 0),
        RefundsHeard(
            testDescription: "a part that became the whole, and the part again",
            heard: [
                [
                    .refunded(part: 40_000, signed: 1), .refunded(part: nil, signed: 2),
                    .refunded(part: 40_000, signed: 3),
                ],
                [.refunded(part: nil, signed: 2)],
            ], balance: 30),
        RefundsHeard(
            testDescription: "a refund that only one device knows to be reversed",
            heard: [
                [.refunded(part: nil, signed: 1)], [.refunded(part: nil, signed: 1), .reversed(signed: 2)],
            ], balance: 50),
        RefundsHeard(
            testDescription: "a part, and another part after a reversal",
            heard: [
                [.refunded(part: 40_000, signed: 1)],
                [
                    .refunded(part: nil, signed: 2), .reversed(signed: 3),
                    .refunded(part: 20_000, signed: 4),
                ],
            ], balance: 40),
    ]
}
