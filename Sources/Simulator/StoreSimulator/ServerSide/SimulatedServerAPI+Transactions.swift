internal import Foundation
internal import GRDB
internal import VitrineCatalog
internal import VitrineReceipts

/// Response with one signed transaction.
package struct TransactionAnswer: Encodable, Sendable {
    let signedTransactionInfo: String
}

/// Response with the transactions of an order.
package struct OrderAnswer: Encodable, Sendable {
    /// 0 for a valid order identifier, 1 for an invalid one.
    let status: Int
    let signedTransactions: [String]?
}

/// Response with a signed app transaction.
package struct AppTransactionAnswer: Encodable, Sendable {
    let signedAppTransactionInfo: String
}

extension SimulatedServerAPI {
    package func transaction(_ identifier: String) async throws -> TransactionAnswer {
        let request = try await read { scope in scope.signingAlone(try scope.transaction(forServer: identifier)) }
        return TransactionAnswer(signedTransactionInfo: try core.signForServer(request))
    }

    /// Returns the transactions of an order. In the simulated store, each order has one transaction.
    package func order(_ identifier: String) async throws -> OrderAnswer {
        guard (1...64).contains(identifier.utf8.count), !identifier.utf8.contains(where: { $0 < 0x20 }) else {
            throw ServerError(.badRequest, "Invalid request. The order id is invalid.")
        }
        let request = try await read { scope -> SigningRequest? in
            try OrderIdentifier.transaction(of: identifier).flatMap { try scope.serverTransaction($0) }
                .map { scope.signingAlone($0) }
        }
        guard let request else { return OrderAnswer(status: 1, signedTransactions: nil) }
        return OrderAnswer(status: 0, signedTransactions: [try core.signForServer(request)])
    }

    package func appTransaction(_ identifier: String) async throws -> AppTransactionAnswer {
        let (customer, original, date) = try await read { scope in
            let customer = try scope.subject(identifier).customer
            guard let record = try AppPurchaseRecord.fetch(of: customer, from: scope.database) else {
                throw ServerError(.appTransactionNotFound, "The customer has no app transaction.")
            }
            return (customer, record.purchase, scope.date)
        }
        return AppTransactionAnswer(signedAppTransactionInfo: try core.sign(original, of: customer, at: date, on: nil))
    }

    /// Sets the account token of a purchase. For a subscription, the token applies to the current and all later
    /// periods.
    package func setAccountToken(_ identifier: String, _ body: ServerBody) async throws {
        let token = try body.required("appAccountToken", .invalidAccountToken) { $0.uuid }.uuidString
        try await change { scope in
            let number = try StoreTransactionScope.number(identifier, .invalidTransactionID)
            guard let record = try scope.serverTransaction(number) else {
                guard try scope.customer(withAppTransaction: identifier) == nil else {
                    throw ServerError(
                        .appTransactionIDNotSupported, "The id of an app transaction is not supported here.")
                }
                throw ServerError(.originalTransactionIDNotFound, "Original transaction id not found.")
            }
            guard !record.isShared else {
                throw ServerError(.familyTransactionNotSupported, "Transactions of the family are not supported.")
            }
            guard record.originalNumber == number else {
                throw ServerError(.notOriginalTransactionID, "The transaction id is not an original transaction id.")
            }
            try scope.setAccountToken(token, of: record)
            try scope.record { .setAccountToken(transaction: $0.number(number), token: $0.token(token)) }
        }
    }

    /// Finishes a transaction on all devices of its customer.
    package func finish(_ identifier: String) async throws {
        try await change { scope in
            let record = try scope.transaction(forServer: identifier)
            try scope.database.execute(sql: "DELETE FROM unfinished WHERE purchase = ?", arguments: [record.number])
            try scope.record { .finishEverywhere(transaction: $0.number(record.number)) }
        }
    }

    /// Stores a report of the app's server about the consumption of a purchase.
    package func reportConsumption(
        _ identifier: String, _ body: ServerBody, version: ConsumptionReportVersion
    ) async throws {
        try version.check(body)
        let text = try body.text
        try await change { scope in
            let record = try scope.transaction(forServer: identifier)
            guard !record.isShared else {
                throw ServerError(.familyTransactionNotSupported, "Transactions of the family are not supported.")
            }
            try version.check(body, about: record.kind)
            try ConsumptionReportRecord(purchase: record.number, date: scope.date.milliseconds, body: text)
                .insert(scope.database)
            try scope.record {
                .reportConsumption(
                    transaction: $0.number(record.number), version: version.rawValue, report: $0.report(body))
            }
        }
    }
}

extension StoreTransactionScope {
    fileprivate mutating func setAccountToken(_ token: String, of record: PurchaseRecord) throws {
        var current = record
        if record.groupID != nil, var subscription = try SubscriptionRecord.fetch(record.number, from: database) {
            subscription.accountToken = token
            try subscription.store(in: database)
            current = try purchase(subscription.purchase)
        }
        let signature = signature
        try current.updateChanges(database) {
            guard $0.accountToken != token else { return }
            $0.accountToken = token
            $0.beginState(after: signature)
        }
    }
}

/// Order identifiers, which the customer receives by email: `M` and the transaction number in base 36, padded with
/// zeros to at least nine digits.
package enum OrderIdentifier {
    package static func identifier(of transaction: Int64) -> String {
        let digits = String(transaction, radix: 36, uppercase: true)
        return "M" + String(repeating: "0", count: max(0, 9 - digits.count)) + digits
    }

    /// Returns the transaction number in an order identifier; `nil` if the identifier is not valid.
    static func transaction(of identifier: String) -> Int64? {
        guard identifier.first == "M", let number = Int64(identifier.dropFirst(), radix: 36), number > 0,
            self.identifier(of: number) == identifier
        else { return nil }
        return number
    }
}
