import Foundation
import VitrineCatalog
import VitrineReceipts
import VitrineTestSupport

@testable import VitrineStoreSimulator

/// State of a store as lines, without signatures and their dates. Identifiers are replaced by numbers in the order of
/// their occurrence.
struct StoreEnd {
    private(set) var lines: [String] = []
    private var tokens: [String: Int] = [:]
    private var appTransactions: [String: Int] = [:]
    private let seed: StoreSeed

    init(_ store: SimulatedStore, notificationsAfter number: Int64 = 0) async throws {
        seed = store.core.seed
        for (customerNumber, customer) in try await store.customers().enumerated() {
            appTransactions[customer.appTransactionID] = customerNumber + 1
            for (deviceNumber, name) in customer.devices.enumerated() {
                let device = try store.device(name, of: customer.name)
                let place = "customer \(customerNumber + 1), device \(deviceNumber + 1)"
                for transaction in try await device.transactions() + device.pendingPurchases() {
                    lines.append("\(place): \(line(about: transaction))")
                }
            }
            let device = try store.device(customer.devices[0], of: customer.name)
            for subscription in try await device.subscriptions() {
                lines.append("customer \(customerNumber + 1): \(line(about: subscription))")
            }
            try await addAnswers(of: device, customer.appTransactionID)
        }
        for event in try await store.timeline() {
            lines.append(
                "event: \(event.date.milliseconds) \(event.kind.rawValue) \(event.productIdentifier ?? "-") "
                    + "\(event.transaction.map(place) ?? 0) \(event.detail ?? "-")")
        }
        for notification in try await store.notifications(after: number) {
            lines.append("notification: \(try text(of: .string(notification.signedPayload), named: "signedPayload"))")
        }
        lines.append("clock: \(store.clock.now.milliseconds)")
    }

    private mutating func line(about transaction: SimulatedTransaction) -> String {
        let dates = [
            transaction.purchaseDate, transaction.originalPurchaseDate, transaction.expirationDate,
            transaction.revocationDate,
        ].map { $0.map { String($0.milliseconds) } ?? "-" }
        return [
            "\(place(transaction.id)) of \(place(transaction.originalID)), \(transaction.productIdentifier)",
            "\(transaction.quantity), \(transaction.price) \(transaction.currency) \(transaction.storefront)",
            dates.joined(separator: " "), "shared \(transaction.isShared)", "renewal \(transaction.isRenewal)",
            "upgraded \(transaction.isUpgraded)", "offer \(transaction.offer.debugDescription)",
            "revoked \(transaction.revocationType?.rawValue ?? "-") \(transaction.revocationPercentage ?? 0)",
            "pending \(transaction.isPending) \(transaction.isInterrupted)", "finished \(transaction.isFinished)",
            "token \(transaction.accountToken.map { token($0.uuidString) } ?? 0)",
        ].joined(separator: "; ")
    }

    private func line(about subscription: SimulatedSubscription) -> String {
        let dates = [subscription.expirationDate, subscription.gracePeriodEnd, subscription.billingRetryEnd]
            .map { $0.map { String($0.milliseconds) } ?? "-" }
        return """
            subscription \(place(subscription.id)), \(subscription.productIdentifier) to \
            \(subscription.renewalProduct), at \(place(subscription.transaction)), state \
            \(subscription.state.rawValue) \(subscription.expirationReason?.rawValue ?? 0), \
            renewing \(subscription.isRenewing), \(dates.joined(separator: " ")), shared \(subscription.isShared)
            """
    }

    /// Adds the responses of the App Store Server API about a customer.
    private mutating func addAnswers(of device: SimulatedStore, _ identifier: String) async throws {
        guard try await !device.transactions().isEmpty else { return }
        let (api, query) = (device.serverAPI, ServerQuery([]))
        lines.append("statuses: \(try text(of: await api.statuses(identifier, query)))")
        lines.append("history: \(try text(of: await api.history(identifier, query, version: .v2)))")
        lines.append("refunds: \(try text(of: await api.refundHistory(identifier, query)))")
    }

    // MARK: Values

    private mutating func text(of answer: some Encodable) throws -> String {
        try text(of: JSONValue(json: JSONEncoder().encode(answer)), named: "")
    }

    /// Returns a JSON value as text, with decoded signed data.
    private mutating func text(of value: JSONValue, named name: String) throws -> String {
        switch (name, value) {
        case ("signedDate", _), ("notificationUUID", _), ("revision", _), ("receiptCreationDate", _): return "-"
        case ("transactionId", .string(let text)), ("originalTransactionId", .string(let text)):
            return String(place(text))
        case ("webOrderLineItemId", .string(let text)): return String(place(String(text.dropFirst())))
        case ("appTransactionId", .string(let text)): return String(appTransactions[text] ?? 0)
        case ("appAccountToken", .string(let text)), ("requestIdentifier", .string(let text)):
            return String(token(text.uppercased()))
        case (_, .string(let text)) where text.split(separator: ".").count == 3 && text.hasPrefix("ey"):
            return try self.text(of: Self.payload(of: text), named: "")
        case (_, .object(let members)):
            let members = try members.sorted { $0.key < $1.key }.map { name, value in
                "\(name): \(try self.text(of: value, named: name))"
            }
            return "{\(members.joined(separator: ", "))}"
        case (_, .array(let elements)):
            return "[\(try elements.map { try text(of: $0, named: name) }.joined(separator: ", "))]"
        default: return "\(value)"
        }
    }

    /// Returns the payload of a compact JWS without parsing its certificates, which would be much slower.
    private static func payload(of signed: String) throws -> JSONValue {
        let segment = signed.split(separator: ".")[1].replacing("-", with: "+").replacing("_", with: "/")
        let padding = String(repeating: "=", count: (4 - segment.count % 4) % 4)
        return try JSONValue(json: Data(base64Encoded: segment + padding) ?? Data())
    }

    private func place(_ identifier: String) -> Int64 { Int64(identifier).map(seed.place) ?? -1 }

    private mutating func token(_ token: String) -> Int {
        if let known = tokens[token] { return known }
        tokens[token] = tokens.count + 1
        return tokens.count
    }
}

extension SimulatedTransaction {
    fileprivate var isShared: Bool { ownershipType == .familyShared }
}
