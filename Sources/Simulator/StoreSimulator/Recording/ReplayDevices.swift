internal import Foundation
internal import GRDB
internal import VitrineCatalog
internal import VitrinePurchasing

/// Access to the customers and devices of a store that replays a recording, by their numbers.
struct ReplayDevices {
    let core: StoreCore

    /// Any device of the store, for actions that do not concern one customer.
    var any: SimulatedStore {
        get async throws { try await of(1) }
    }

    /// Returns the first device of a customer.
    func of(_ customer: Int64) async throws -> SimulatedStore {
        try await device(in: "customer.id = ?", [customer], or: "the store has no customer \(customer)")
    }

    /// Returns a device of the customer who orders, in the storefront of the order, and the options of the purchase.
    func of(_ order: StoreAction.Order) async throws -> (store: SimulatedStore, options: PurchaseOptions) {
        try SimulatedStore.check(storefront: order.storefront)
        if let device = order.device {
            _ = try await self.device(
                in: "customer.id = ? AND device.id = ?", [order.customer, device],
                or: "the customer \(order.customer) has no device \(device)")
        }
        try await checkPrice(order)
        return (
            try await of(order.customer).visiting(order.storefront),
            PurchaseOptions(quantity: order.quantity, accountToken: order.accountToken)
        )
    }

    /// Calls a function with a device of the customer to whom a transaction belongs, and with the identifier of the
    /// transaction.
    func with<Value>(_ place: Int64, _ body: (SimulatedStore, String) async throws -> Value) async throws {
        let identifier = try identifier(place)
        let store = try await device(
            in: "customer.id = (SELECT customer FROM purchase WHERE id = ?)", [core.seed.transaction(at: place)],
            or: "the store has no transaction \(place)")
        _ = try await body(store, identifier)
    }

    /// Returns the identifier of the transaction at a position.
    func identifier(_ place: Int64) throws -> String {
        guard RecordingLimits.transactions.contains(place) else {
            throw StoreRecordingError(.malformed, "there is no transaction \(place)")
        }
        return String(core.seed.transaction(at: place))
    }

    /// Adds a device, and its customer if the store has no customer with that number.
    func add(_ device: Int64, of customer: Int64, isDefault: Bool) async throws {
        let known = try await core.database.read {
            try String.fetchOne($0, sql: "SELECT name FROM customer WHERE id = ?", arguments: [customer])
        }
        let name = isDefault ? DeviceIdentity.defaultName : RecordedContent.name(of: "device", device)
        let added = try core.database.identity(
            of: name, of: known ?? RecordedContent.name(of: "customer", customer), mayAdd: true,
            machineNow: core.machineNow)
        guard added.device == device, added.customer == customer else {
            throw StoreRecordingError(
                .refused,
                "the device added is \(added.device) of customer \(added.customer), not \(device) of \(customer)")
        }
    }

    /// Finishes a transaction on a device, regardless of the transaction's state.
    func finish(_ place: Int64, on device: Int64) async throws {
        _ = try identifier(place)
        let number = core.seed.transaction(at: place)
        let isFinished = try await core.perform { scope in
            try UnfinishedRecord(device: device, purchase: number).delete(scope.database)
        }
        guard isFinished else {
            throw StoreRecordingError(.refused, "transaction \(place) is not unfinished on device \(device)")
        }
    }

    private func checkPrice(_ order: StoreAction.Order) async throws {
        guard let item = core.item(order.product) else { throw StoreError(notSold: order.product) }
        let price = try await core.read { try $0.price(of: item) }
        guard price == order.price else {
            throw StoreRecordingError(
                .refused,
                "the store sells \(order.product) for \(Decimal(price) / 1_000), and did for "
                    + "\(Decimal(order.price) / 1_000) when the action was recorded")
        }
    }

    private func device(
        in condition: String, _ arguments: [Int64], or reason: String
    ) async throws -> SimulatedStore {
        let names = try await core.database.read { database in
            try Row.fetchOne(
                database,
                sql: """
                    SELECT customer.name, device.name FROM device JOIN customer ON customer.id = device.customer
                    WHERE \(condition) ORDER BY device.id
                    """, arguments: StatementArguments(arguments)
            ).map { (customer: $0[0] as String, device: $0[1] as String) }
        }
        guard let names else { throw StoreRecordingError(.refused, reason) }
        return try SimulatedStore(
            core, customer: names.customer, device: names.device, mayAdd: false, storefront: nil, language: nil)
    }
}

extension SimulatedStore {
    /// Returns this device in another storefront.
    fileprivate func visiting(_ storefront: String) throws(SimulatedStoreError) -> SimulatedStore {
        try SimulatedStore(
            core, customer: customer, device: deviceName, mayAdd: false, storefront: storefront, language: language)
    }
}
