public import Foundation
internal import GRDB
internal import VitrineCatalog
internal import VitrineReceipts
public import VitrineSupport

/// Clock of the store, and the events that happen as time passes.
extension SimulatedStore {
    /// Lets the store follow a clock of its own, which stands still until it is advanced.
    ///
    /// - Parameter date: Date of the clock; `nil` for the present date of the store.
    /// - Throws: ``SimulatedStoreError``: `invalidDate` for a date before the current one of the store, or after the
    ///   store's certificates expire.
    public func useVirtualClock(at date: Date? = nil) async throws(SimulatedStoreError) {
        try await core.perform { step in
            if let date, date != step.date { try step.checkAdvance(to: date) }
            try step.moveClock(to: date ?? step.date)
        }
    }

    /// Lets the store follow the clock of the machine again. Renewals and other events that are in the future of this
    /// clock happen when it reaches their dates.
    ///
    /// - Throws: ``SimulatedStoreError`` if the store's state cannot be written.
    public func useMachineClock() async throws(SimulatedStoreError) {
        try await core.perform { step in
            try step.changeSettings { $0.clock = nil }
            try step.record { _ in .machineClock }
        }
    }

    /// `true` if the store follows a clock of its own.
    ///
    /// - Throws: ``SimulatedStoreError`` if the store's state cannot be read.
    public var hasVirtualClock: Bool {
        get async throws(SimulatedStoreError) { try await core.database.settings().clock != nil }
    }

    /// Advances the store's own clock. A store that followed the clock of the machine follows its own from now on.
    /// Events that become due, such as renewals, happen in the order of their dates, and the store signs their
    /// transactions with these dates. It stores all changes in one transaction of the database: a process that ends
    /// before has changed nothing.
    ///
    /// While a server delivers notifications of this store, the clock stops at each event, and goes on when the attempts
    /// to deliver the notifications about it have ended. A process that ends meanwhile leaves the clock there.
    ///
    /// - Parameters:
    ///   - date: The date to which the clock is advanced.
    ///   - limit: Maximum time in seconds, by the machine's clock, for which the clock waits for the deliveries at each
    ///     date.
    /// - Returns: The events that happened, in order.
    /// - Throws: ``SimulatedStoreError``: `invalidDate` for a date that is not later than that of the store, or after
    ///   the store's certificates expire, or if more than 20,000 events are due until the date.
    @discardableResult
    public func advance(
        to date: Date, deliveriesWithin limit: TimeInterval = 60
    ) async throws(SimulatedStoreError) -> [StoreEvent] {
        try await core.advance(within: limit) { _ in date }
    }

    /// Advances the store's own clock by an interval in seconds: see ``advance(to:deliveriesWithin:)``.
    ///
    /// - Throws: ``SimulatedStoreError``: `invalidDate`, as ``advance(to:deliveriesWithin:)`` does.
    @discardableResult
    public func advance(
        by interval: TimeInterval, deliveriesWithin limit: TimeInterval = 60
    ) async throws(SimulatedStoreError) -> [StoreEvent] {
        try await core.advance(within: limit) { $0 + interval }
    }

    /// Returns the date of the next event that happens without an action of a customer or the app, such as a renewal;
    /// `nil` if there is none.
    ///
    /// - Throws: ``SimulatedStoreError`` if the store's state cannot be read.
    public func nextEvent() async throws(SimulatedStoreError) -> Date? {
        try await core.read { try $0.nextDueDate().map(Date.init(milliseconds:)) }
    }

    /// Speed at which the periods of subscriptions pass: the one of ``setTimeRate(_:)``, or else that of the
    /// `.storekit` file.
    ///
    /// - Throws: ``SimulatedStoreError`` if the store's state cannot be read.
    public var timeRate: TimeRate {
        get async throws(SimulatedStoreError) { try await core.read { $0.rate } }
    }

    /// Returns the events of the store until now, in the order in which they happened.
    ///
    /// - Parameter product: Product to which the events belong; `nil` for the events of all products.
    /// - Throws: ``SimulatedStoreError``: `noSuchProduct` if the store does not know the product.
    public func timeline(of product: String? = nil) async throws(SimulatedStoreError) -> [StoreEvent] {
        let events = try await core.read { try EventRecord.events(after: 0, in: $0.database) }
            .filter { product == nil || $0.productIdentifier == product }
        if let product, events.isEmpty, core.item(product) == nil { throw Self.unknown(product) }
        return events
    }

    /// Returns the events that will happen if no customer and no app does anything, among the next thousand events of
    /// the store. The store itself does not change.
    ///
    /// - Parameters:
    ///   - count: Maximum number of events.
    ///   - product: Product to which the events belong; `nil` for the events of all products.
    ///   - end: Date after which no event is returned; `nil` for the date at which the store's certificates expire.
    /// - Throws: ``SimulatedStoreError`` if the store's state cannot be read.
    public func forecast(
        _ count: Int, of product: String? = nil, until end: Date? = nil
    ) async throws(SimulatedStoreError) -> [StoreEvent] {
        let (copy, end) = (try core.copiedIntoMemory(), end ?? core.signingIdentity.validUntil)
        return try await copy.perform { step in
            let first = try EventRecord.latest(in: step.database)
            var (latest, events) = (first, [StoreEvent]())
            while events.count < count, latest - first < Self.mostForecastEvents,
                let next = try step.nextDueDate().map(Date.init(milliseconds:)), next <= end
            {
                _ = try step.process(until: next)
                events += try EventRecord.events(after: latest, in: step.database)
                    .filter { product == nil || $0.productIdentifier == product }
                latest = try EventRecord.latest(in: step.database)
            }
            return Array(events.prefix(count))
        }
    }

    /// Number of events after which a forecast ends: at a fast rate a subscription renews millions of times before the
    /// store's certificates expire.
    private static let mostForecastEvents: Int64 = 1_000
}

extension StoreStep {
    /// Checks that the clock can be advanced to a date.
    ///
    /// - Throws: ``SimulatedStoreError`` `invalidDate` if the date is not later than that of the clock, or after the
    ///   store's certificates expire.
    fileprivate func checkAdvance(to date: Date) throws {
        guard date > self.date else {
            throw SimulatedStoreError(
                code: .invalidDate,
                reason: "the store's clock can only be advanced, and stands at \(self.date.formatted(.iso8601)) now")
        }
        guard date <= core.signingIdentity.validUntil else {
            throw SimulatedStoreError(
                code: .invalidDate,
                reason: "the store's clock cannot pass \(core.signingIdentity.validUntil.formatted(.iso8601)): "
                    + "its certificates are valid until then")
        }
    }
}

extension StoreCore {
    /// Interval, in seconds, at which the attempts to deliver notifications in another process are read.
    private static let deliveryInterval: TimeInterval = 0.02

    /// Advances the store's own clock to the date that a function returns for the present one.
    ///
    /// - Parameter limit: Maximum time in seconds for the deliveries at each date.
    fileprivate func advance(
        within limit: TimeInterval, to end: @escaping @Sendable (Date) -> Date
    ) async throws(SimulatedStoreError) -> [StoreEvent] {
        let (end, latest) = try await perform { step in
            let end = end(step.date)
            try step.checkAdvance(to: end)
            return (end, try EventRecord.latest(in: step.database))
        }
        while try delivery.isActive() {
            try await awaitDeliveries(within: limit)
            // The clock moves to the next event, even if attempts that were too slow are still due.
            let isEarlier = try await perform { step in
                let now = step.date.milliseconds
                let dates = [try step.nextDueDate(), try NotificationRecord.nextAttempt(after: now, in: step.database)]
                    .compactMap(\.self)
                guard let next = dates.min(), next < end.milliseconds else { return false }
                try step.moveClock(to: Date(milliseconds: next))
                return true
            }
            guard isEarlier else { break }
        }
        let events = try await perform { step in
            try step.moveClock(to: end)
            return try EventRecord.events(after: latest, in: step.database)
        }
        if try delivery.isActive() { try await awaitDeliveries(within: limit) }
        return events
    }

    /// Waits until no attempt to deliver a notification is due.
    private func awaitDeliveries(within limit: TimeInterval) async throws(SimulatedStoreError) {
        let end = ContinuousClock.now + .seconds(limit)
        while ContinuousClock.now < end {
            let isDue = try await read { step in
                guard step.settings.notificationURL != nil else { return false }
                return try NotificationRecord.nextAttempt(in: step.database).map { $0 <= step.date.milliseconds }
                    ?? false
            }
            guard isDue, try delivery.isActive() else { return }
            do {
                try await sleep(Self.deliveryInterval)
            } catch {
                return
            }
        }
    }

    /// Copies the store into memory. The clock of the copy stands still at the current date of the store.
    fileprivate func copiedIntoMemory() throws(SimulatedStoreError) -> StoreCore {
        let date = try now()
        return try StoreCore(
            database: StoreDatabase(copyOf: database), configuration: configuration, environment: environment,
            appIdentifier: appIdentifier, machineNow: { date },
            sleep: sleep)
    }

    /// Processes renewals and other scheduled changes when they become due, until the task is cancelled.
    func renewInTime() async {
        let clock = StoreClock(self)
        while !Task.isCancelled {
            do {
                let signals = changeSignals.stream()
                if let next = try await read({ try $0.nextDueDate() }) {
                    try await clock.sleep(until: Date(milliseconds: next))
                    _ = try await read { _ in true }
                } else {
                    for await _ in signals { break }
                }
            } catch {
                // A store that cannot be read now, or a cancelled task: the state is read again after a while.
                do { try await sleep(1) } catch { return }
            }
        }
    }
}
