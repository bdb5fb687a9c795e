public import Foundation
public import VitrineDeviceExchange
public import VitrineEntitlements
internal import VitrineFileSystem
internal import VitrineSupport

extension CatalogManager {
    /// Access to the customer's devices, which exchange recorded facts.
    public nonisolated var devices: Devices { Devices(manager: self) }

    /// Access to the customer's devices, which exchange recorded facts.
    public struct Devices: Sendable {
        let manager: CatalogManager
    }
}

/// Options of an exchange. Except for the name, they must be equal on all devices of a customer.
public struct ExchangeOptions: Sendable {
    /// Key that only the devices of the customer have, such as one from the customer's keychain or from the app's
    /// server. What other devices have published counts only if it is sealed with the key, also what the store has
    /// signed: a signature does not say for whom. `nil` if there is no key: purchases then count whoever has published
    /// them, and ``isAllowed`` is called for each fact without a signature.
    public var key: LedgerSealKey?
    /// Name of this device, for display to the customer.
    public var name = ""
    /// Policy for overdrafts: units that devices have spent independently of each other and that the wallet did not
    /// contain.
    public var overdrafts = OverdraftPolicy.forgiven
    /// Closure that returns `true` to record an entry that another device has published without a seal and that has no
    /// proof. By default, all such entries are refused. Only the exchange waits for the closure, so that it may call the
    /// manager; another exchange within it is refused as `busy`.
    public var isAllowed: @Sendable (LedgerEntry) async -> Bool = { _ in false }
    /// Function that makes the identifier of a new device: 8 to 64 lowercase letters, digits and hyphens, which no
    /// other device has.
    public var makeIdentifier: @Sendable () -> String = { UUID().uuidString.lowercased() }

    public init(key: LedgerSealKey? = nil, name: String = "") {
        self.key = key
        self.name = name
    }
}

/// Device of the customer.
public struct CustomerDevice: Sendable, Hashable, Identifiable {
    public let id: String
    public let name: String
    /// `true` for this device.
    public let isThis: Bool
    /// Date of the latest fact that the device has published, as its clock showed it; `nil` if there is none.
    public let latestFact: Date?
    /// `true` if a device of the customer has removed the device.
    public let isRemoved: Bool
    /// `true` if the customer has signed out on the device.
    public let hasLeft: Bool
    /// `true` if two copies of the device exist, such as after a backup was restored on another device.
    public let isRepeated: Bool
    /// Versions of the content that was installed on the device, by product.
    public let content: [String: String]
}

extension CatalogManager.Devices {
    /// Publishes the facts of this device, and records the facts that the customer's other devices have published.
    ///
    /// Facts are merged by their keys, so that the order, repetition and delay of exchanges do not change the result.
    /// If there are no new facts, only one request is made to the `ExchangeTransport`.
    ///
    /// - Throws: `ExchangeError`. Facts that were recorded before the error remain recorded, and the next exchange
    ///   continues.
    public func exchange(
        at transport: any ExchangeTransport, _ options: ExchangeOptions
    ) async throws(ExchangeError) -> ExchangeReport {
        try await locked { () async throws(ExchangeError) in try await exchange(transport, options).run() }
    }

    /// Exchanges totals through a key-value store that is too small for all facts, such as iCloud's.
    ///
    /// Each device has one key. Its value contains the device's totals of spent and received units in each wallet, its
    /// credits by purchase, its grants and its locks. Purchases come from the App Store. Overdrafts are always owed,
    /// regardless of the options. If the key-value store is full, the report contains this problem; no fact is lost,
    /// and the values of the other devices are read. All devices of a customer must exchange in the same way.
    ///
    /// - Throws: `ExchangeError`, as ``exchange(at:_:)`` does.
    public func exchange(
        through storage: any KeyValueStorage, _ options: ExchangeOptions
    ) async throws(ExchangeError) -> ExchangeReport {
        try await locked { () async throws(ExchangeError) in try await exchange(storage, options).run() }
    }

    /// Ends the exchange through a key-value store on this device, as ``leave(at:_:)`` does.
    ///
    /// - Throws: `ExchangeError`, as ``exchange(at:_:)`` does.
    public func leave(
        through storage: any KeyValueStorage, _ options: ExchangeOptions
    ) async throws(ExchangeError) {
        try await locked { () async throws(ExchangeError) in try await exchange(storage, options).leave() }
    }

    /// Returns all devices of the customer that this device knows, this one first; empty before the first exchange.
    ///
    /// - Throws: `ExchangeError` `storage` if the ledger cannot be read.
    public func all() async throws(ExchangeError) -> [CustomerDevice] {
        let state = try await state()
        let this = state.device.map { id in CustomerDevice(id: id, state.devices[id], name: state.name) }
        let others = state.devices
            .filter { $0.key != state.device && !ServerDeviceIdentifier.contains($0.key) }
            .filter { $0.value.isRepeated || !state.formerDevices.contains($0.key) }
            .map { CustomerDevice(id: $0.key, $0.value, name: nil) }
        return (this.map { [$0] } ?? []) + others.sorted { ($0.name, $0.id) < ($1.name, $1.id) }
    }

    /// Removes a device: the other devices no longer list it, and it no longer exchanges. Facts of the device remain
    /// recorded. A device that has the key can still write to the `ExchangeTransport`: use another key to exclude it.
    ///
    /// - Throws: `ExchangeError` `invalid` for a device that is not known, `storage` if the ledger cannot be written.
    public func remove(_ id: String) async throws(ExchangeError) {
        try await locked { () async throws(ExchangeError) in
            var state = try await state()
            guard state.customer != nil else {
                throw ExchangeError(
                    code: .invalid, reason: "without a key no device can be removed, because anybody could remove it")
            }
            guard state.devices[id] != nil, id != state.device else {
                throw ExchangeError(code: .invalid, reason: "the customer has no other device \"\(id)\"")
            }
            state.devices[id]?.isRemoved = true
            state.removing.append(id)
            try await state.store(in: manager.entitlements.ledger)
        }
    }

    /// Ends the exchange on this device, because the customer signs out: publishes the remaining facts, and marks the
    /// device as signed out. The customer's facts remain recorded on this device; the next customer needs another
    /// storage directory.
    ///
    /// - Throws: `ExchangeError`, as ``exchange(at:_:)`` does. If the `ExchangeTransport` cannot be reached, the exchange
    ///   has not ended.
    public func leave(at transport: any ExchangeTransport, _ options: ExchangeOptions) async throws(ExchangeError) {
        try await leave(at: transport, options, joining: false)
    }

    /// Ends the exchange on this device, as ``leave(at:_:)`` does.
    ///
    /// - Parameter joining: `true` for a device that may not have exchanged yet, and publishes its facts first.
    func leave(
        at transport: any ExchangeTransport, _ options: ExchangeOptions, joining: Bool
    ) async throws(ExchangeError) {
        try await locked { () async throws(ExchangeError) in
            try await exchange(transport, options).leave(joining: joining)
        }
    }

    /// Starts the exchange again, with another key or after this device was removed: the next exchange publishes all
    /// facts of this device, as a new device. The customer must be the same, because another customer needs another
    /// storage directory. A device that has exchanged totals continues to do so, because totals and single facts
    /// together would count twice.
    ///
    /// - Throws: `ExchangeError` `storage` if the ledger cannot be read or written.
    public func startOver() async throws(ExchangeError) {
        try await locked { () async throws(ExchangeError) in
            var state = try await state()
            state.startOver()
            try await state.store(in: manager.entitlements.ledger)
        }
    }

    /// Returns the content of owned products that is installed on another device and not on this one. Nothing is
    /// downloaded until the app requests it.
    ///
    /// - Throws: `ExchangeError` `storage` if the ledger cannot be read.
    public func offeredContent() async throws(ExchangeError) -> [OfferedContent] {
        let state = try await state()
        var offered: [String: OfferedContent] = [:]
        for (id, device) in state.devices where !device.isRemoved && !device.hasLeft && id != state.device {
            for (product, version) in device.content where manager.ownership(of: product).isOwned {
                offered[product, default: OfferedContent(product: product, version: version, devices: [])].devices
                    .append(id)
            }
        }
        return offered.values.filter { !isInstalled($0.product) }
            .map { OfferedContent(product: $0.product, version: $0.version, devices: $0.devices.sorted()) }
            .sorted { $0.product < $1.product }
    }

    private func isInstalled(_ product: String) -> Bool {
        do {
            _ = try manager.content.url(for: product)
            return true
        } catch {
            return error.code != .notInstalled
        }
    }

    // MARK: State

    func exchange(_ transport: any ExchangeTransport, _ options: ExchangeOptions) -> DeviceExchange {
        DeviceExchange(
            entitlements: manager.entitlements, transport: transport, key: options.key, name: options.name,
            policy: options.overdrafts, proof: ManagerExchangeProof(manager: manager, isAllowed: options.isAllowed),
            now: manager.now, makeIdentifier: options.makeIdentifier)
    }

    private func exchange(_ storage: any KeyValueStorage, _ options: ExchangeOptions) -> KeyValueExchange {
        KeyValueExchange(
            entitlements: manager.entitlements, storage: storage, key: options.key, name: options.name,
            isAllowed: options.isAllowed, now: manager.now, makeIdentifier: options.makeIdentifier)
    }

    private func state() async throws(ExchangeError) -> ExchangeState {
        try await ExchangeState.read(from: manager.entitlements.ledger)
    }

    /// Calls a function while the storage directory is locked, so that no other process exchanges at the same time.
    func locked<Value>(_ body: () async throws(ExchangeError) -> Value) async throws(ExchangeError) -> Value {
        let lock: FolderLock?
        do {
            lock = try manager.exchangeLock()
        } catch {
            throw ExchangeError(code: .storage, reason: BoundedFile.reason(for: error))
        }
        guard let lock else {
            throw ExchangeError(
                code: .busy,
                reason: "the storage directory is exchanging in another task or process; try again when that has ended")
        }
        defer { withExtendedLifetime(lock) {} }
        return try await body()
    }
}

/// Content that another device of the customer has installed.
public struct OfferedContent: Sendable, Hashable {
    public var product: String
    /// Version of the content on the other device.
    public var version: String
    /// Identifiers of the devices that have installed the content.
    public var devices: [String]
}

extension CustomerDevice {
    /// Creates the description of a device from the state of the exchange.
    ///
    /// - Parameter name: Name of this device; `nil` for another device.
    fileprivate init(id: String, _ device: ExchangeState.Device?, name: String?) {
        let device = device ?? ExchangeState.Device()
        self.id = id
        isThis = name != nil
        self.name = name ?? device.name
        latestFact = device.latestMoment == 0 ? nil : Date(milliseconds: device.latestMoment)
        (isRemoved, hasLeft, isRepeated) = (device.isRemoved, device.hasLeft, device.isRepeated)
        content = device.content
    }
}
