internal import Foundation
internal import GRDB

/// Row of the table of customers. Each customer has a store account of their own.
struct CustomerRecord: Codable, FetchableRecord, MutablePersistableRecord {
    static let databaseTableName = "customer"

    private(set) var id: Int64?
    let name: String
    /// Name of the customer's family; `nil` for a customer without a family.
    var family: String?

    enum Columns {
        static let id = Column(CodingKeys.id)
        static let name = Column(CodingKeys.name)
        static let family = Column(CodingKeys.family)
    }

    init(name: String) { self.name = name }

    mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
}

/// Row of the table of the customers' devices.
struct DeviceRecord: Codable, FetchableRecord, MutablePersistableRecord {
    static let databaseTableName = "device"

    private(set) var id: Int64?
    let customer: Int64
    let name: String

    enum Columns {
        static let id = Column(CodingKeys.id)
        static let customer = Column(CodingKeys.customer)
        static let name = Column(CodingKeys.name)
    }

    init(customer: Int64, name: String) { (self.customer, self.name) = (customer, name) }

    mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
}

/// Customer and device that a ``SimulatedStore`` represents.
struct DeviceIdentity: Sendable, Hashable {
    let customer: Int64
    let customerName: String
    let device: Int64
    let deviceName: String

    static let defaultName = "default"

    /// Finds a device of a customer by their names. If `mayCreate` is `true`, creates the device and the customer if
    /// they do not exist.
    ///
    /// - Returns: `nil` if the device does not exist and `mayCreate` is `false`.
    static func find(
        _ device: String, of customer: String, mayCreate: Bool, in database: Database
    ) throws -> DeviceIdentity? {
        var owner = try Int64.fetchOne(
            database.cachedStatement(sql: "SELECT id FROM customer WHERE name = ?"), arguments: [customer])
        if owner == nil, mayCreate {
            var new = CustomerRecord(name: customer)
            try new.insert(database)
            owner = new.id
        }
        guard let number = owner else { return nil }
        var found = try Int64.fetchOne(
            database.cachedStatement(sql: "SELECT id FROM device WHERE customer = ? AND name = ?"),
            arguments: [number, device])
        if found == nil, mayCreate {
            var new = DeviceRecord(customer: number, name: device)
            try new.insert(database)
            try UnfinishedRecord.addAll(of: number, to: new, in: database)
            found = new.id
        }
        return found.map {
            DeviceIdentity(customer: number, customerName: customer, device: $0, deviceName: device)
        }
    }
}

/// Row of the table of transactions that are unfinished on a device.
struct UnfinishedRecord: Codable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "unfinished"

    let device: Int64
    let purchase: Int64

    enum Columns {
        static let device = Column(CodingKeys.device)
        static let purchase = Column(CodingKeys.purchase)
    }

    /// Returns the numbers of the transactions that are unfinished on a device.
    static func purchases(of device: Int64, in database: Database) throws -> Set<Int64> {
        try Set(Int64.fetchAll(database, sql: "SELECT purchase FROM unfinished WHERE device = ?", arguments: [device]))
    }

    static func add(_ purchase: Int64, to device: Int64, in database: Database) throws {
        try database.cachedStatement(sql: "INSERT OR IGNORE INTO unfinished VALUES (?, ?)")
            .execute(arguments: [device, purchase])
    }

    /// Records the unfinished transactions of a new device: the transactions that are unfinished on all other devices
    /// of the customer, except consumables. The app on the new device receives all other purchases only if it restores
    /// them.
    fileprivate static func addAll(of customer: Int64, to device: DeviceRecord, in database: Database) throws {
        try database.execute(
            sql: """
                INSERT OR IGNORE INTO unfinished (device, purchase)
                SELECT ?1, purchase.id FROM purchase JOIN unfinished ON unfinished.purchase = purchase.id
                WHERE purchase.customer = ?2 AND purchase.kind <> 'consumable' GROUP BY purchase.id
                HAVING COUNT(*) = (SELECT COUNT(*) FROM device WHERE customer = ?2 AND id <> ?1)
                """, arguments: [device.id, customer])
    }
}

extension DeviceIdentity {
    /// Returns the numbers of a customer's devices.
    static func devices(of customer: Int64, in database: Database) throws -> [Int64] {
        try Int64.fetchAll(
            database.cachedStatement(sql: "SELECT id FROM device WHERE customer = ? ORDER BY id"),
            arguments: [customer])
    }
}
