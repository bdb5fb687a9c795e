public import Foundation
public import VitrineDeviceExchange
internal import VitrineEntitlements
internal import VitrinePurchasing
internal import VitrineSupport

extension CatalogManager {
    /// The app's own server, which ``ManagerOptions/server`` names.
    public nonisolated var server: Server { Server(manager: self) }

    /// The app's own server: the device enrolls there, reports what the store has signed, and exchanges with the
    /// customer's other devices. A server that cannot be reached changes nothing of what the customer owns on this
    /// device.
    public struct Server: Sendable {
        let manager: CatalogManager
    }
}

extension CatalogManager.Server {
    /// Session at the server.
    ///
    /// - Throws: ``AppServerError`` `invalidRequest` if the options name no server.
    var session: ServerSession {
        get throws(AppServerError) {
            guard let options = manager.options.server else { throw .noServer }
            return ServerSession(
                client: ServerClient(options: options, now: manager.now),
                storage: manager.home.credentialStorage(ofApp: options.app),
                appTransaction: { [manager] in await manager.signedAppTransaction() })
        }
    }

    /// Identifier of the customer at the server, which identifies one of the app's accounts to the store
    /// (`PurchaseOptions.accountToken`); `nil` before the device has enrolled. Purchases have it by default:
    /// ``ManagerOptions/Server/namesCustomer``.
    ///
    /// - Throws: ``AppServerError`` if the credentials of the device cannot be read.
    public var customer: UUID? {
        get throws(AppServerError) { try session.enrollment()?.customer }
    }

    // MARK: Enrolling

    /// Enrolls the device at the server with its own key, which is made once, and the store's signed app transaction. A
    /// device that has enrolled enrolls again: the server may then merge two customers who are one.
    ///
    /// - Parameter accountToken: Token of the app's own login, which the server verifies; `nil` if the customer is not
    ///   logged in.
    /// - Throws: ``AppServerError``: `forbidden` if the customer has an account, and no token of it was given.
    public func enroll(accountToken: String? = nil) async throws(AppServerError) {
        try await session.enroll(accountToken: accountToken)
    }

    /// Links the customer with an account of the app's own login, so that all devices that are logged in are those of
    /// one customer. A customer without an account becomes the one of the account. If the device was linked with
    /// another account, the next customer needs another storage directory.
    ///
    /// - Throws: ``AppServerError``.
    public func link(accountToken: String) async throws(AppServerError) {
        try await session.link(accountToken: accountToken)
    }

    /// Ends the link with an account. What the customer owns stays recorded in the storage directory; the next customer
    /// needs another one.
    ///
    /// - Throws: ``AppServerError``.
    public func unlink() async throws(AppServerError) { try await session.unlink() }

    /// Signs the customer out on this device: publishes what it has recorded, and ends its enrollment. The next
    /// customer needs another storage directory.
    ///
    /// - Throws: ``ExchangeError``. If the server cannot be reached, the device has not left.
    public func leave(_ options: ExchangeOptions = ExchangeOptions()) async throws(ExchangeError) {
        try await exchanging(options) { (place, options) async throws(ExchangeError) in
            try await manager.devices.leave(at: place, options)
        }
        do throws(AppServerError) {
            try await session.leave()
        } catch {
            throw ExchangeError(error)
        }
    }

    /// Forgets the key of the device and begins the exchange again: the next exchange enrolls a new device, which
    /// publishes all that this one has recorded. Only for the same customer.
    ///
    /// - Throws: ``ExchangeError`` `storage`.
    public func startOver() async throws(ExchangeError) {
        try await manager.devices.startOver()
        do throws(AppServerError) {
            try session.storage.remove()
        } catch {
            throw ExchangeError(error)
        }
    }

    // MARK: Exchanging

    /// Exchanges what this device has recorded with the server and the customer's other devices, as
    /// ``CatalogManager/Devices/exchange(at:_:)`` does. A device that has not enrolled enrolls first. If the server has
    /// merged the customer with another one, who is the same, the exchange starts over by itself.
    ///
    /// - Parameter options: Options of the exchange. The key is that of the server.
    /// - Throws: ``ExchangeError``: `place` if the server cannot be reached, or refuses.
    public func exchange(
        _ options: ExchangeOptions = ExchangeOptions()
    ) async throws(ExchangeError) -> ExchangeReport {
        try await exchanging(options) { (place, options) async throws(ExchangeError) in
            try await manager.devices.exchange(at: place, options)
        }
    }

    /// Sets units of a wallet aside for this device, as ``CatalogManager/Devices/lease(_:of:token:until:at:_:)`` does.
    ///
    /// - Throws: ``ExchangeError``.
    public func lease(
        _ amount: Int, of wallet: String, token: String, until date: Date,
        _ options: ExchangeOptions = ExchangeOptions()
    ) async throws(ExchangeError) {
        try await exchanging(options) { (place, options) async throws(ExchangeError) in
            try await manager.devices.lease(amount, of: wallet, token: token, until: date, at: place, options)
        }
    }

    /// Gives a lease back, as ``CatalogManager/Devices/release(_:at:_:)`` does.
    ///
    /// - Throws: ``ExchangeError``.
    public func release(
        _ token: String, _ options: ExchangeOptions = ExchangeOptions()
    ) async throws(ExchangeError) {
        try await exchanging(options) { (place, options) async throws(ExchangeError) in
            try await manager.devices.release(token, at: place, options)
        }
    }

    /// Removes a device of the customer, as ``CatalogManager/Devices/remove(_:)`` does, and exchanges.
    ///
    /// - Throws: ``ExchangeError``.
    public func remove(
        _ id: String, _ options: ExchangeOptions = ExchangeOptions()
    ) async throws(ExchangeError) {
        try await manager.devices.remove(id)
        _ = try await exchange(options)
    }

    /// Number of times that the customer may change during one exchange.
    private static let mostChanges = 3

    /// Calls a function that exchanges with the key of the customer, again if the customer was merged meanwhile.
    private func exchanging<Value: Sendable>(
        _ options: ExchangeOptions,
        _ body: (any ExchangePlace, ExchangeOptions) async throws(ExchangeError) -> Value
    ) async throws(ExchangeError) -> Value {
        var changes = 0
        while true {
            let enrollment = try await readyEnrollment()
            var options = options
            let place: ServerPlace
            do throws(AppServerError) {
                options.key = try LedgerSealKey(ofServer: enrollment.key)
                if options.name.isEmpty { options.name = manager.options.server?.deviceName ?? "" }
                place = ServerPlace(try session, customer: enrollment.customer)
            } catch {
                throw ExchangeError(error)
            }
            do throws(ExchangeError) {
                return try await body(place, options)
            } catch {
                changes += 1
                guard changes < Self.mostChanges, try await isToBeRepeated(after: error, enrollment) else {
                    throw error
                }
            }
        }
    }

    /// Returns the enrollment of the device, with which it can exchange.
    private func readyEnrollment() async throws(ExchangeError) -> DeviceCredentials.Enrollment {
        let credentials: DeviceCredentials?
        let enrollment: DeviceCredentials.Enrollment
        do throws(AppServerError) {
            let session = try session
            enrollment = try await session.ready()
            credentials = try session.storage.credentials()
        } catch {
            throw ExchangeError(error)
        }
        let state = try await ExchangeState.read(from: manager.entitlements.ledger)
        if let customer = state.customer, credentials?.formerCustomers.contains(customer) == true {
            try await manager.devices.startOver()
        }
        return enrollment
    }

    /// Returns `true` after an error that does not occur again, because the customer has changed or the device has
    /// enrolled again.
    private func isToBeRepeated(
        after error: ExchangeError, _ enrollment: DeviceCredentials.Enrollment
    ) async throws(ExchangeError) -> Bool {
        guard error.code == .place || error.code == .otherCustomer else { return false }
        do throws(AppServerError) {
            return try session.enrollment()?.customer != enrollment.customer
        } catch {
            throw ExchangeError(error)
        }
    }
}

extension CatalogManager {
    /// Returns the store's signed app transaction; `nil` if the store has none, or cannot be asked now.
    nonisolated func signedAppTransaction() async -> String? {
        do {
            return try await store.appTransaction()
        } catch {
            // A device without one enrolls too, and can show it later.
            return nil
        }
    }

    /// Returns options of a purchase that name the customer at the app's server, if they name no account.
    func namingCustomer(_ options: PurchaseOptions) -> PurchaseOptions {
        guard options.accountToken == nil, self.options.server?.namesCustomer == true else { return options }
        var options = options
        do throws(AppServerError) {
            options.accountToken = try server.customer
        } catch {
            // The server finds the customer of a purchase without it by the store's account.
        }
        return options
    }
}
