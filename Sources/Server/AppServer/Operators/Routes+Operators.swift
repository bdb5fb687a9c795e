internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import Logging
internal import NIOCore
internal import VitrineAppServerAPI
internal import VitrineAppServerRecords
internal import VitrineEntitlements
internal import VitrineHTTPServing

extension Routes {
    mutating func addOperators(_ services: AppServices) {
        addOperatorPage()
        addLookups(services)
        addActions(services)
        addChangesOfIdentity(services)
        addReceivedNotifications(services)
        addPublication(services)
    }

    /// Adds the routes for operators to look up and export customers.
    private mutating func addLookups(_ services: AppServices) {
        let records = services.records
        let readers = OperatorCredential(services, role: .read)
        add(OperatorAPI.account, for: readers) { call, account in
            try call.reply(OperatorReply(name: account.name, role: account.role, apps: records.apps.keys.sorted()))
        }
        add(OperatorAPI.findCustomers, for: readers) { call, _ in
            let query = try call.route.text("query") ?? ""
            let found = try await records.customers(matching: query, app: try call.route.text("app"))
            return try call.reply(CustomersReply(customers: found))
        }
        add(OperatorAPI.customer, for: readers) { call, _ in
            try call.reply(try await records.detail(of: try call.parameter("id")))
        }
        add(OperatorAPI.facts, for: readers) { call, _ in
            let id = try call.parameter("id")
            let facts = try await records.facts(
                of: id,
                after: try call.route.integer("after", in: 0...Int64.max / 2, default: 0),
                limit: try call.route.limit)
            let titles = try await records.titles(ofProductsIn: facts, of: id)
            return try call.reply(FactsReply(facts: facts, titles: titles))
        }
        add(OperatorAPI.why, for: readers) { call, _ in
            let lines = try await records.why(try call.parameter("product"), of: try call.parameter("id"))
            return try call.reply(ReasonsReply(lines: lines))
        }
        add(OperatorAPI.export, for: OperatorCredential(services, role: .admin)) { call, account in
            let lines = try await records.export(try call.parameter("id"))
            services.logger.notice("\(account.name) has exported a customer")
            return Response(lines: lines)
        }
    }

    /// Adds the routes for operators to give products or units to customers, and to end grants.
    private mutating func addActions(_ services: AppServices) {
        let records = services.records
        let supporters = OperatorCredential(services, role: .support)
        add(OperatorAPI.grant, for: supporters) { call, account in
            let body = try await call.body()
            let sequence = try await records.grant(
                body.product, to: try call.parameter("id"), token: body.token, reason: body.reason,
                until: try body.end, by: account.name)
            return try call.reply(ChangeEvent(sequence: sequence))
        }
        add(OperatorAPI.revoke, for: supporters) { call, account in
            let body = try await call.body()
            let sequence = try await records.lock(
                body.product, of: try call.parameter("id"), token: body.token,
                reason: body.reason, by: account.name)
            return try call.reply(ChangeEvent(sequence: sequence))
        }
        add(OperatorAPI.deposit, for: supporters) { call, account in
            let body = try await call.body()
            guard (1...DepositBody.most).contains(body.amount) else {
                throw ErrorResponse.invalid("amount must be from 1 to \(DepositBody.most).", field: "amount")
            }
            let sequence = try await records.deposit(
                body.amount, in: body.wallet, of: try call.parameter("id"), token: body.token,
                reason: body.reason, by: account.name)
            return try call.reply(ChangeEvent(sequence: sequence))
        }
    }

    /// Adds the routes for operators to remove devices, to transfer parts of a customer, and to erase one.
    private mutating func addChangesOfIdentity(_ services: AppServices) {
        let records = services.records
        let admins = OperatorCredential(services, role: .admin)
        add(
            OperatorAPI.removeDeviceOfCustomer, for: OperatorCredential(services, role: .support)
        ) { call, account in
            let body = try await call.body()
            try await records.remove(
                body.device, of: try call.parameter("id"), token: body.token, reason: body.reason, by: account.name)
            return try call.reply()
        }
        add(OperatorAPI.transfer, for: admins) { call, account in
            let body = try await call.body()
            let result = try await records.transfer(
                body.parts, from: try call.parameter("id"), to: body.to, token: body.token, reason: body.reason,
                by: account.name)
            return try call.reply(result)
        }
        add(OperatorAPI.erase, for: admins) { call, account in
            let body = try await call.body()
            try await records.erase(
                try call.parameter("id"), token: body.token, reason: body.reason, by: account.name)
            return try call.reply()
        }
    }

    /// Adds the routes for operators to list received notifications with their outcome, and to process one again.
    private mutating func addReceivedNotifications(_ services: AppServices) {
        let records = services.records
        add(OperatorAPI.notifications, for: OperatorCredential(services, role: .read)) { call, _ in
            let state = try call.route.text("state")
            guard state.map({ NotificationOutcome(rawValue: $0) != nil }) ?? true else {
                throw ErrorResponse.invalid("There is no such state of a notification.", field: "state")
            }
            let before = try call.route.integer("before", in: 0...Int64.max, default: .max)
            let found = try await records.notifications(
                state: state, app: try call.route.text("app"), before: before == .max ? nil : before,
                limit: try call.route.limit)
            return try call.reply(NotificationsReply(notifications: found))
        }
        add(OperatorAPI.notifyAgain, for: OperatorCredential(services, role: .support)) { call, _ in
            let outcome = try await records.receiveAgain(
                notification: try call.parameter("id"), app: try call.parameter("app"))
            return try call.reply(NotificationResult(outcome: outcome))
        }
    }
}

extension RouteCall {
    private static let longestText = 255

    /// Maximum number of elements in the response, from the query.
    fileprivate var limit: Int {
        get throws(ErrorResponse) { try integer("limit", in: 1...CustomerRecords.mostListed, default: 100) }
    }

    /// Returns a string parameter of the query; `nil` if it is missing or empty.
    fileprivate func text(_ name: String) throws(ErrorResponse) -> String? {
        guard let text = query(name), !text.isEmpty else { return nil }
        guard text.utf8.count <= Self.longestText else {
            throw .invalid("\(name) may have at most \(Self.longestText) bytes.", field: name)
        }
        return text
    }
}

extension Response {
    /// Creates a response with JSON documents, one per line.
    fileprivate init(lines: [Data]) {
        self.init(
            status: .ok, headers: [.contentType: "application/jsonl", .cacheControl: "no-store"],
            body: ResponseBody(
                contentsOf: lines.map { line in
                    var buffer = ByteBuffer(bytes: line)
                    buffer.writeInteger(UInt8(ascii: "\n"))
                    return buffer
                }))
    }
}
