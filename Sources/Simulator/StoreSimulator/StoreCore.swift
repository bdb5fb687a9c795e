internal import Foundation
internal import GRDB
internal import VitrineCatalog
package import VitrinePurchasing
package import VitrineReceipts
internal import VitrineSupport

/// State and clock of a simulated store, shared by its devices in this process.
final class StoreCore: Sendable {
    let database: StoreDatabase
    /// Directory of the store; `nil` for a store in memory.
    let layout: StoreFolder?
    let configuration: StoreConfiguration
    /// Key and certificates that sign all data except app receipts.
    let identity: Locked<SigningIdentity>
    let bundleIdentifier: String
    /// Environment in the data that the store signs.
    let environment: StoreEnvironment
    /// Number of the app in the App Store; `nil` outside the production environment.
    let appIdentifier: Int64?
    let seed: StoreSeed
    /// Verifier for the signatures of promotional offers; `nil` if the `.storekit` file has no readable key pair for
    /// them.
    let offerVerifier: OfferVerifier?
    /// Content that the store hosts; `nil` for a store in memory.
    let content: StoredContent?
    /// Access to the right to deliver the notifications of the store.
    let delivery: DeliveryLock
    /// Maximum number of due changes, such as renewals, that are processed in one database transaction. At the fastest
    /// rate, a subscription has about this many renewals in half a day.
    let mostEvents: Int
    /// Clock of the machine.
    let machineNow: @Sendable () -> Date
    let sleep: @Sendable (TimeInterval) async throws -> Void
    let promotionSignals = Broadcast<Void>()
    /// Numbers of the promoted purchases that an app in this process has received.
    let readPromotions = Locked<Set<Int64>>([])
    let storefrontSignals = Broadcast<Void>()
    /// Function that performs what the customer does while a sheet is open, and returns `false` if the customer cancels.
    let sheetResponse = Locked<@Sendable (SimulatedSheet) async throws -> Bool>({ _ in true })
    /// Channel that signals each change of the store that may have moved its clock or the date of its next scheduled
    /// change.
    let changeSignals = Broadcast<Void>()
    /// Key and certificates that sign app receipts; `nil` until they are first requested.
    let receiptIdentity = Locked<ReceiptSigningIdentity?>(nil)
    /// Cache of data that the store has signed for servers.
    let signedData = SignedDataCache()
    /// Overview of the store when ``readInPlace(_:)`` has read it last.
    private let overview = Locked<(state: StoreState, value: StoreOverview)?>(nil)
    /// Latest signature date of any transaction in this process, in milliseconds since 1970.
    private let latestSignature = Locked<Int64>(0)
    /// Date of the store's clock when it was last read successfully.
    let latestDate = Locked<Date?>(nil)
    private let channels = Locked<[Int64: DeviceChannels]>([:])
    /// Number of listeners to updates, and the task that processes scheduled changes, such as renewals, while there are
    /// listeners.
    private let renewing = Locked<(listeners: Int, task: Task<Void, Never>?)>((0, nil))
    private let items: [String: StoreConfiguration.Item]
    private let subscriptions: [String: StoreConfiguration.Subscription]

    init(
        database: StoreDatabase, configuration: StoreConfiguration, layout: StoreFolder? = nil,
        environment: StoreEnvironment = .sandbox, appIdentifier: Int64? = nil,
        machineNow: @escaping @Sendable () -> Date,
        sleep: @escaping @Sendable (TimeInterval) async throws -> Void, mostEvents: Int = 20_000
    ) throws(SimulatedStoreError) {
        let stored = try database.identity()
        let reason = "the store's signing key and certificates cannot be read"
        identity = Locked(try SimulatedStoreError.mapping(damaged: reason) { try SigningIdentity(pem: stored.pem) })
        (bundleIdentifier, seed) = (stored.bundleIdentifier, stored.storeSeed)
        let settings = try database.readNow { try StoreSettings.fetch(from: $0) }
        self.environment = settings.environment ?? environment
        self.appIdentifier = self.environment == .production ? settings.appIdentifier ?? appIdentifier : nil
        let bundleIdentifier = stored.bundleIdentifier
        offerVerifier = configuration.offersKeyPair.flatMap { pair in
            // If the key cannot be read, signed offers are refused with that reason.
            guard let key = try? OfferKey(pem: pair.pem, identifier: pair.id) else { return nil }
            return try? OfferVerifier(
                publicKeyPEM: key.publicKeyPEM, keyIdentifier: pair.id, bundleIdentifier: bundleIdentifier)
        }
        (self.database, self.layout) = (database, layout)
        self.configuration = configuration
        delivery = DeliveryLock(folder: layout?.delivery)
        content = (layout?.content).map { folder in
            StoredContent(folder: folder) { (try? await database.settings().isOffline) ?? true }
        }
        self.mostEvents = mostEvents
        self.machineNow = machineNow
        self.sleep = sleep
        let subscriptions = configuration.subscriptions
        items = Dictionary(
            (configuration.items + subscriptions.map(\.item)).map { ($0.identifier, $0) }, uniquingKeysWith: { $1 })
        self.subscriptions = Dictionary(
            subscriptions.map { ($0.item.identifier, $0) }, uniquingKeysWith: { $1 })
    }

    /// Returns the product with an identifier, including subscriptions; `nil` if the `.storekit` file does not have it.
    func item(_ identifier: String) -> StoreConfiguration.Item? { items[identifier] }

    /// Returns the end of a message about an identifier: a question for the product that it may mean, if the store does
    /// not know it, otherwise an empty text.
    func question(for identifier: String) -> String {
        items[identifier] == nil ? EditDistance.question(for: identifier, among: items.keys.sorted()) : ""
    }

    func subscription(_ identifier: String) -> StoreConfiguration.Subscription? { subscriptions[identifier] }

    /// Current key and certificates that sign all data except app receipts.
    var signingIdentity: SigningIdentity { identity.withLock { $0 } }

    // MARK: Steps

    /// Changes the store: processes the scheduled changes that are due by now, and then performs the requested change.
    /// All changes are committed together, unless more than ``mostEvents`` changes are due by the machine's clock:
    /// these are committed first. The resulting transactions are sent to the listeners in this process.
    func perform<Value: Sendable>(
        _ body: @escaping @Sendable (inout StoreTransactionScope) throws -> Value
    ) async throws(SimulatedStoreError) -> Value {
        while true {
            let (machineDate, signature) = (machineNow(), latestSignature.withLock { $0 })
            let (value, outbox) = try await database.write { database -> (Value?, [OutgoingTransaction]) in
                var scope = try StoreTransactionScope(
                    database, self, machineDate: machineDate, latestSignature: signature)
                let value: Value? = try scope.process(until: scope.date) ? try body(&scope) : nil
                return (value, scope.outbox)
            }
            try await send(outbox)
            changeSignals.send(())
            if let value { return value }
        }
    }

    /// Reads the store after processing the scheduled changes that are due by now.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (StoreTransactionScope) throws -> Value
    ) async throws(SimulatedStoreError) -> Value {
        let (machineDate, signature) = (machineNow(), latestSignature.withLock { $0 })
        let value: Value? = try await database.read { database in
            let scope = try StoreTransactionScope(database, self, machineDate: machineDate, latestSignature: signature)
            return try scope.isUpToDate() ? body(scope) : nil
        }
        if let value { return value }
        return try await perform { try body($0) }
    }

    /// Reads the store like ``read(_:)``, without suspending the caller unless a scheduled change is due.
    func readInPlace<Value: Sendable>(
        _ body: @escaping @Sendable (StoreTransactionScope) throws -> Value
    ) async throws(SimulatedStoreError) -> Value {
        let (machineDate, signature) = (machineNow(), latestSignature.withLock { $0 })
        let value: Value? = try database.readInPlace { database, state in
            let scope = try StoreTransactionScope(
                database, self, overview: overview(of: state, in: database), machineDate: machineDate,
                latestSignature: signature)
            return try scope.isUpToDate() ? body(scope) : nil
        }
        if let value { return value }
        return try await perform { try body($0) }
    }

    /// Returns the overview of the store in the state that a transaction sees. It is read once in each state, because
    /// reading it takes longer than a transaction of a purchase.
    private func overview(of state: StoreState, in database: Database) throws -> StoreOverview {
        if let known = overview.withLock({ $0 }), known.state == state { return known.value }
        let value = try StoreOverview(of: database)
        overview.withLock { $0 = (state, value) }
        return value
    }

    /// Date of the store's clock.
    ///
    /// - Throws: ``SimulatedStoreError`` if the store's state cannot be read.
    func now() throws(SimulatedStoreError) -> Date {
        try database.readNow { try StoreSettings.fetch(from: $0).clock.map(Date.init(milliseconds:)) } ?? machineNow()
    }

    // MARK: Sending

    /// Returns the channels on which a device receives changes.
    func channels(of device: Int64) -> DeviceChannels {
        channels.withLock { channels in
            if let known = channels[device] { return known }
            let new = DeviceChannels()
            channels[device] = new
            return new
        }
    }

    /// Returns a stream of the values that a device receives on a channel from now on. While the stream is read,
    /// renewals and other scheduled changes are processed when they are due.
    func streamInTime<Value>(of channel: Broadcast<Value>) -> AsyncStream<Value> {
        renewing.withLock { renewing in
            renewing.listeners += 1
            if renewing.task == nil { renewing.task = Task { await self.renewInTime() } }
        }
        return channel.stream { [self] in
            renewing.withLock { renewing in
                renewing.listeners -= 1
                guard renewing.listeners == 0 else { return }
                renewing.task?.cancel()
                renewing.task = nil
            }
        }
    }

    /// Signs all transactions before sending the first one, so that no listener runs between two signatures.
    private func send(_ outbox: [OutgoingTransaction]) async throws(SimulatedStoreError) {
        let awaited = outbox.flatMap { outgoing in
            outgoing.devices.map { (outgoing, device: $0, channels: channels(of: $0)) }
        }.filter(\.channels.hasListeners)
        let signed = try await sign(awaited.map { ($0.0.request, $0.device) })
        for (transaction, (outgoing, _, channels)) in zip(signed, awaited) {
            channels.updates.send(transaction)
            channels.changes.send(
                StoreChange(
                    transaction: transaction, isOfStatusOnly: outgoing.isOfStatusOnly, state: outgoing.state))
        }
    }

    /// Stores the date of a signature, so that the next state of any transaction has a later signature date.
    func noteSignature(at date: Int64) { latestSignature.withLock { $0 = max($0, date) } }
}

/// Settings of the store, and the date of its next scheduled change, which each step of the store reads first.
struct StoreOverview: Sendable {
    let settings: StoreSettings
    /// Date in milliseconds since 1970; `nil` if no change is scheduled.
    let nextDueDate: Int64?

    init(of database: Database) throws {
        settings = try StoreSettings.fetch(from: database)
        nextDueDate = try DueEvents.nextDate(in: database)
    }
}

/// State of a transaction at a change of the store, which is sent to devices after the change is committed.
struct OutgoingTransaction: Sendable {
    let devices: [Int64]
    let request: SigningRequest
    let isOfStatusOnly: Bool
    let state: SubscriptionState?
}

/// Change of the store that is reported to a device.
package struct StoreChange: Sendable {
    /// New or changed transaction, or the latest transaction of a subscription whose status has changed.
    package let transaction: StoreTransaction
    /// `true` if only the status of the subscription has changed, not the transaction.
    package let isOfStatusOnly: Bool
    /// State of the subscription; `nil` unless the transaction is the latest one of a subscription.
    package let state: SubscriptionState?
}

/// Channels of a device: one for transactions alone, the other for transactions with descriptions of their changes.
struct DeviceChannels: Sendable {
    let updates = Broadcast<StoreTransaction>()
    let changes = Broadcast<StoreChange>()

    var hasListeners: Bool { updates.hasListeners || changes.hasListeners }
}

extension StoreConfiguration.OffersKeyPair {
    /// Private key in PEM, with lines of 64 characters (RFC 7468, section 2).
    package var pem: String {
        let characters = Array(privateKey)
        let lines = stride(from: 0, to: characters.count, by: 64).map {
            String(characters[$0..<min($0 + 64, characters.count)])
        }
        return (["-----BEGIN PRIVATE KEY-----"] + lines + ["-----END PRIVATE KEY-----"]).joined(separator: "\n")
    }
}
