public import Foundation
internal import GRDB
internal import VitrineCatalog
internal import VitrineReceipts
public import VitrineSupport

/// Clock of the store, and the events that happen as time passes.
extension SimulatedStore {
    /// Gives the store a virtual clock, which stands still until it is advanced.
    ///
    /// - Parameter date: Date of the clock; `nil` for the store's current date.
    /// - Throws: ``SimulatedStoreError``: `invalidDate` for a date before the store's current date, or after the
    ///   store's certificates expire.
    public func useVirtualClock(at date: Date? = nil) async throws(SimulatedStoreError) {
        try await core.perform { scope in
            if let date, date != scope.date { try scope.checkAdvance(to: date) }
            try scope.moveClock(to: date ?? scope.date)
        }
    }

    /// Lets the store follow the machine's clock again. Renewals and other events that are in the future of this clock
    /// happen when it reaches their dates.
    ///
    /// - Throws: ``SimulatedStoreError`` if the store's state cannot be written.
    public func useMachineClock() async throws(SimulatedStoreError) {
        try await changeSettings(.machineClock) { $0.clock = nil }
    }

    /// `true` if the store has a virtual clock.
    ///
    /// - Throws: ``SimulatedStoreError`` if the store's state cannot be read.
    public var hasVirtualClock: Bool {
        get async throws(SimulatedStoreError) { try await core.database.settings().clock != nil }
    }

    /// Advances the store's virtual clock. A store that followed the machine's clock has a virtual clock from now on.
    /// Events that become due, such as renewals, happen in the order of their dates, and the store signs their
    /// transactions with these dates. All changes are stored in one database transaction: if the process ends before,
    /// nothing has changed.
    ///
    /// While a server delivers the notifications of this store, the clock stops at each event, and continues when the
    /// attempts to deliver the event's notifications have ended. If the process ends in between, the clock remains at
    /// that event.
    ///
    /// - Parameters:
    ///   - date: The date to which the clock is advanced.
    ///   - limit: Maximum time in seconds, by the machine's clock, to wait for the deliveries at each date.
    /// - Returns: The events that happened, in order.
    /// - Throws: ``SimulatedStoreError``: `invalidDate` if the date is not later than the store's current date, if the
    ///   store's certificates expire before it, or if more than 20,000 events are due by the date.
    @discardableResult
    public func advance(
        to date: Date, deliveriesWithin limit: TimeInterval = 60
    ) async throws(SimulatedStoreError) -> [StoreEvent] {
        try await core.advance(within: limit) { _ in date }
    }

    /// Advances the store's virtual clock by an interval in seconds: see ``advance(to:deliveriesWithin:)``.
    ///
    /// - Throws: ``SimulatedStoreError``: `invalidDate`, as ``advance(to:deliveriesWithin:)`` does.
    @discardableResult
    public func advance(
        by interval: TimeInterval, deliveriesWithin limit: TimeInterval = 60
    ) async throws(SimulatedStoreError) -> [StoreEvent] {
        try await core.advance(within: limit) { $0 + interval }
    }

    /// Returns the date of the next scheduled event, such as a renewal, which happens without an action of a customer
    /// or the app; `nil` if there is none.
    ///
    /// - Throws: ``SimulatedStoreError`` if the store's state cannot be read.
    public func nextEvent() async throws(SimulatedStoreError) -> Date? {
        try await core.read { try $0.nextDueDate().map(Date.init(milliseconds:)) }
    }

    /// Rate at which the periods of subscriptions pass, as set by ``setTimeRate(_:)`` or else by the `.storekit` file.
    ///
    /// - Throws: ``SimulatedStoreError`` if the store's state cannot be read.
    public var timeRate: TimeRate {
        get async throws(SimulatedStoreError) { try await core.read { $0.rate } }
    }

    /// Returns the past events of the store, in the order in which they happened.
    ///
    /// - Parameter product: Product to which the events belong; `nil` for the events of all products.
    /// - Throws: ``SimulatedStoreError``: `noSuchProduct` if the store does not know the product.
    public func timeline(of product: String? = nil) async throws(SimulatedStoreError) -> [StoreEvent] {
        let events = try await core.read { try EventRecord.events(after: 0, in: $0.database) }
            .filter { product == nil || $0.productIdentifier == product }
        if let product, events.isEmpty, core.item(product) == nil { throw unknown(product) }
        return events
    }

    /// Returns the events that will happen without further actions of customers and apps, among the next thousand
    /// events of the store. The store itself does not change.
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
        return try await copy.perform { scope in
            let first = try EventRecord.latest(in: scope.database)
            var (latest, events) = (first, [StoreEvent]())
            while events.count < count, latest - first < Self.mostForecastEvents,
                let next = try scope.nextDueDate().map(Date.init(milliseconds:)), next <= end
            {
                _ = try scope.process(until: next)
                events += try EventRecord.events(after: latest, in: scope.database)
                    .filter { product == nil || $0.productIdentifier == product }
                latest = try EventRecord.latest(in: scope.database)
            }
            return Array(events.prefix(count))
        }
    }

    /// Number of events after which a forecast ends, because at a fast rate a subscription renews millions of times
    /// before the store's certificates expire.
    private static let mostForecastEvents: Int64 = 1_000
}

extension StoreTransactionScope {
    /// Checks that the clock can be advanced to a date.
    ///
    /// - Throws: ``SimulatedStoreError`` `invalidDate` if the date is not later than the clock's, or after the store's
    ///   certificates expire.
    fileprivate func checkAdvance(to date: Date) throws {
        guard date > self.date else {
            throw SimulatedStoreError(
                code: .invalidDate,
                reason: "the store's clock can only be advanced, and stands at \(self.date.second) now")
        }
        guard date <= core.signingIdentity.validUntil else {
            throw SimulatedStoreError(
                code: .invalidDate,
                reason: "the store's clock cannot pass \(core.signingIdentity.validUntil.second): "
                    + "its certificates are valid until then")
        }
    }
}

extension StoreCore {
    /// Interval in seconds between two checks whether another process has made its delivery attempts.
    private static let deliveryInterval: TimeInterval = 0.02

    /// Advances the store's virtual clock to the date that a function computes from the current date.
    ///
    /// - Parameter limit: Maximum time in seconds to wait for the deliveries at each date.
    fileprivate func advance(
        within limit: TimeInterval, to end: @escaping @Sendable (Date) -> Date
    ) async throws(SimulatedStoreError) -> [StoreEvent] {
        let (end, latest) = try await perform { scope in
            let end = end(scope.date)
            try scope.checkAdvance(to: end)
            return (end, try EventRecord.latest(in: scope.database))
        }
        while try delivery.isActive() {
            try await awaitDeliveries(within: limit)
            // The clock moves to the next event even if slow delivery attempts are still due.
            let isEarlier = try await perform { scope in
                let now = scope.date.milliseconds
                let dates = [
                    try scope.nextDueDate(), try NotificationRecord.nextAttempt(after: now, in: scope.database),
                ]
                .compactMap(\.self)
                guard let next = dates.min(), next < end.milliseconds else { return false }
                try scope.moveClock(to: Date(milliseconds: next))
                return true
            }
            guard isEarlier else { break }
        }
        let events = try await perform { scope in
            try scope.moveClock(to: end)
            return try EventRecord.events(after: latest, in: scope.database)
        }
        if try delivery.isActive() { try await awaitDeliveries(within: limit) }
        return events
    }

    /// Waits until no delivery attempt is due, or the time limit in seconds has passed.
    private func awaitDeliveries(within limit: TimeInterval) async throws(SimulatedStoreError) {
        let end = ContinuousClock.now + .seconds(limit)
        while ContinuousClock.now < end {
            let isDue = try await read { scope in
                guard scope.settings.notificationURL != nil else { return false }
                return try NotificationRecord.nextAttempt(in: scope.database).map { $0 <= scope.date.milliseconds }
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

    /// Processes renewals and other scheduled changes when they become due, until the task is canceled.
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
                // The store cannot be read, or the task was canceled: the state is read again after a second.
                do { try await sleep(1) } catch { return }
            }
        }
    }
}
