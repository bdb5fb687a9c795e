internal import Foundation
internal import GRDB
internal import VitrineCatalog
internal import VitrinePurchasing
internal import VitrineReceipts

/// Identity of the store: its app, its seed, and its signing key with certificates. It is the only row of its table.
struct StoreIdentity: Codable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "identity"

    private var id = 1
    let bundleIdentifier: String
    let pem: String
    private let seed: Int64
    /// Key and certificates that sign app receipts, in PEM; `nil` before the first receipt.
    var receiptPEM: String?

    init(bundleIdentifier: String, pem: String, seed: StoreSeed) {
        self.bundleIdentifier = bundleIdentifier
        self.pem = pem
        self.seed = Int64(bitPattern: seed.value)
    }

    var storeSeed: StoreSeed { StoreSeed(value: UInt64(bitPattern: seed)) }
}

/// Row of the table of customers' original purchases of the app. The date is in milliseconds since 1970.
struct AppPurchaseRecord: Codable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "appPurchase"

    /// Number of the customer who bought the app.
    private let id: Int64
    private let version: String
    private let date: Int64
    private let platform: String?

    init(_ purchase: OriginalPurchase, by customer: Int64) {
        id = customer
        version = purchase.version
        date = purchase.date.milliseconds
        platform = purchase.platform?.rawValue
    }

    /// Returns the original purchase of the app by a customer; `nil` if the customer has not bought it.
    static func fetch(of customer: Int64, from database: Database) throws -> AppPurchaseRecord? {
        try fetchOne(
            database.cachedStatement(sql: "SELECT * FROM appPurchase WHERE id = ?"), arguments: [customer])
    }

    var purchase: OriginalPurchase {
        OriginalPurchase(
            version: version, date: Date(milliseconds: date), platform: platform.map(AppPlatform.init))
    }
}

/// Settings of the store's behavior: the only row of its table.
struct StoreSettings: Codable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "settings"

    let id: Int
    /// `true` if purchases require approval.
    var asksToBuy: Bool
    var isOffline: Bool
    /// Date at which the devices went offline, in milliseconds since 1970: they know no later transaction. `nil` while
    /// they are online.
    var offlineDate: Int64?
    /// Reason why purchases are not allowed on any device; `nil` if they are allowed.
    var paymentRestriction: String?
    /// Storefront to which the customers have moved; `nil` for the storefront of the configuration.
    var storefront: String?
    /// Date of the store's virtual clock, in milliseconds since 1970; `nil` for the clock of the machine.
    var clock: Int64?
    /// Rate at which the periods of subscriptions pass; `nil` for the rate of the configuration.
    var timeRate: TimeRate?
    /// `true` if subscriptions have a grace period; `nil` for the setting of the configuration.
    var hasGracePeriod: Bool?
    /// `true` if the store fails to charge for any renewal; `nil` for the setting of the configuration.
    var isBillingFailing: Bool?
    /// `true` if the customer has to resolve an issue before each purchase is made.
    var interruptsPurchases: Bool
    /// `true` if consumables reach all devices of a customer, not only the buying device.
    var sendsConsumablesToAllDevices: Bool
    /// Environment in the data that the store signs; `nil` for the environment with which the store was opened.
    var environment: StoreEnvironment?
    /// Number of the app in the App Store, which signed data contains in production.
    var appIdentifier: Int64?
    /// Address to which the store sends notifications; `nil` if it creates none.
    var notificationURL: String?
    /// `true` while the actions of persons, apps and servers are recorded.
    var isRecording = false
}

/// Simulated failure of a kind of call to the store.
struct ArmedFailure: Codable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "armedFailure"

    let call: StoreCall
    let failure: SimulatedFailure
    /// Number of remaining failures; `nil` for a failure that remains until it is cleared.
    var remaining: Int?

    init(_ failure: SimulatedFailure, times: Int?) {
        call = failure.call
        self.failure = failure
        remaining = times
    }
}

// Every launch of an app reads these records. Reading a row column by column is much faster than `Decodable`.

extension StoreIdentity {
    init(row: Row) throws {
        id = try row.decode(forColumn: "id")
        bundleIdentifier = try row.decode(forColumn: "bundleIdentifier")
        pem = try row.decode(forColumn: "pem")
        seed = try row.decode(forColumn: "seed")
        receiptPEM = try row.decode(forColumn: "receiptPEM")
    }
}

extension StoreSettings {
    init(row: Row) throws {
        id = try row.decode(forColumn: "id")
        asksToBuy = try row.decode(forColumn: "asksToBuy")
        isOffline = try row.decode(forColumn: "isOffline")
        offlineDate = try row.decode(forColumn: "offlineDate")
        paymentRestriction = try row.decode(forColumn: "paymentRestriction")
        storefront = try row.decode(forColumn: "storefront")
        clock = try row.decode(forColumn: "clock")
        timeRate = try row.decodeRaw(forColumn: "timeRate")
        hasGracePeriod = try row.decode(forColumn: "hasGracePeriod")
        isBillingFailing = try row.decode(forColumn: "isBillingFailing")
        interruptsPurchases = try row.decode(forColumn: "interruptsPurchases")
        sendsConsumablesToAllDevices = try row.decode(forColumn: "sendsConsumablesToAllDevices")
        environment = try row.decodeRaw(forColumn: "environment")
        appIdentifier = try row.decode(forColumn: "appIdentifier")
        notificationURL = try row.decode(forColumn: "notificationURL")
        isRecording = try row.decode(forColumn: "isRecording")
    }
}

/// Row that has a number once it is stored.
protocol NumberedRecord: TableRecord {
    var id: Int64? { get }
}

extension NumberedRecord {
    /// Number of a stored row.
    ///
    /// - Precondition: The row is stored.
    var number: Int64 {
        guard let id else { preconditionFailure("a row of \(Self.databaseTableName) has a number only once stored") }
        return id
    }
}

extension Row {
    /// Returns the value whose raw value is in a column; `nil` if the column is `NULL`.
    ///
    /// - Throws: `DecodingError` for an unknown raw value.
    func decodeRaw<Value: RawRepresentable>(
        forColumn column: String
    ) throws -> Value? where Value.RawValue: DatabaseValueConvertible & StatementColumnConvertible {
        let rawValue: Value.RawValue? = try decode(forColumn: column)
        guard let rawValue else { return nil }
        guard let value = Value(rawValue: rawValue) else {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(codingPath: [], debugDescription: "\(column) has the unknown value \(rawValue)"))
        }
        return value
    }
}
