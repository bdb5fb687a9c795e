public import OpenStoreKit
internal import VitrineStoreSimulator

/// Members that Apple's test session does not have: isolation, launches, a clock of its own, customers and devices.
extension SKTestSession {
    /// Lets a function, and the tasks that it creates, use this session's store alone: tests that do so run in parallel.
    /// Detached tasks use the store of the process.
    ///
    /// - Throws: What the function throws.
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

    /// Launches the app anew: the next reader of `Transaction.updates` begins with the unfinished transactions.
    public func relaunch() { forEachConnection { $0.relaunch() } }

    // MARK: Clock

    /// Date of the store.
    public var now: Date { store.clock.now }

    /// Lets the store follow a clock of its own, which stands still until ``advance(by:)`` moves it.
    ///
    /// - Parameter date: Date of the clock; `nil` for the present date of the store.
    /// - Throws: ``SKTestError``: `invalidAction` for a date before that of the store.
    public func useVirtualClock(at date: Date? = nil) throws { try call { try await $0.useVirtualClock(at: date) } }

    /// Advances the store's own clock. Renewals and other events happen at their dates.
    ///
    /// - Parameter interval: Interval in seconds.
    /// - Throws: ``SKTestError``: `invalidAction` for an interval that is not above zero, or with more than 20,000 events.
    public func advance(by interval: TimeInterval) throws { _ = try call { try await $0.advance(by: interval) } }

    /// Advances the store's own clock to its next event, such as a renewal.
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

    /// Returns another device, which is added if the store does not have it.
    ///
    /// - Parameters:
    ///   - name: Name of the device.
    ///   - customer: Name of its customer, who is added too; `nil` for the customer of this session.
    /// - Throws: ``SKTestError``: `invalidAction` for an empty name.
    public func device(_ name: String, of customer: String? = nil) throws -> SKTestDevice {
        do {
            return SKTestDevice(self, try store.device(name, of: customer))
        } catch {
            throw SKTestError(error)
        }
    }

    /// Lets the customer of this session, or the one of a device, join a family. Its members share purchases of products with
    /// Family Sharing.
    ///
    /// - Throws: ``SKTestError``: `invalidAction` if the family is full.
    public func joinFamily(_ name: String) throws { try call { try await $0.joinFamily(name) } }

    /// Ends the customer's membership in their family: what they shared is revoked.
    public func leaveFamily() throws { try call { try await $0.leaveFamily() } }
}

/// Device of a customer of a test session, on which another instance of the app runs.
public final class SKTestDevice: Sendable {
    private let session: SKTestSession
    private let store: SimulatedStore

    init(_ session: SKTestSession, _ store: SimulatedStore) { (self.session, self.store) = (session, store) }

    /// Lets a function, and the tasks that it creates, use the store as this device, as after a launch of the app.
    ///
    /// - Throws: What the function throws.
    public func run<Result>(_ body: () async throws -> Result) async throws -> Result {
        try await session.run(on: store, body)
    }

    /// Lets the customer of the device join a family: see ``SKTestSession/joinFamily(_:)``.
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
