public import OpenStoreKit
internal import VitrineCatalog
internal import VitrineReceipts
internal import VitrineStoreSimulator
internal import VitrineSupport

/// Simulated store for tests. StoreKit's static API uses the store from the creation of the session on.
///
/// A session is attached to the whole process, like Apple's, unless it is created in a test with the trait
/// `isolatedStoreKit`. A new session replaces the previous one. If both have the same configuration, the new session
/// continues with the purchases of the previous one; call ``clearTransactions()`` to begin without them.
///
/// The store is in memory and ends with the process.
@available(iOS 14.0, macOS 11.0, tvOS 14.0, watchOS 7.0, visionOS 1.0, *)
public final class SKTestSession: NSObject, Sendable {
    private struct State {
        var store: SimulatedStore
        /// Connections over which tasks use the store.
        var connections: [StoreConnection]
        var areDialogsDisabled = false
        var answer: @Sendable (SKTestDialog) async -> Bool = { _ in true }
        var failures: [ObjectIdentifier: any SKTestFailure] = [:]
        var errors = SimulatedErrors()
        var failsTransactions = false
        var failureError = SKError.Code.unknown
    }

    private let session: SessionIdentity
    private let state: Locked<State>

    /// Creates a session with a configuration of the test bundle.
    ///
    /// - Parameter name: Name of the file without its extension `storekit`: a resource of the test target, or a file
    ///   next to the built tests.
    /// - Throws: ``SKTestError``: `fileNotFound`; `invalidURL` for a file that is not a StoreKit configuration.
    public convenience init(configurationFileNamed name: String) throws {
        try self.init(configurationFileNamed: name, options: SKTestOptions())
    }

    /// Creates a session with a configuration file.
    ///
    /// - Throws: ``SKTestError``: `invalidURL` unless the file's extension is `storekit` and it is a StoreKit
    ///   configuration; `fileNotFound`.
    public convenience init(contentsOf fileURL: URL) throws {
        try self.init(contentsOf: fileURL, options: SKTestOptions())
    }

    /// Creates a session with a configuration of the test bundle: see ``init(configurationFileNamed:)``.
    ///
    /// - Throws: ``SKTestError``, as ``init(configurationFileNamed:)`` does.
    public convenience init(configurationFileNamed name: String, options: SKTestOptions) throws {
        guard let file = ConfigurationFiles.file(named: name) else { throw SKTestError(.fileNotFound) }
        try self.init(contentsOf: file, options: options)
    }

    /// Creates a session with a configuration file: see ``init(contentsOf:)``.
    ///
    /// - Throws: ``SKTestError``, as ``init(contentsOf:)`` does.
    public init(contentsOf fileURL: URL, options: SKTestOptions) throws {
        guard fileURL.pathExtension == "storekit" else { throw SKTestError(.invalidURL) }
        guard let configuration = try? Data(contentsOf: fileURL) else { throw SKTestError(.fileNotFound) }
        let connection = StoreConnection.current
        let store: SimulatedStore
        let session = SessionIdentity(configuration: configuration, options: options)
        if let running = connection.attached, running.session as? SessionIdentity == session {
            store = running.store
        } else {
            do {
                store = try Self.makeStore(configuration, options)
            } catch let error as SimulatedStoreError {
                throw SKTestError(error)
            }
        }
        self.session = session
        state = Locked(State(store: store, connections: [connection]))
        super.init()
        try attach(to: connection)
    }

    private static func makeStore(_ configuration: Data, _ options: SKTestOptions) throws -> SimulatedStore {
        let store = try SimulatedStore.inMemory(
            configuration: configuration, bundleIdentifier: options.bundleIdentifier, environment: .xcode,
            now: { options.startDate ?? Date() }, seed: options.seed ?? .random(in: .min ... .max))
        try WaitingExecutor.wait {
            if options.startDate != nil { try await store.useVirtualClock() }
            try await store.setOriginalPurchase(
                OriginalPurchase(version: options.originalAppVersion, date: store.clock.now, platform: .iOS))
        }
        return store
    }

    // MARK: Connections

    var store: SimulatedStore { state.withLock { $0.store } }

    /// Attaches the store to a connection, as happens at a launch of the app.
    func attach(to connection: StoreConnection) throws { connection.attach(try attachment(of: store)) }

    func attachment(of store: SimulatedStore) throws -> AttachedStore {
        let options = session.options
        return try AttachedStore(
            store, quirks: options.quirks, listsFinishedConsumables: options.includesConsumableHistory, of: session
        ) { [weak self] dialog in
            await self?.confirms(dialog) ?? true
        }
    }

    private func confirms(_ dialog: PurchaseDialog) async -> Bool {
        let answer = state.withLock { $0.areDialogsDisabled ? nil : $0.answer }
        return await answer?(SKTestDialog(dialog)) ?? true
    }

    var connections: [StoreConnection] { state.withLock { $0.connections } }

    /// Connection over which the calling task uses this session's store; the session's first connection in other tasks.
    var connection: StoreConnection {
        let (current, all) = (StoreConnection.current, connections)
        return all.first { $0 === current } ?? all.first ?? current
    }

    func add(_ connection: StoreConnection) { state.withLock { $0.connections.append(connection) } }

    func remove(_ connection: StoreConnection) {
        state.withLock { state in state.connections.removeAll { $0 === connection } }
    }

    func forEachConnection(_ body: (StoreConnection) -> Void) {
        for connection in connections { body(connection) }
    }

    /// Calls the store and waits for the result.
    ///
    /// - Throws: ``SKTestError``.
    func call<Value: Sendable>(_ body: @escaping @Sendable (SimulatedStore) async throws -> Value) throws -> Value {
        let store = store
        do {
            return try WaitingExecutor.wait { try await body(store) }
        } catch let error as SimulatedStoreError {
            throw SKTestError(error)
        }
    }

    /// Calls the store in a method that, like Apple's, cannot throw. Errors are not expected, because the store is in
    /// memory.
    func mustCall<Value: Sendable>(_ body: @escaping @Sendable (SimulatedStore) async throws -> Value) -> Value {
        let store = store
        do {
            return try WaitingExecutor.wait { try await body(store) }
        } catch {
            preconditionFailure("the simulated store of a test session failed: \(error)")
        }
    }

    // MARK: State

    /// Resets all settings to those of the configuration, and removes all simulated failures. Purchases remain.
    public func resetToDefaultState() {
        mustCall { try await $0.resetSettings() }
        if store.hasLanguageOfItsOwn { setLanguage(nil) }
        state.withLock { state in
            (state.areDialogsDisabled, state.answer, state.failures) = (false, { _ in true }, [:])
            (state.failsTransactions, state.failureError) = (false, .unknown)
        }
        change { $0 = SimulatedErrors() }
    }

    /// Deletes all purchases of all customers.
    public func clearTransactions() {
        mustCall { try await $0.deleteAll() }
        forEachConnection { $0.relaunch() }
    }

    /// Indicates that the store's dialogs are confirmed automatically. Otherwise the closure of ``answerDialogs(_:)``
    /// decides; without such a closure, dialogs are confirmed too.
    public var disableDialogs: Bool {
        get { state.withLock { $0.areDialogsDisabled } }
        set { state.withLock { $0.areDialogsDisabled = newValue } }
    }

    /// Sets the closure that answers the store's dialogs. Apple's test session has no counterpart.
    ///
    /// - Parameter answer: Closure that returns `false` to cancel a dialog.
    public func answerDialogs(_ answer: @escaping @Sendable (SKTestDialog) async -> Bool) {
        state.withLock { $0.answer = answer }
    }

    /// Country of the storefront as an ISO 3166-1 alpha-3 code. Setting an invalid code has no effect.
    public var storefront: String {
        get { mustCall { try await $0.storefront() ?? "" } }
        set { _ = try? call { try await $0.setStorefront(newValue) } }
    }

    /// Locale of the customer, which determines the names of products and the format of prices.
    public var locale: Locale {
        get { Locale(identifier: store.localeIdentifier) }
        set { setLanguage(newValue.identifier) }
    }

    /// - Parameter language: Identifier of a locale; `nil` for the configuration's.
    private func setLanguage(_ language: String?) {
        do {
            let store = try store.speaking(language)
            let attachment = try attachment(of: store)
            state.withLock { $0.store = store }
            forEachConnection { $0.replace(attachment) }
        } catch {
            preconditionFailure("the simulated store of a test session failed: \(error)")
        }
    }

    // MARK: Failures

    /// Indicates that purchases fail with ``failureError``.
    @available(iOS, introduced: 14.0, deprecated: 17.0, message: "Use setSimulatedError(_:forAPI:).")
    @available(macOS, introduced: 11.0, deprecated: 14.0, message: "Use setSimulatedError(_:forAPI:).")
    public var failTransactionsEnabled: Bool {
        get { state.withLock { $0.failsTransactions } }
        set {
            state.withLock { $0.failsTransactions = newValue }
            applyLegacyFailure()
        }
    }

    @available(iOS, introduced: 14.0, deprecated: 17.0, message: "Use setSimulatedError(_:forAPI:).")
    @available(macOS, introduced: 11.0, deprecated: 14.0, message: "Use setSimulatedError(_:forAPI:).")
    public var failureError: SKError.Code {
        get { state.withLock { $0.failureError } }
        set {
            state.withLock { $0.failureError = newValue }
            applyLegacyFailure()
        }
    }

    private func applyLegacyFailure() {
        let (fails, code) = state.withLock { ($0.failsTransactions, $0.failureError) }
        let error: (any Error)? = fails ? code.purchaseError : nil
        change { $0.purchase = error }
    }

    private func change(_ change: @Sendable (inout SimulatedErrors) -> Void) {
        state.withLock { change(&$0.errors) }
        forEachConnection { $0.setErrors(change) }
    }

    /// Sets the errors of this session on a connection.
    func applyFailures(to connection: StoreConnection) {
        let errors = state.withLock { $0.errors }
        connection.setErrors { $0 = errors }
    }

    /// Makes a StoreKit call fail until its error is set to `nil`.
    @available(iOS 17.0, macOS 14.0, tvOS 17.0, watchOS 10.0, visionOS 1.0, *)
    public func setSimulatedError<API>(_ error: API.Failure?, forAPI api: API) async throws
    where API: FailableStoreKitAPI {
        state.withLock { $0.failures[ObjectIdentifier(API.self)] = error }
        let errors = SimulatedErrorChange(error)
        change { errors.apply(to: &$0, of: API.self) }
    }

    /// Returns the simulated error of a StoreKit call; `nil` if none is set.
    @available(iOS 17.0, macOS 14.0, tvOS 17.0, watchOS 10.0, visionOS 1.0, *)
    public func simulatedError<API>(forAPI api: API) async -> API.Failure? where API: FailableStoreKitAPI {
        state.withLock { $0.failures[ObjectIdentifier(API.self)] } as? API.Failure
    }
}

/// Dialog of a test session that asks the customer for a confirmation.
public enum SKTestDialog: Sendable, Hashable {
    case purchase(productID: String)
    /// Request for the customer's password by `AppStore.sync()` or `AppTransaction.refresh()`.
    case signIn
}

extension SKTestDialog {
    init(_ dialog: PurchaseDialog) {
        switch dialog {
        case .purchase(let product): self = .purchase(productID: product)
        case .signIn: self = .signIn
        }
    }
}

/// Options of a test session that have no counterpart in Apple's StoreKitTest.
public struct SKTestOptions: Sendable, Hashable {
    /// Bundle identifier of the app in signed transactions.
    public var bundleIdentifier: String
    /// Version of the app that the customer first installed.
    public var originalAppVersion = "1.0"
    /// Seed of the transaction numbers; `nil` for a random seed.
    public var seed: UInt64?
    /// Start date of the store's virtual clock, which stands still until it is advanced; `nil` for the clock of the
    /// machine.
    public var startDate: Date?
    /// Behaviors of StoreKit that differ between systems.
    public var quirks: StoreQuirks = []
    /// `true` to list finished consumables, as with the Info.plist key `SKIncludeConsumableInAppPurchaseHistory`.
    public var includesConsumableHistory = false

    public init(bundleIdentifier: String = Bundle.main.bundleIdentifier ?? "com.example.app") {
        self.bundleIdentifier = bundleIdentifier
    }
}

/// Identity of a test session. Sessions with the same identity share their purchases.
struct SessionIdentity: Sendable, Hashable {
    let configuration: Data
    let options: SKTestOptions
}

extension SKError.Code {
    /// Error of StoreKit 2 that corresponds to this code of the original StoreKit API.
    fileprivate var purchaseError: any Error {
        switch self {
        case .invalidOfferIdentifier: Product.PurchaseError.invalidOfferIdentifier
        case .invalidSignature: Product.PurchaseError.invalidOfferSignature
        case .missingOfferParams: Product.PurchaseError.missingOfferParameters
        case .invalidOfferPrice: Product.PurchaseError.invalidOfferPrice
        case .paymentNotAllowed: Product.PurchaseError.purchaseNotAllowed
        case .paymentInvalid: Product.PurchaseError.invalidQuantity
        case .storeProductNotAvailable: Product.PurchaseError.productUnavailable
        case .paymentCancelled: StoreKitError.userCancelled
        case .unknown, .clientInvalid: StoreKitError.unknown
        }
    }
}
