internal import Foundation
internal import GRDB
internal import VitrineCatalog
internal import VitrineReceipts
internal import VitrineSupport

/// Row of the table of recorded actions that are not yet in the file of the recording. The row is stored in the
/// database transaction that makes the change.
struct RecordedAction: NumberedRecord, Codable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "action"

    private(set) var id: Int64?
    /// Date of the store's clock, in milliseconds since 1970.
    let date: Int64
    /// Environment of the process that made the change; `nil` if the environment does not matter to the change.
    let environment: StoreEnvironment?
    /// Number of the app in the App Store; `nil` outside production.
    let appIdentifier: Int64?
    /// Number of transactions that the store had numbered when the action was recorded.
    let transactions: Int64
    /// Action as JSON.
    private let body: String

    init(
        _ action: StoreAction, at date: Int64, environment: StoreEnvironment? = nil, appIdentifier: Int64? = nil,
        transactions: Int64
    ) throws {
        (self.date, self.environment, self.appIdentifier) = (date, environment, appIdentifier)
        self.transactions = transactions
        body = String(decoding: try JSONEncoder.recording.encode(action), as: UTF8.self)
    }

    var action: StoreAction {
        get throws { try JSONDecoder().decodeForeign(StoreAction.self, from: Data(body.utf8)) }
    }

    /// Records that a device was added to the store, if the store is recorded.
    static func record(adding added: DeviceIdentity?, at machineDate: Date, in database: Database) throws {
        let settings = try StoreSettings.fetch(from: database)
        guard settings.isRecording, let added else { return }
        let action = StoreAction.addDevice(
            device: added.device, customer: added.customer, isDefault: added.deviceName == DeviceIdentity.defaultName)
        try RecordedAction(
            action, at: settings.clock ?? machineDate.milliseconds, transactions: transactionCount(in: database)
        ).insert(database)
    }

    /// Returns the number of transactions that the store has numbered.
    static func transactionCount(in database: Database) throws -> Int64 {
        let last = try database.cachedStatement(sql: "SELECT seq FROM sqlite_sequence WHERE name = 'purchase'")
        return try StoreIdentity.fetch(from: database).storeSeed.place(of: Int64.fetchOne(last) ?? 0)
    }
}

/// The only row of the table with the current recording.
struct RecordingRecord: Codable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "recording"

    private var id = 1
    /// UUID that the file of the recording also contains.
    let identifier: String
    /// Salt of the pseudonyms in the recording.
    let salt: Data

    init(identifier: UUID, salt: Data) { (self.identifier, self.salt) = (identifier.uuidString, salt) }
}

extension StoreTransactionScope {
    /// Records an action in the database transaction that makes the change. Has no effect while the store is not
    /// recorded.
    ///
    /// - Parameter action: Function that returns the action, with pseudonyms for identifying values; `nil` for a change
    ///   that is not recorded.
    func record(_ action: (Pseudonyms) throws -> StoreAction?) throws {
        guard settings.isRecording else { return }
        guard let recording = try RecordingRecord.fetchOne(database) else {
            throw SimulatedStoreError(code: .damaged, reason: "the store is recorded, but has no recording")
        }
        guard let action = try action(Pseudonyms(self, salt: recording.salt)) else { return }
        try RecordedAction(
            action, at: date.milliseconds, environment: core.environment, appIdentifier: core.appIdentifier,
            transactions: core.seed.place(of: nextPurchaseNumber() - 1)
        ).insert(database)
    }

    /// Records a purchase of an app. A failed purchase without any effect is not recorded.
    func record(_ request: OrderRequest, _ outcome: PurchaseOutcome) throws {
        if case .failed(let failure) = outcome, failure != .lostAnswer { return }
        try record {
            .purchase(
                order: try $0.order(request), asksToBuy: request.asksToBuy,
                introductoryOffer: request.introductoryOffer?.isAllowed)
        }
    }
}

extension JSONEncoder {
    /// Encoder of the lines of a recording.
    static var recording: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }
}
