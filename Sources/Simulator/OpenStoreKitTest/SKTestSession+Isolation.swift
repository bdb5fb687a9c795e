public import OpenStoreKit
internal import VitrineStoreSimulator

/// Members without a counterpart in Apple's test session: isolation, launches, a virtual clock, customers and devices.
extension SKTestSession {
    /// Calls a function that uses only this session's store, so that such tests can run in parallel. Tasks that the
    /// function creates use this store too; detached tasks use the store of the process.
    ///
    /// - Throws: The error of the function.
    public func run<Result>(_ body: () async throws -> Result) async throws -> Result {
        try await run(on: store, body)
    }

    func run<Result>(on store: SimulatedStore, _ body: () async throws -> Result) async throws -> Result {
        let connection = StoreConnection()
        connection.attach(try attachment(of: store))
        add(connection)
        applyFailures(to: connection)
        defer {
            remove(connection)
            connection.detach()
        }
        return try await StoreConnection.$isolated.withValue(connection, operation: body)
    }

    /// Simulates a launch of the app: the next reader of `Transaction.updates` begins with the unfinished transactions.
    public func relaunch() { forEachConnection { $0.relaunch() } }

    // MARK: Clock

    /// Current date of the store's clock.
    public var now: Date { store.clock.now }

    /// Gives the store a virtual clock, which stands still until ``advance(by:)`` moves it.
    ///
    /// - Parameter date: Date of the clock; `nil` for the store's current date.
    /// - Throws: ``SKTestError``: `invalidAction` for a date before the store's current date.
    public func useVirtualClock(at date: Date? = nil) throws { try call { try await $0.useVirtualClock(at: date) } }

    /// Advances the store's virtual clock. Renewals and other events happen at their dates.
    ///
    /// - Parameter interval: Interval in seconds.
    /// - Throws: ``SKTestError``: `invalidAction` if the interval is not positive or contains more than 20,000 events.
    public func advance(by interval: TimeInterval) throws { _ = try call { try await $0.advance(by: interval) } }

    /// Advances the store's virtual clock to its next event, such as a renewal.
    ///
    /// - Returns: `false` if there is no next event.
    /// - Throws: ``SKTestError`` if the store's clock cannot be advanced.
    @discardableResult
    public func advanceToNextEvent() throws -> Bool {
        try call { store in
            guard let date = try await store.nextEvent() else { return false }
            try await store.advance(to: date)
            return true
        }
    }

    // MARK: Customers and devices

    /// Returns another device of the store; a new device is created if necessary.
    ///
    /// - Parameters:
    ///   - name: Name of the device.
    ///   - customer: Name of the device's customer, who is created if necessary; `nil` for the customer of this
    ///     session.
    /// - Throws: ``SKTestError``: `invalidAction` for an empty name.
    public func device(_ name: String, of customer: String? = nil) throws -> SKTestDevice {
        do {
            return SKTestDevice(self, try store.device(name, of: customer))
        } catch {
            throw SKTestError(error)
        }
    }

    /// Adds the customer of this session to a family. Its members share purchases of products with Family Sharing.
    ///
    /// - Throws: ``SKTestError``: `invalidAction` if the family is full.
    public func joinFamily(_ name: String) throws { try call { try await $0.joinFamily(name) } }

    /// Ends the customer's membership in their family. Shared purchases are revoked for the customer and for the other
    /// members.
    public func leaveFamily() throws { try call { try await $0.leaveFamily() } }
}

/// Device of a customer in a test session, which runs another instance of the app.
public final class SKTestDevice: Sendable {
    private let session: SKTestSession
    private let store: SimulatedStore

    init(_ session: SKTestSession, _ store: SimulatedStore) { (self.session, self.store) = (session, store) }

    /// Calls a function that uses the store as this device, as after a launch of the app. Tasks that the function
    /// creates use the store as this device too.
    ///
    /// - Throws: The error of the function.
    public func run<Result>(_ body: () async throws -> Result) async throws -> Result {
        try await session.run(on: store, body)
    }

    /// Adds the customer of the device to a family: see ``SKTestSession/joinFamily(_:)``.
    ///
    /// - Throws: ``SKTestError``: `invalidAction` if the family is full.
    public func joinFamily(_ name: String) throws {
        let store = store
        try session.call { _ in try await store.joinFamily(name) }
    }

    /// Ends the customer's membership in their family.
    public func leaveFamily() throws {
        let store = store
        try session.call { _ in try await store.leaveFamily() }
    }
}
