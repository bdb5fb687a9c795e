internal import Foundation
internal import VitrineCatalog
internal import VitrineEntitlements
internal import VitrineSupport

/// Products that grandfathering rules have granted to a divided customer. Such a grant goes with the original purchases of
/// the app that it follows from, which have its date: both customers have it if both have one.
struct GrandfatheringGrants {
    /// Dates of the original purchases of the app, in milliseconds since 1970.
    private var moved: Set<Int64> = []
    private var remaining: Set<Int64> = []
    /// Dates of all records of each grant, in milliseconds since 1970.
    private var dates: [String: Set<Int64>] = [:]

    init(_ entries: [LedgerEntry], isMoved: (Fact.AppPurchase) -> Bool) {
        for entry in entries {
            if case .appPurchase(let purchase) = entry.fact {
                let date = purchase.original.date.milliseconds
                if isMoved(purchase) { moved.insert(date) } else { remaining.insert(date) }
            } else if let token = Self.token(of: entry) {
                dates[token, default: []].insert(entry.moment.milliseconds)
            }
        }
    }

    /// Returns `true` if the receiving customer has the grant of an entry; `nil` if the entry belongs to no such grant.
    func isMoved(with entry: LedgerEntry) -> Bool? { dates(with: entry).map { !$0.isDisjoint(with: moved) } }

    /// Returns `true` if the remaining customer has the grant of an entry; `nil` if the entry belongs to no such grant.
    func isKept(with entry: LedgerEntry) -> Bool? {
        dates(with: entry).map { $0.isDisjoint(with: moved) || !$0.isDisjoint(with: remaining) }
    }

    private func dates(with entry: LedgerEntry) -> Set<Int64>? { Self.token(of: entry).flatMap { dates[$0] } }

    private static func token(of entry: LedgerEntry) -> String? {
        let token: String? =
            switch entry.fact {
            case .grant(let grant): grant.token
            case .counterpart(let counterpart) where counterpart.kind == .grant: counterpart.subject
            default: nil
            }
        return token.flatMap { Fact.Grant.isGrandfathering($0) ? $0 : nil }
    }
}
