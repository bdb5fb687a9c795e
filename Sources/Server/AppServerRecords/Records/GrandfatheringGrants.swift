internal import Foundation
internal import VitrineCatalog
internal import VitrineEntitlements
internal import VitrineSupport

/// Names of grandfathering grants: a customer has one grant of a product for each original purchase of the app because of
/// which a rule grants it, so that each of them is known if the customer is divided, also under a catalog without the rule.
///
/// The first grant of a product has the token of the rule, and each further one the date of its original purchase after it.
struct GrandfatheringNames {
    private let recorded: FactsInMemory
    /// Dates of the grants with the token of the rule that are about to be recorded.
    private var firstDates: [String: Date] = [:]

    init(_ recorded: FactsInMemory) { self.recorded = recorded }

    /// Returns a grandfathering grant with the token under which it is recorded; any other fact as it is.
    ///
    /// - Parameter moment: Date of the original purchase of the app.
    mutating func name(_ fact: Fact, at moment: Date) -> Fact {
        guard case .grant(var grant) = fact, Fact.Grant.isGrandfathering(grant.token) else { return fact }
        let token = Self.tokenOfRule(grant)
        let first = firstDates[token] ?? recorded.entry(of: .grant, key: token)?.moment ?? moment
        firstDates[token] = first
        grant.token = first == moment ? token : "\(token) \(moment.milliseconds)"
        return .grant(grant)
    }

    private static func tokenOfRule(_ grant: Fact.Grant) -> String {
        guard let space = grant.token.lastIndex(of: " "), Int64(grant.token[space...].dropFirst()) != nil,
            grant.token[..<space].hasSuffix(":\(grant.productIdentifier)")
        else { return grant.token }
        return String(grant.token[..<space])
    }
}

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
