package import Foundation
internal import VitrineAppServerAPI
internal import VitrineCatalog
package import VitrineEntitlements
internal import VitrinePurchasing
internal import VitrineSupport

/// Customer in a list for operators.
package struct CustomerSummary: Sendable, Hashable, Codable {
    package let id: String
    package let app: String
    /// Date at which the server created the customer, in milliseconds since 1970.
    package let created: Int64
    /// Sequence number of the customer's last fact.
    package let sequence: Int64
}

/// Customer with identities, devices, products, balances and past actions, for operators.
package struct CustomerDetail: Sendable, Hashable, Codable {
    package struct Identity: Sendable, Hashable, Codable {
        package let kind: String
        package let value: String

        package init(kind: String, value: String) { (self.kind, self.value) = (kind, value) }
    }

    package struct Device: Sendable, Hashable, Codable {
        package let id: String
        package let name: String
        package let created: Int64
        package let seen: Int64
        /// Date at which the device left, in milliseconds since 1970; `nil` if it is enrolled.
        package let ended: Int64?
    }

    package struct Action: Sendable, Hashable, Codable {
        package let time: Int64
        package let author: String
        package let action: String
        package let detail: String
    }

    package let customer: CustomerSummary
    package let identities: [Identity]
    package let devices: [Device]
    package let owned: [String]
    /// Titles of the owned products, by product identifier. Products without a title in the catalog are missing.
    package let titles: [String: String]
    package let wallets: [String: Int]
    package let actions: [Action]
}

/// Counts of a server's stored customers, devices and notifications.
package struct ServerCounts: Sendable, Hashable {
    package let customers: Int64
    package let devices: Int64
    /// Number of notifications by outcome.
    package let notifications: [String: Int64]
    /// Date of the last received notification; `nil` if there is none.
    package let lastNotification: Date?
}

extension CustomerRecords {
    /// Maximum number of elements in a list.
    package static let mostListed = 500

    /// Returns customers by the identifier of the customer, a device, an account, a store account, or any recorded
    /// transaction; the newest customers for an empty query.
    package func customers(
        matching query: String, app: String?
    ) async throws(CustomerError) -> [CustomerSummary] {
        let found = try await rows(
            """
            SELECT id, app, created, sequence FROM customer WHERE merged_into IS NULL \
            AND ($2 = '' OR app = $2) AND ($1 = '' OR id = $1 OR id IN (SELECT merged_into FROM customer WHERE id = $1) \
            OR id IN (SELECT customer FROM identity WHERE value = $1) \
            OR id IN (SELECT customer FROM device WHERE id = $1) \
            OR id IN (SELECT customer FROM fact WHERE kind = 'purchase' AND key = $1)) \
            ORDER BY created DESC, id LIMIT \(Self.mostListed)
            """, .text(query), .text(app ?? ""))
        return found.compactMap(Self.summary)
    }

    private static func summary(_ row: SQLRow) -> CustomerSummary? {
        guard row.count == 4, let id = row[0].text, let app = row[1].text, let created = row[2].integer,
            let sequence = row[3].integer
        else { return nil }
        return CustomerSummary(id: id, app: app, created: created, sequence: sequence)
    }

    /// Returns the details of a customer.
    ///
    /// - Throws: ``CustomerError`` `notFound`.
    package func detail(of id: String) async throws(CustomerError) -> CustomerDetail {
        let customer = try await resolveMerged(of: id)
        let found = try await rows("SELECT id, app, created, sequence FROM customer WHERE id = $1", .text(customer.id))
        guard let summary = found.first.flatMap(Self.summary) else {
            throw CustomerError(code: .notFound, reason: "there is no such customer")
        }
        let actions = try await rows(
            "SELECT time, operator, action, detail FROM audit WHERE customer = $1 ORDER BY time DESC, id LIMIT 100",
            .text(customer.id))
        let snapshot = try await snapshot(of: customer, catalog(of: customer.app), at: now)
        return CustomerDetail(
            customer: summary,
            identities: try await identities(of: customer.id).map {
                CustomerDetail.Identity(kind: $0.kind.rawValue, value: $0.value)
            },
            devices: try await devices(of: customer.id), owned: snapshot.owned,
            titles: titles(of: snapshot.owned, app: customer.app), wallets: snapshot.balances,
            actions: actions.compactMap { row in
                guard row.count == 4, let time = row[0].integer, let author = row[1].text, let action = row[2].text,
                    let detail = row[3].text
                else { return nil }
                return CustomerDetail.Action(time: time, author: author, action: action, detail: detail)
            })
    }

    /// Returns facts of a customer in their order.
    ///
    /// - Parameters:
    ///   - after: Sequence number of the fact before the first returned one.
    ///   - limit: Maximum number of facts, at most ``mostListed``.
    ///   - isSigned: `true` to include what the store has signed.
    package func facts(
        of id: String, after sequence: Int64, limit: Int, withSignedData isSigned: Bool = false
    ) async throws(CustomerError) -> [EntryFields] {
        let customer = try await resolveMerged(of: id)
        let first = max(0, sequence) + 1
        let last = min(customer.sequence, max(0, sequence) + Int64(min(limit, Self.mostListed)))
        guard first <= last else { return [] }
        return try await entries(of: customer.id, from: first, to: last, withSignedData: isSigned).map { entry in
            var fields = EntryFields(entry)
            if !isSigned { fields.signedData = nil }
            return fields
        }
    }

    /// Returns lines of text that explain why a customer owns a product or does not own it.
    package func why(_ product: String, of id: String) async throws(CustomerError) -> [String] {
        let customer = try await resolveMerged(of: id)
        let catalog = catalog(of: customer.app)
        let snapshot = try await snapshot(of: customer, catalog, at: now)
        return ExplanationText(
            identifier: product, explanation: snapshot.explanation(of: product), catalog: catalog,
            originalPurchase: snapshot.appPurchase?.original, pending: []
        ).lines
    }

    /// Exports a customer as lines of JSON: one with the customer's details, then one for each fact.
    package func export(_ id: String) async throws(CustomerError) -> [Data] {
        let detail = try await detail(of: id)
        var lines = [try Self.document(detail)]
        var last: Int64 = 0
        while true {
            let facts = try await facts(
                of: detail.customer.id, after: last, limit: Self.mostListed, withSignedData: true)
            guard let newest = facts.last?.sequence else { return lines }
            for fact in facts { lines.append(try Self.document(fact)) }
            last = newest
        }
    }

    // MARK: Actions

    /// Grants a product to a customer.
    ///
    /// - Returns: The sequence number of the customer's last fact.
    /// - Throws: ``CustomerError``: `conflict` if the token belongs to a different fact.
    package func grant(
        _ product: String, to customer: String, token: String, reason: String, until end: Date?, by author: String
    ) async throws(CustomerError) -> Int64 {
        let grant = Fact.Grant(
            token: token, productIdentifier: product, reason: reason, author: author, expirationDate: end)
        return try await act(
            "grant", .grant(grant), on: customer, by: author, detail: "\(product): \(reason)")
    }

    /// Ends all earlier grants of a product. Purchases are not affected.
    ///
    /// - Throws: ``CustomerError``, as ``grant(_:to:token:reason:until:by:)``.
    package func lock(
        _ product: String, of customer: String, token: String, reason: String, by author: String
    ) async throws(CustomerError) -> Int64 {
        let lock = Fact.Lock(token: token, productIdentifier: product, reason: reason, author: author)
        return try await act("revoke", .lock(lock), on: customer, by: author, detail: "\(product): \(reason)")
    }

    /// Adds units to a wallet.
    ///
    /// - Throws: ``CustomerError``, as ``grant(_:to:token:reason:until:by:)``; `invalid` for an amount below 1
    ///   or above 2⁴⁸.
    package func deposit(
        _ amount: Int, in wallet: String, of customer: String, token: String, reason: String, by author: String
    ) async throws(CustomerError) -> Int64 {
        let deposit = Fact.Deposit(token: token, wallet: wallet, amount: amount, reason: reason)
        return try await act(
            "deposit", .deposit(deposit), on: customer, by: author, detail: "\(amount) \(wallet): \(reason)")
    }

    private func act(
        _ action: String, _ fact: Fact, on customer: String, by author: String, detail: String
    ) async throws(CustomerError) -> Int64 {
        guard [fact.key, author, detail].allSatisfy({ (1...1_000).contains($0.utf8.count) && !$0.utf8.contains(0) }),
            !fact.key.unicodeScalars.contains(where: \.isControl)
        else {
            throw CustomerError(
                code: .invalid, reason: "a token or reason is empty or too long, or a token has a control character")
        }
        let remaining = try await resolveMerged(of: customer).id
        let dated = DatedFact(fact: fact, date: now)
        let change = try await change(remaining) { condition, _ in
            let audit = self.audit(action, of: remaining, author: author, detail: detail)
            return [
                SQLStatement(
                    """
                    INSERT INTO audit (id, time, operator, action, customer, detail) SELECT $1, $2, $3, $4, $5, $6 \
                    \(condition.clause(after: 6))
                    """, values: audit.values + condition.values)
            ]
        } _: { rules in
            try rules.check(dated)
        }
        return change.customer.sequence
    }

    // MARK: Notifications

    /// Returns received notifications, the newest first.
    ///
    /// - Parameters:
    ///   - state: Outcome of the notifications; `nil` for all.
    ///   - before: Date before which they were received, in milliseconds since 1970; `nil` for the newest.
    package func notifications(
        state: String?, app: String?, before: Int64?, limit: Int
    ) async throws(CustomerError) -> [NotificationRecord] {
        let rows = try await rows(
            """
            SELECT app, id, type, subtype, signed, received, state, reason, customer FROM notification \
            WHERE ($1 = '' OR state = $1) AND ($2 = '' OR app = $2) AND received < $3 \
            ORDER BY received DESC, id LIMIT \(max(0, min(limit, Self.mostListed)))
            """, .text(state ?? ""), .text(app ?? ""), .integer(before ?? .max))
        return rows.compactMap { row in
            guard row.count == 9, let app = row[0].text, let id = row[1].text, let type = row[2].text,
                let received = row[5].integer, let state = row[6].text
            else { return nil }
            return NotificationRecord(
                app: app, id: id, type: type, subtype: row[3].text, signed: row[4].integer, received: received,
                state: state, reason: row[7].text, customer: row[8].text)
        }
    }

    /// Counts the customers, devices and notifications in the database.
    package func counts() async throws(CustomerError) -> ServerCounts {
        let customers = try await rows("SELECT count(*) FROM customer WHERE merged_into IS NULL")
        let devices = try await rows("SELECT count(*) FROM device WHERE ended IS NULL")
        let notifications = try await rows("SELECT state, count(*), max(received) FROM notification GROUP BY state")
        var (states, last): ([String: Int64], Int64?) = ([:], nil)
        for row in notifications where row.count == 3 {
            guard let state = row[0].text, let count = row[1].integer else { continue }
            states[state] = count
            if let received = row[2].integer { last = max(last ?? received, received) }
        }
        return ServerCounts(
            customers: customers.first?.first?.integer ?? 0, devices: devices.first?.first?.integer ?? 0,
            notifications: states, lastNotification: last.map(Date.init(milliseconds:)))
    }

    /// Returns the date at which the last notification of the served apps was received; `nil` if there is none. Each state of
    /// an app is one look-up in an index, so that the number of notifications does not matter.
    package func lastNotification() async throws(CustomerError) -> Date? {
        let states = NotificationOutcome.allCases.indices.map { index in
            "SELECT max(received) FROM notification WHERE app = $1 AND state = $\(index + 2)"
        }
        var last: Int64?
        for app in apps.keys.sorted() {
            let values = [app] + NotificationOutcome.allCases.map(\.rawValue)
            let found = try await rows(
                SQLStatement(states.joined(separator: " UNION ALL "), values: values.map { .text($0) }))
            last = (found.compactMap { $0.first?.integer } + [last].compactMap(\.self)).max()
        }
        return last.map(Date.init(milliseconds:))
    }

    // MARK: Links

    /// Returns the code that authenticates a link to content until its expiration.
    package func code(forLinkTo path: String, of app: String, until end: Date) -> String {
        secrets.code(for: "link \(end.milliseconds) \(app) \(path)")
    }

    /// Indicates that a code belongs to an unexpired link to content.
    package func isLink(_ code: String, to path: String, of app: String, until end: Date) -> Bool {
        now < end && secrets.isCode(code, for: "link \(end.milliseconds) \(app) \(path)")
    }
}
