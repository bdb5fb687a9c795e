internal import Foundation
internal import GRDB
internal import VitrineCatalog
internal import VitrineReceipts

/// Response with a page of a customer's transactions.
package struct HistoryAnswer: Encodable, Sendable {
    let revision: String
    let hasMore: Bool
    let bundleId: String
    let appAppleId: Int64?
    let environment: String
    let signedTransactions: [String]
}

/// Response with a page of a customer's refunded transactions.
package struct RefundHistoryAnswer: Encodable, Sendable {
    let signedTransactions: [String]
    let revision: String?
    let hasMore: Bool?
}

/// Version of the request for a customer's history.
package enum HistoryVersion: String, Sendable {
    /// Omits finished consumables, unless they are refunded or revoked.
    case v1
    case v2
}

extension SimulatedServerAPI {
    /// Returns a page of a customer's transactions, sorted by their last changes.
    package func history(
        _ identifier: String, _ query: ServerQuery, version: HistoryVersion
    ) async throws -> HistoryAnswer {
        let filter = try HistoryFilter(query, version: version)
        let (seed, size) = (core.seed, Self.pageSize)
        let (requests, revision, hasMore) = try await read { scope in
            let customer = try scope.subject(identifier).customer
            let listing = "history \(customer) \(filter.listing)"
            let start = try filter.revision.map { text in
                guard let token = ContinuationToken(text, for: listing, of: seed) else {
                    throw ServerError(.invalidRevision, ServerQuery.reason("revision"))
                }
                return token.position[0]
            }
            let found = try filter.fetch(size + 1, of: customer, after: start, from: scope.database)
            let page = found.prefix(size)
            let last = page.last?.modification ?? start ?? (filter.isDescending ? .max : 0)
            return (
                page.map { scope.signingAlone($0) }, ContinuationToken(last).text(for: listing, of: seed),
                found.count > size
            )
        }
        return HistoryAnswer(
            revision: revision, hasMore: hasMore, bundleId: core.bundleIdentifier, appAppleId: core.appIdentifier,
            environment: core.environment.rawValue,
            signedTransactions: try requests.map { try core.signForServer($0) })
    }

    /// Returns a page of a customer's refunded transactions, sorted by the dates of the refunds.
    package func refundHistory(_ identifier: String, _ query: ServerQuery) async throws -> RefundHistoryAnswer {
        let (seed, size) = (core.seed, Self.pageSize)
        let revision = try query.single("revision", .invalidRevision)
        let (requests, next, hasMore) = try await read { scope in
            let customer = try scope.subject(identifier).customer
            let listing = "refunds \(customer)"
            var start = ContinuationToken(.min, .min)
            if let revision {
                guard let token = ContinuationToken(revision, for: listing, of: seed) else {
                    throw ServerError(.invalidRevision, ServerQuery.reason("revision"))
                }
                start = token
            }
            let found = try scope.refunds(of: customer, after: start.position, atMost: size + 1)
            let page = found.prefix(size)
            let last = page.last.map { ContinuationToken($0.revocationDate ?? 0, $0.modification) } ?? start
            return (
                page.map { scope.signingAlone($0) }, last.text(for: listing, of: seed), found.count > size
            )
        }
        return RefundHistoryAnswer(
            signedTransactions: try requests.map { try core.signForServer($0) }, revision: next,
            hasMore: hasMore)
    }

    /// Maximum number of refunds in a response to the first version of the request.
    private static let mostRefunds = 50

    /// Returns the latest refunded transactions of a customer, for the deprecated first version of the request.
    package func latestRefunds(_ identifier: String) async throws -> RefundHistoryAnswer {
        let requests = try await read { scope in
            let number = try StoreTransactionScope.number(identifier, .invalidOriginalTransactionID)
            guard let record = try scope.serverTransaction(number), record.originalNumber == number else {
                throw ServerError(.originalTransactionIDNotFound, "Original transaction id not found.")
            }
            return try scope.refunds(of: record.customer, after: [.min, .min], atMost: .max).suffix(Self.mostRefunds)
                .map { scope.signingAlone($0) }
        }
        return RefundHistoryAnswer(
            signedTransactions: try requests.map { try core.signForServer($0) }, revision: nil, hasMore: nil)
    }
}

extension StoreTransactionScope {
    /// Returns the refunded transactions of a customer after a position: a refund date and the sequence number of the
    /// last change. The date alone is not unique, because refunds have the same date while the store's clock is
    /// stopped.
    fileprivate func refunds(of customer: Int64, after position: [Int64], atMost count: Int) throws -> [PurchaseRecord]
    {
        try PurchaseRecord.fetchAll(
            database,
            sql: """
                SELECT * FROM purchase WHERE customer = ? AND NOT isPending AND revocationDate IS NOT NULL
                AND ownershipType = 'PURCHASED' AND (revocationDate, modification) > (?, ?)
                ORDER BY revocationDate, modification LIMIT ?
                """, arguments: [customer, position[0], position[1], count])
    }
}

/// Filter and sort order of a request for a customer's history.
private struct HistoryFilter: Sendable {
    let revision: String?
    let isDescending: Bool
    /// SQL conditions that are combined with AND.
    private let conditions: [String]
    private let arguments: [any DatabaseValueConvertible & Sendable]
    /// Text that differs between requests with different filters.
    let listing: String

    init(_ query: ServerQuery, version: HistoryVersion) throws(ServerError) {
        var (conditions, arguments): ([String], [any DatabaseValueConvertible & Sendable]) = ([], [])
        func add(_ condition: String, _ values: [any DatabaseValueConvertible & Sendable] = []) {
            conditions.append(condition)
            arguments += values
        }
        func addAny(of column: String, _ values: [String]) {
            guard !values.isEmpty else { return }
            let unique = Set(values).sorted()
            add("\(column) IN (\(unique.map { _ in "?" }.joined(separator: ", ")))", unique)
        }
        revision = try query.single("revision", .invalidRevision)
        let (start, end) = (
            try query.date("startDate", .invalidStartDate), try query.date("endDate", .invalidEndDate)
        )
        if let start { add("purchaseDate >= ?", [start]) }
        if let end {
            guard end > start ?? -1 else { throw ServerError(.invalidEndDate, ServerQuery.reason("endDate")) }
            add("purchaseDate < ?", [end])
        }
        try addAny(of: "productIdentifier", query.all("productId", .invalidProductID, Self.name))
        try addAny(of: "groupID", query.all("subscriptionGroupIdentifier", .invalidSubscriptionGroup, Self.name))
        try addAny(of: "kind", query.all("productType", .invalidProductType) { Self.kinds[$0]?.rawValue })
        let ownership = try query.value("inAppOwnershipType", .invalidOwnershipType) { text in
            ["PURCHASED", "FAMILY_SHARED"].first { $0 == text }
        }
        if let ownership { add("ownershipType = ?", [ownership]) }
        let excludesRevoked = try query.flag("excludeRevoked", .invalidExcludeRevoked) == true ? false : nil
        if let isRevoked = try query.flag("revoked", .invalidRevoked) ?? excludesRevoked {
            add("revocationDate IS \(isRevoked ? "NOT " : "")NULL")
        }
        if version == .v1 {
            add(
                "(kind <> 'consumable' OR revocationDate IS NOT NULL "
                    + "OR EXISTS (SELECT 1 FROM unfinished WHERE unfinished.purchase = purchase.id))")
        }
        let orders = ["ASCENDING", "DESCENDING"]
        let sort = try query.value("sort", .invalidSort) { text in orders.first { $0 == text } } ?? orders[0]
        isDescending = sort == "DESCENDING"
        (self.conditions, self.arguments) = (conditions, arguments)
        listing = ([version.rawValue, sort] + conditions + arguments.map { "\($0)" }).joined(separator: "\n")
    }

    private static let kinds: [String: ProductKind] = [
        "AUTO_RENEWABLE": .autoRenewableSubscription, "NON_RENEWABLE": .nonRenewingSubscription,
        "CONSUMABLE": .consumable, "NON_CONSUMABLE": .nonConsumable,
    ]

    private static func name(_ text: String) -> String? {
        (1...255).contains(text.utf8.count) && !text.utf8.contains(0) ? text : nil
    }

    func fetch(
        _ count: Int, of customer: Int64, after modification: Int64?, from database: Database
    ) throws -> [PurchaseRecord] {
        var all = ["customer = ?", "NOT isPending"] + conditions
        var values: [any DatabaseValueConvertible] = [customer] + arguments
        if let modification {
            all.append("modification \(isDescending ? "<" : ">") ?")
            values.append(modification)
        }
        return try PurchaseRecord.fetchAll(
            database.cachedStatement(
                sql: """
                    SELECT * FROM purchase WHERE \(all.joined(separator: " AND "))
                    ORDER BY modification \(isDescending ? "DESC" : "ASC") LIMIT \(count)
                    """), arguments: StatementArguments(values))
    }
}
