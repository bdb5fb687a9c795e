public import Foundation
public import VitrineDeviceExchange
internal import VitrineEntitlements
internal import VitrinePurchasing
internal import VitrineSupport

extension CatalogManager {
    /// Access to the app's own server, which ``ManagerOptions/server`` names.
    public nonisolated var server: Server { Server(manager: self) }

    /// Access to the app's own server: the device enrolls there, reports the store's signed data, and exchanges facts
    /// with the customer's other devices. If the server cannot be reached, ownership and balances on this device do not
    /// change.
    public struct Server: Sendable {
        let manager: CatalogManager
    }
}

extension CatalogManager.Server {
    /// Session of this device at the server, for the App Store account that is present now, even if another one is
    /// signed in while the server answers.
    ///
    /// - Throws: ``AppServerError`` `invalidRequest` if the options name no server.
    var session: ServerSession {
        get throws(AppServerError) {
            let place = manager.accountPlace
            return try makeSession { place }
        }
    }

    /// Returns a session of this device at the server.
    ///
    /// - Parameter place: Returns the storage directory of the App Store account.
    func makeSession(in place: @escaping @Sendable () -> Home) throws(AppServerError) -> ServerSession {
        guard let options = manager.options.server else { throw .noServer }
        return ServerSession(
            client: ServerClient(options: options, now: manager.now),
            storage: AccountCredentials(ofApp: options.app, home: manager.home, in: place),
            gate: manager.credentialGate,
            storeEvidence: { [manager] in await manager.storeEvidence(in: place()) })
    }

    /// Identifier of the customer at the server; `nil` before the device has enrolled. The store receives it as the
    /// account token of a purchase (`PurchaseOptions.accountToken`), by default with each purchase:
    /// ``ManagerOptions/Server/namesCustomer``.
    ///
    /// - Throws: ``AppServerError`` if the credentials of the device cannot be read.
    public var customer: UUID? {
        get throws(AppServerError) { try session.enrollment()?.customer }
    }

    // MARK: Enrolling

    /// Enrolls the device at the server with its own key, which is made once, and the store's signed app transaction,
    /// which proves the store account if the store has signed it for this device. A device enrolls again to log in, or to
    /// accept an invitation: the server may then merge two customers who are the same person.
    ///
    /// With an account token, all devices that are logged in to the account belong to one customer, and a customer
    /// without an account becomes the customer of the account. If the device was logged in to another account, the next
    /// customer needs another storage directory.
    ///
    /// - Parameters:
    ///   - accountToken: Token of the app's own login, which the server verifies; `nil` if the customer is not logged in.
    ///   - invitation: Result of ``invitation()`` on another device of the customer, which decides instead of a login;
    ///     `nil` for none.
    /// - Throws: ``AppServerError``: `forbidden` if the customer has an account and neither was passed, or if a customer
    ///   without an account has too many devices.
    public func enroll(accountToken: String? = nil, invitation: String? = nil) async throws(AppServerError) {
        await manager.followAccount()
        try await session.enroll(accountToken: accountToken, invitation: invitation)
    }

    /// Ends the link with an account of the app's own login. The customer's facts remain recorded in the storage
    /// directory; the next customer needs another storage directory. If the result is unknown, the same call can be
    /// repeated.
    ///
    /// - Throws: ``AppServerError``.
    public func unlink() async throws(AppServerError) { try await session.unlink() }

    /// Signs the customer out on this device: publishes the facts of the device, and ends its enrollment. The next
    /// customer needs another storage directory. If the result is unknown, the same call can be repeated.
    ///
    /// - Throws: `ExchangeError`: `invalid` if the device has not enrolled, `transport` if the server cannot be reached:
    ///   the device has not left then.
    public func leave(_ options: ExchangeOptions = ExchangeOptions()) async throws(ExchangeError) {
        guard try isEnrolled() else {
            throw ExchangeError(code: .invalid, reason: "this device is not enrolled at the server")
        }
        try await exchanging(options) { (transport, options) async throws(ExchangeError) in
            // The device has not exchanged, or an earlier call has published its facts and could not end its enrollment.
            try await manager.devices.leave(at: transport, options, joining: true)
        }
        do throws(AppServerError) {
            try await session.leave()
        } catch {
            throw ExchangeError(error)
        }
    }

    /// Removes the key of the device and starts the exchange again: the next exchange enrolls a new device, which
    /// publishes all facts of this one. The customer must be the same.
    ///
    /// - Throws: `ExchangeError` `storage`.
    public func startOver() async throws(ExchangeError) {
        try await manager.devices.startOver()
        do throws(AppServerError) {
            try await session.removeCredentials()
        } catch {
            throw ExchangeError(error)
        }
    }

    // MARK: Exchanging

    /// Exchanges facts with the server and the customer's other devices, as ``CatalogManager/Devices/exchange(at:_:)``
    /// does. A device that has not enrolled enrolls first. If the server has merged the customer with another customer
    /// who is the same person, the exchange starts again automatically.
    ///
    /// - Parameter options: Options of the exchange. The server's key of the customer replaces the key in the options.
    /// - Throws: `ExchangeError`: `transport` if the server cannot be reached, or refuses.
    public func exchange(
        _ options: ExchangeOptions = ExchangeOptions()
    ) async throws(ExchangeError) -> ExchangeReport {
        try await exchanging(options) { (transport, options) async throws(ExchangeError) in
            try await manager.devices.exchange(at: transport, options)
        }
    }

    /// Reserves units of a wallet for this device, as ``CatalogManager/Devices/lease(_:of:token:until:at:_:)`` does.
    ///
    /// - Throws: `ExchangeError`.
    public func lease(
        _ amount: Int, of wallet: String, token: String, until date: Date,
        _ options: ExchangeOptions = ExchangeOptions()
    ) async throws(ExchangeError) {
        try await exchanging(options) { (transport, options) async throws(ExchangeError) in
            try await manager.devices.lease(amount, of: wallet, token: token, until: date, at: transport, options)
        }
    }

    /// Releases a lease, as ``CatalogManager/Devices/release(_:at:_:)`` does.
    ///
    /// - Throws: `ExchangeError`.
    public func release(
        _ token: String, _ options: ExchangeOptions = ExchangeOptions()
    ) async throws(ExchangeError) {
        try await exchanging(options) { (transport, options) async throws(ExchangeError) in
            try await manager.devices.release(token, at: transport, options)
        }
    }

    /// Removes a device of the customer, as ``CatalogManager/Devices/remove(_:)`` does, and exchanges.
    ///
    /// - Throws: `ExchangeError`.
    public func remove(
        _ id: String, _ options: ExchangeOptions = ExchangeOptions()
    ) async throws(ExchangeError) {
        try await manager.devices.remove(id)
        _ = try await exchange(options)
    }

    /// Maximum number of attempts of an exchange that fails because the customer was merged with another one meanwhile.
    private static let mostChanges = 3

    /// Calls a function that exchanges with the key of the customer, and repeats the call if the customer was merged
    /// with another customer meanwhile.
    private func exchanging<Value: Sendable>(
        _ options: ExchangeOptions,
        _ body: (any ExchangeTransport, ExchangeOptions) async throws(ExchangeError) -> Value
    ) async throws(ExchangeError) -> Value {
        var changes = 0
        while true {
            let enrollment = try await readyEnrollment()
            var options = options
            let transport: ServerTransport
            do throws(AppServerError) {
                options.key = try LedgerSealKey(ofServer: enrollment.key)
                if options.name.isEmpty { options.name = manager.options.server?.deviceName ?? "" }
                // If the account changes before the exchange begins, the exchange finds that its customer has changed.
                let session = try makeSession { [manager] in manager.accountPlace }
                transport = ServerTransport(session, customer: enrollment.customer)
            } catch {
                throw ExchangeError(error)
            }
            do throws(ExchangeError) {
                return try await body(transport, options)
            } catch {
                changes += 1
                guard changes < Self.mostChanges, try await isToBeRepeated(after: error, enrollment) else {
                    throw error
                }
            }
        }
    }

    private func isEnrolled() throws(ExchangeError) -> Bool {
        do throws(AppServerError) {
            return try session.enrollment() != nil
        } catch {
            throw ExchangeError(error)
        }
    }

    /// Returns the enrollment of the device, which enrolls first if necessary. The exchange starts again if the
    /// customer was merged with another customer since the last exchange.
    private func readyEnrollment() async throws(ExchangeError) -> DeviceCredentials.Enrollment {
        let credentials: DeviceCredentials?
        let enrollment: DeviceCredentials.Enrollment
        do throws(AppServerError) {
            let session = try session
            enrollment = try await session.readyWithEvidence()
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

    /// Returns `true` if an exchange can be repeated after an error, because the customer has changed or the device has
    /// enrolled again.
    private func isToBeRepeated(
        after error: ExchangeError, _ enrollment: DeviceCredentials.Enrollment
    ) async throws(ExchangeError) -> Bool {
        guard error.code == .transport || error.code == .otherCustomer else { return false }
        do throws(AppServerError) {
            return try session.enrollment()?.customer != enrollment.customer
        } catch {
            throw ExchangeError(error)
        }
    }
}

extension CatalogManager {
    /// Returns the options of a purchase with the customer's identifier at the app's server, unless they have an
    /// account token. If the app keeps App Store accounts apart, an account that is not verified may be another customer.
    func namingCustomer(_ options: PurchaseOptions) -> PurchaseOptions {
        guard options.accountToken == nil, self.options.server?.namesCustomer == true,
            separateLedger == nil || isAccountVerified
        else { return options }
        var options = options
        do throws(AppServerError) {
            options.accountToken = try server.customer
        } catch {
            // The server finds the customer of a purchase without this identifier by the store account.
        }
        return options
    }
}
