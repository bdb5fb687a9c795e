internal import VitrinePurchasing
internal import VitrineReceipts
public import VitrineStoreSimulator

/// Choice of the simulated store that StoreKit's static API uses. Apple's StoreKit has no counterpart.
public enum OpenStore {
    /// Lets the whole process use a store, as after a launch of the app: `Transaction.updates` begins with the unfinished
    /// transactions. Sequences that are read already go on with this store.
    ///
    /// - Parameters:
    ///   - store: Store of this device.
    ///   - habits: Habits in which stores differ between systems.
    /// - Throws: `SimulatedStoreError` if the certificate of the store cannot be used.
    public static func attach(_ store: SimulatedStore, habits: StoreHabits = []) throws {
        StoreConnection.shared.attach(try AttachedStore(store, habits: habits))
    }

    /// Lets a function, and the tasks that it creates, use a store of their own. Detached tasks use the store of the
    /// process.
    ///
    /// - Parameters:
    ///   - store: Store of this device.
    ///   - habits: Habits in which stores differ between systems.
    ///   - body: Function that calls StoreKit.
    /// - Throws: What the function throws; `SimulatedStoreError` if the certificate of the store cannot be used.
    public static func with<Result>(
        _ store: SimulatedStore, habits: StoreHabits = [], perform body: () async throws -> Result
    ) async throws -> Result {
        let connection = StoreConnection()
        connection.attach(try AttachedStore(store, habits: habits))
        defer { connection.detach() }
        return try await StoreConnection.$isolated.withValue(connection, operation: body)
    }
}

extension StoreConnection {
    var canMakePayments: Bool { (try? attached?.store.isPurchasingAllowed) ?? false }
}
