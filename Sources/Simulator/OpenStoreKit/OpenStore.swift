public import VitrineStoreSimulator

/// Selection of the simulated store that StoreKit's static API uses. Apple's StoreKit has no counterpart.
public enum OpenStore {
    /// Attaches a store to the whole process, as at a launch of the app: `Transaction.updates` begins with the
    /// unfinished transactions. Sequences that the app already reads continue with this store.
    ///
    /// - Parameters:
    ///   - store: Store of this device.
    ///   - quirks: Behaviors of StoreKit that differ between systems.
    /// - Throws: `SimulatedStoreError` if the certificate of the store cannot be used.
    public static func attach(_ store: SimulatedStore, quirks: StoreQuirks = []) throws {
        StoreConnection.shared.attach(try AttachedStore(store, quirks: quirks))
    }

    /// Calls a function with a store of its own. Tasks that the function creates use this store too; detached tasks use
    /// the store of the process.
    ///
    /// - Parameters:
    ///   - store: Store of this device.
    ///   - quirks: Behaviors of StoreKit that differ between systems.
    ///   - body: Function that calls StoreKit.
    /// - Throws: The error of `body`; `SimulatedStoreError` if the certificate of the store cannot be used.
    public static func with<Result>(
        _ store: SimulatedStore, quirks: StoreQuirks = [], perform body: () async throws -> Result
    ) async throws -> Result {
        let connection = StoreConnection()
        connection.attach(try AttachedStore(store, quirks: quirks))
        defer { connection.detach() }
        return try await StoreConnection.$isolated.withValue(connection, operation: body)
    }
}

extension StoreConnection {
    var canMakePayments: Bool { (try? attached?.store.isPurchasingAllowed) ?? false }
}
