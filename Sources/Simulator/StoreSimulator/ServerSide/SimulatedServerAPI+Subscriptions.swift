internal import Foundation
internal import GRDB
internal import VitrineCatalog
internal import VitrineReceipts

/// Response with the statuses of a customer's subscriptions.
package struct StatusAnswer: Encodable, Sendable {
    struct Group: Encodable {
        let subscriptionGroupIdentifier: String
        let lastTransactions: [Item]
    }

    struct Item: Encodable {
        let originalTransactionId: String
        let status: Int
        let signedTransactionInfo: String
        let signedRenewalInfo: String?
    }

    let environment: String
    let bundleId: String
    let appAppleId: Int64?
    let data: [Group]
}

/// Response to the request to extend the renewal date of a subscription.
package struct ExtensionAnswer: Encodable, Sendable {
    let originalTransactionId: String
    let webOrderLineItemId: String
    let success: Bool
    /// End of the extended period, in milliseconds since 1970.
    let effectiveDate: Int64
}

/// Response to the request to extend the subscriptions of all customers.
package struct MassExtensionAnswer: Encodable, Sendable {
    let requestIdentifier: String
}

/// Response with the progress of the request to extend the subscriptions of all customers.
package struct MassExtensionStatusAnswer: Encodable, Sendable {
    let requestIdentifier: String
    let complete: Bool
    var completeDate: Int64?
    var succeededCount: Int64?
    var failedCount: Int64?
}

extension SimulatedServerAPI {
    /// Returns the latest transaction of each subscription of a customer, with its status.
    package func statuses(_ identifier: String, _ query: ServerQuery) async throws -> StatusAnswer {
        let statuses = try query.all("status", .invalidStatus) { text in
            Int(text).flatMap { (1...5).contains($0) ? $0 : nil }
        }
        let found = try await read { scope in
            let customer = try scope.subject(identifier).customer
            return try scope.subscriptions(of: customer)
                .filter { statuses.isEmpty || statuses.contains($0.state.signedState.rawValue) }
                .map { ($0, try scope.signing(scope.purchase($0.purchase))) }
        }
        var groups: [(id: String, items: [StatusAnswer.Item])] = []
        for (subscription, request) in found {
            let item = StatusAnswer.Item(
                originalTransactionId: String(subscription.id), status: subscription.state.signedState.rawValue,
                signedTransactionInfo: try core.signForServer(request),
                signedRenewalInfo: try core.signRenewalForServer(request))
            if let index = groups.firstIndex(where: { $0.id == subscription.groupID }) {
                groups[index].items.append(item)
            } else {
                groups.append((subscription.groupID, [item]))
            }
        }
        return StatusAnswer(
            environment: core.environment.rawValue, bundleId: core.bundleIdentifier, appAppleId: core.appIdentifier,
            data: groups.map {
                StatusAnswer.Group(subscriptionGroupIdentifier: $0.id, lastTransactions: $0.items)
            })
    }

    /// Extends the renewal date of a subscription.
    package func extend(_ identifier: String, _ body: ServerBody) async throws -> ExtensionAnswer {
        let days = try Self.days(in: body)
        let request = try body.required("requestIdentifier", .invalidRequestIdentifier) { $0.string(ofLength: 1...128) }
        let seed = core.seed
        return try await change { scope in
            let number = try StoreTransactionScope.number(identifier, .invalidOriginalTransactionID)
            guard let record = try scope.serverTransaction(number), record.originalNumber == number else {
                throw ServerError(.originalTransactionIDNotFound, "Original transaction id not found.")
            }
            guard let subscription = try SubscriptionRecord.fetch(number, from: scope.database) else {
                throw ExtensionRefusal.ineligible.serverError
            }
            do {
                let end = try scope.extend(subscription, by: days, request: request)
                try scope.record { .extend(transaction: $0.number(number), days: days, request: $0.text(request)) }
                return ExtensionAnswer(
                    originalTransactionId: identifier,
                    webOrderLineItemId: seed.webOrderLineItemID(of: String(subscription.purchase)), success: true,
                    effectiveDate: end)
            } catch let refusal as ExtensionRefusal {
                throw refusal.serverError
            }
        }
    }

    /// Delay between a request to extend all subscriptions to a product and its completion, in milliseconds.
    private static let massExtensionTime: Int64 = 60_000

    /// Requests an extension of all customers' subscriptions to a product, which happens a minute later. A repeated
    /// request has no effect.
    package func extendAll(_ body: ServerBody) async throws -> MassExtensionAnswer {
        let days = try Self.days(in: body)
        let request = try body.required("requestIdentifier", .invalidRequestIdentifier) { $0.uuid }
            .uuidString.lowercased()
        let product = try body.required("productId", .invalidProductID) { $0.string(ofLength: 1...255) }
        guard core.subscription(product) != nil else {
            throw ServerError(.invalidProductID, "The product \(product) is no auto-renewable subscription.")
        }
        let codes = try body.value("storefrontCountryCodes", .invalidStorefrontCode) { value in
            guard case .array(let elements) = value else { return nil as [String]? }
            let codes = elements.compactMap(\.string)
            return codes.count == elements.count && codes.allSatisfy(StoreConfiguration.isCountry) ? codes : nil
        }
        if let codes, codes.isEmpty {
            throw ServerError(.emptyStorefrontCodes, "The list of storefronts is empty.")
        }
        let storefronts = codes?.joined(separator: " ")
        try await change { scope in
            guard try MassExtensionRecord.fetchOne(scope.database, key: request) == nil else { return }
            try MassExtensionRecord(
                request: request, productIdentifier: product, days: days, storefronts: storefronts,
                dueDate: scope.date.milliseconds + Self.massExtensionTime
            ).insert(scope.database)
            try scope.record {
                .extendAll(product: product, days: days, storefronts: codes, request: $0.text(request))
            }
        }
        return MassExtensionAnswer(requestIdentifier: request)
    }

    package func massExtensionStatus(_ product: String, _ identifier: String) async throws -> MassExtensionStatusAnswer
    {
        guard identifier.utf8.count == 36, let request = UUID(uuidString: identifier)?.uuidString.lowercased() else {
            throw ServerError(.invalidRequestIdentifier, ServerQuery.reason("requestIdentifier"))
        }
        guard core.subscription(product) != nil else {
            throw ServerError(.invalidProductID, "The product is no auto-renewable subscription.")
        }
        return try await read { scope in
            guard let record = try MassExtensionRecord.fetchOne(scope.database, key: request),
                record.productIdentifier == product
            else { throw ServerError(.statusRequestNotFound, "No request with this identifier was made.") }
            guard let date = record.completeDate else {
                return MassExtensionStatusAnswer(requestIdentifier: request, complete: false)
            }
            return MassExtensionStatusAnswer(
                requestIdentifier: request, complete: true, completeDate: date, succeededCount: record.succeeded,
                failedCount: record.failed)
        }
    }

    private static func days(in body: ServerBody) throws(ServerError) -> Int {
        let days = Int(try body.integer("extendByDays", .invalidExtendByDays, in: 1...90))
        _ = try body.integer("extendReasonCode", .invalidExtendReasonCode, in: 0...3)
        return days
    }
}

extension ExtensionRefusal {
    fileprivate var serverError: ServerError {
        switch self {
        case .ineligible:
            ServerError(.extensionIneligible, "The subscription is not active and paid: it cannot be extended.")
        case .extendedTwice:
            ServerError(.extensionMaximum, "The subscription was extended twice within a year.")
        case .shared:
            ServerError(.extensionOfFamilyShared, "A subscription that the family shares cannot be extended itself.")
        }
    }
}
