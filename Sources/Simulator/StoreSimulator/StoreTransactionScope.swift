internal import Foundation
internal import GRDB
internal import VitrineCatalog
internal import VitrineReceipts
internal import VitrineSupport

/// Access to a simulated store within one transaction of its database, whose changes are committed together.
struct StoreTransactionScope {
    let database: Database
    let core: StoreCore
    private(set) var settings: StoreSettings
    /// Date of changes: the date of the store's clock or, while a scheduled change is processed, its due date.
    private(set) var date: Date
    /// End of the next period that is bought or renewed, if a customer's history specifies it; `nil` to compute it.
    var periodEnd: Date?
    /// Transactions that are sent after the commit, in the order of the changes.
    private(set) var outbox: [OutgoingTransaction] = []
    private let latestSignature: Int64
    /// Overview of the store in the state that the transaction sees; `nil` if the transaction may change it.
    private let overview: StoreOverview?

    /// Creates an access to the store.
    ///
    /// - Parameter overview: Overview of the store in the state that the transaction sees, for a transaction that only
    ///   reads; `nil` to read it.
    init(
        _ database: Database, _ core: StoreCore, overview: StoreOverview? = nil, machineDate: Date,
        latestSignature: Int64
    ) throws {
        self.database = database
        self.core = core
        self.overview = overview
        self.latestSignature = latestSignature
        settings = try overview?.settings ?? StoreSettings.fetch(from: database)
        // Whole milliseconds, like all dates that the store signs and stores.
        date = Date(milliseconds: settings.clock ?? machineDate.milliseconds)
    }

    var rate: TimeRate { settings.timeRate ?? TimeRate(rawValue: core.configuration.settings.timeRate) ?? .realTime }

    /// Latest possible signature date of any transaction, in milliseconds since 1970. It can be later than ``date``,
    /// because the clock may have been set back.
    var signature: Int64 { max(date.milliseconds, latestSignature) }

    mutating func changeSettings(_ body: (inout StoreSettings) -> Void) throws {
        try settings.updateChanges(database, modify: body)
    }

    // MARK: Time

    /// Returns `true` if no scheduled change is due.
    func isUpToDate() throws -> Bool { try nextDueDate().map { $0 > date.milliseconds } ?? true }

    /// Returns the date of the store's next scheduled change, in milliseconds since 1970; `nil` if none is scheduled.
    func nextDueDate() throws -> Int64? {
        if let overview { overview.nextDueDate } else { try DueEvents.nextDate(in: database) }
    }

    mutating func setDate(_ date: Date) { self.date = date }

    /// Processes the scheduled changes that are due by a date, ordered by date, then by transaction number.
    ///
    /// - Returns: `false` if more changes are due than ``StoreCore/mostEvents``. ``date`` is then the date of the last
    ///   processed change.
    mutating func process(until end: Date) throws -> Bool {
        var due = try DueEvents(until: end.milliseconds, in: database)
        var count = 0
        while let event = due.popFirst() {
            guard count < core.mostEvents else {
                try record { _ in .time }
                return false
            }
            count += 1
            date = Date(milliseconds: event.date)
            switch event.subject {
            case .request(let record): try expireRequest(record)
            case .subscription(let subscription):
                try processDue(subscription)
                try due.readAgain(subscription.id, in: database)
            case .extensions(let extensions):
                for extended in try complete(extensions) { try due.replace(extended, in: database) }
            }
        }
        date = end
        if count > 0 { try record { _ in .time } }
        return true
    }

    /// Advances the store's virtual clock to a date, and processes the scheduled changes that are due by then.
    ///
    /// - Throws: ``SimulatedStoreError`` `invalidDate` if more changes are due by the date than
    ///   ``StoreCore/mostEvents``.
    mutating func moveClock(to end: Date) throws {
        guard try process(until: end) else {
            throw SimulatedStoreError(
                code: .invalidDate,
                reason:
                    "more than \(core.mostEvents) events are due until \(end.second): advance the clock "
                    + "to a date before \(date.second) first, or set a slower rate with "
                    + "'vitrine store rate'")
        }
        try changeSettings { $0.clock = end.milliseconds }
        try record { _ in .virtualClock }
    }

    // MARK: Transactions

    /// Stores a new transaction, and sends it to the devices of its customer.
    ///
    /// - Parameters:
    ///   - subscription: Subscription whose latest transaction this is; `nil` for other transactions.
    ///   - device: Number of the device that receives the transaction as the answer to its call, not as an update.
    mutating func add(
        _ draft: PurchaseRecord, of subscription: SubscriptionRecord? = nil, answering device: Int64? = nil
    ) throws -> PurchaseRecord {
        var record = draft
        record.signedFrom = max(record.signedFrom, record.purchaseDate)
        record.modification = try PurchaseRecord.nextModification(in: database)
        try record.store(in: database)
        try deliver(record, of: subscription, exceptTo: device)
        return record
    }

    /// Changes a transaction. Its new state is signed with a later date than its earlier states, and the app has to
    /// finish it again.
    ///
    /// - Returns: The changed transaction.
    mutating func change(
        _ record: PurchaseRecord, _ body: (inout PurchaseRecord) throws -> Void
    ) throws -> PurchaseRecord {
        var changed = record
        let modification = try PurchaseRecord.nextModification(in: database)
        try changed.updateChanges(database) {
            try body(&$0)
            $0.modification = modification
        }
        try deliver(changed)
        return changed
    }

    mutating func revoke(
        _ record: PurchaseRecord, _ type: RevocationType, percentage: Int? = nil
    ) throws -> PurchaseRecord {
        let (date, signature) = (date, signature)
        let wasRevoked = record.revocationDate != nil
        let revoked = try change(record) { $0.revoke(type, percentage: percentage, at: date, after: signature) }
        if !wasRevoked { try DeviceReceipt.reissue(for: revoked.customer, in: self) }
        return revoked
    }

    mutating func reinstate(_ record: PurchaseRecord) throws -> PurchaseRecord {
        let signature = signature
        return try change(record) {
            ($0.revocationDate, $0.revocationType, $0.revocationPercentage) = (nil, nil, nil)
            $0.beginState(after: signature)
        }
    }

    mutating func markUpgraded(_ record: PurchaseRecord) throws {
        let signature = signature
        _ = try change(record) {
            $0.isUpgraded = true
            $0.beginState(after: signature)
        }
    }

    private mutating func deliver(
        _ record: PurchaseRecord, of subscription: SubscriptionRecord? = nil, exceptTo device: Int64? = nil
    ) throws {
        let devices = try recipients(of: record)
        for device in devices { try UnfinishedRecord.add(record.number, to: device, in: database) }
        try send(record, of: subscription, to: devices.filter { $0 != device })
    }

    /// Returns the devices that receive a transaction: all devices of the customer or, for a consumable, only the
    /// device that bought it, unless the settings say otherwise.
    private func recipients(of record: PurchaseRecord) throws -> [Int64] {
        if record.kind == .consumable, !settings.sendsConsumablesToAllDevices, let device = record.device {
            return [device]
        }
        return try DeviceIdentity.devices(of: record.customer, in: database)
    }

    /// Sends the present state of a transaction to devices. A transaction that the app on a device has finished remains
    /// finished there.
    ///
    /// - Parameters:
    ///   - subscription: Subscription whose latest transaction this is; `nil` if the caller does not know it.
    ///   - isOfStatusOnly: `true` if only the status of the subscription has changed.
    mutating func send(
        _ record: PurchaseRecord, of subscription: SubscriptionRecord? = nil, to devices: [Int64],
        isOfStatusOnly: Bool = false
    ) throws {
        guard !devices.isEmpty, !settings.isOffline else { return }
        let subscription = try subscription ?? self.subscription(endingWith: record)
        outbox.append(
            OutgoingTransaction(
                devices: devices,
                request: SigningRequest(
                    transaction: record.transaction(isFinished: false),
                    renewal: subscription.map { renewalInformation(of: $0, record) }, date: date),
                isOfStatusOnly: isOfStatusOnly, state: subscription?.state.signedState))
    }

    func purchase(_ number: Int64) throws -> PurchaseRecord {
        let statement = try database.cachedStatement(sql: "SELECT * FROM purchase WHERE id = ?")
        guard let record = try PurchaseRecord.fetchOne(statement, arguments: [number]) else {
            throw SimulatedStoreError(
                code: .damaged, reason: "the database of the simulated store has no transaction \(number)")
        }
        return record
    }

    // MARK: Events

    func log(
        _ kind: StoreEvent.Kind, _ record: PurchaseRecord, _ detail: String? = nil
    ) throws {
        try log(
            kind, customer: record.customer, product: record.productIdentifier, purchase: record.id, detail: detail)
    }

    func log(
        _ kind: StoreEvent.Kind, customer: Int64?, product: String?, purchase: Int64? = nil, detail: String? = nil
    ) throws {
        try EventRecord(
            date: date.milliseconds, customer: customer, kind: kind, productIdentifier: product, purchase: purchase,
            detail: detail
        ).insert(into: database)
    }
}
