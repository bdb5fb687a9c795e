internal import Crypto
internal import Foundation
package import VitrineAppServerAPI
internal import VitrineCatalog
internal import VitrineEntitlements
internal import VitrinePurchasing
internal import VitrineReceipts
internal import VitrineSupport

/// Cache of devices that have recently made requests, by the SHA-256 digests of their tokens.
final class KnownDevices: Sendable {
    /// Time in seconds for which a device is cached.
    private static let validity: TimeInterval = 5
    private static let capacity = 50_000

    private let devices = Locked<[Data: (device: EnrolledDevice, until: Date)]>([:])

    func device(_ token: Data, at date: Date) -> EnrolledDevice? {
        guard let entry = devices.withLock({ $0[token] }), date < entry.until else { return nil }
        return entry.device
    }

    func remember(_ device: EnrolledDevice, _ token: Data, until end: Date, at date: Date) {
        devices.withLock { devices in
            if devices.count >= Self.capacity { devices = [:] }
            devices[token] = (device, min(end, date + Self.validity))
        }
    }

    func forget() { devices.withLock { $0 = [:] } }
}

extension CustomerRecords {
    func forgetDevices() { knownDevices.forget() }

    // MARK: Enrolling

    /// Enrolls a device, or enrolls it again with the same key.
    ///
    /// - Throws: ``CustomerError``: `unauthenticated` for an invalid proof or account token, `rejected` for an app
    ///   transaction that the store has not signed for this app, `forbidden` if the customer has an account and the
    ///   request has no token of it, `tooMany` if a customer without an account has too many devices.
    package func enroll(
        _ request: EnrollmentRequest, app name: String
    ) async throws(CustomerError) -> Enrollment {
        let app = try app(name)
        guard request.publicKey.count <= 100, request.signature.count <= 100, request.name.utf8.count <= 100,
            !request.name.utf8.contains(0)
        else { throw CustomerError(code: .invalid, reason: "the name, key or signature of the device is too long") }
        try checkProof(
            request.signature, of: "enroll \(name)", challenge: request.challenge, by: request.publicKey)
        let appTransaction = try await verifiedAppTransaction(request.appTransaction, app)
        let account = try request.accountToken.map { text throws(CustomerError) in
            CustomerIdentity(kind: .account, value: try AccountToken(text, for: app, at: now).subject)
        }
        let storeAccount = appTransaction?.payload.appTransactionID.map {
            CustomerIdentity(kind: .appTransaction, value: $0)
        }
        while true {
            let known = try await knownDevice(request.publicKey, app)
            var customer = try await customerToJoin(
                account, storeAccount, app, present: known?.customer, author: known?.id ?? "a new device")
            if let known {
                // The device stays with its customer, unless the account token of the request is for another account.
                let present = try await identities(of: known.customer).contains { $0.kind == .account }
                if let joined = customer, joined != known.customer, !present {
                    customer = try await merge(known.customer, joined, author: "device \(known.id)")
                } else if customer == nil, account == nil || !present {
                    customer = known.customer
                }
            }
            guard let enrolled = try await store(request, known?.id, customer, [account, storeAccount], app) else {
                continue
            }
            if let appTransaction { try await record(appTransaction, of: enrolled.customer) }
            return enrolled
        }
    }

    /// Returns the device that has enrolled with a public key before; `nil` if there is none.
    ///
    /// - Throws: ``CustomerError`` `conflict` if the device has left.
    private func knownDevice(
        _ key: Data, _ app: ServedApp
    ) async throws(CustomerError) -> (id: String, customer: String)? {
        let rows = try await rows(
            "SELECT id, customer, ended FROM device WHERE app = $1 AND public_key = $2", .text(app.name), .bytes(key))
        guard let row = rows.first, row.count == 3, let id = row[0].text, let customer = row[1].text else { return nil }
        guard row[2] == .null else {
            throw CustomerError(code: .conflict, reason: "the device has left; it needs another key")
        }
        return (id, try await resolveMerged(of: customer).id)
    }

    private func verifiedAppTransaction(
        _ text: String?, _ app: ServedApp
    ) async throws(CustomerError) -> SignedAppTransaction? {
        guard let text else { return nil }
        switch await app.verifier.verify(appTransaction: text) {
        case .verified(let signed): return signed
        case .rejected(let reasons):
            throw CustomerError(code: .rejected, reason: "the app transaction is rejected: \(reasons.joinedReasons)")
        case .undetermined(let reason):
            throw CustomerError(
                code: .unavailable, reason: "the app transaction cannot be verified now: \(reason)")
        }
    }

    /// Returns the customer for a device with the given identities. If these belong to two customers that can be
    /// merged, merges them.
    ///
    /// - Parameters:
    ///   - present: Current customer of the device, if it has enrolled before.
    ///   - author: Author of the merge for the audit log.
    /// - Returns: `nil` if a new customer must be created.
    private func customerToJoin(
        _ account: CustomerIdentity?, _ storeAccount: CustomerIdentity?, _ app: ServedApp, present: String?,
        author: String
    ) async throws(CustomerError) -> String? {
        var (byAccount, byStoreAccount): (String?, String?)
        if let account { byAccount = try await customer(account, of: app.name) }
        if let storeAccount { byStoreAccount = try await customer(storeAccount, of: app.name) }
        guard let byStoreAccount else { return byAccount }
        let hasAccount = try await identities(of: byStoreAccount).contains { $0.kind == .account }
        switch (account, byAccount) {
        case (nil, _):
            guard present != byStoreAccount else { return byStoreAccount }
            guard !hasAccount else {
                throw CustomerError(
                    code: .forbidden, reason: "this customer has an account; the device has to show a token of it")
            }
            guard try await deviceCount(of: byStoreAccount) < app.mostDevicesWithoutAccount else {
                throw CustomerError(
                    code: .tooMany,
                    reason: "a customer without an account has at most \(app.mostDevicesWithoutAccount) devices")
            }
            return byStoreAccount
        case (_, let byAccount?):
            // Two accounts that share a store account remain separate customers.
            guard !hasAccount, byAccount != byStoreAccount else { return byAccount }
            return try await merge(byAccount, byStoreAccount, author: author)
        case (_, nil): return hasAccount ? nil : byStoreAccount
        }
    }

    /// Stores a device with a new token, and creates its customer if necessary.
    ///
    /// - Parameters:
    ///   - known: Identifier of the device, if it has enrolled before.
    ///   - customer: Identifier of the customer; `nil` for a new one.
    /// - Returns: `nil` if the data from earlier reads has changed.
    private func store(
        _ request: EnrollmentRequest, _ known: String?, _ customer: String?, _ identities: [CustomerIdentity?],
        _ app: ServedApp
    ) async throws(CustomerError) -> Enrollment? {
        let id = customer ?? makeIdentifier()
        var steps: [SQLStep] = []
        if customer == nil { steps.append(SQLStep(insertion(ofCustomer: id, app: app.name), changing: 1)) }
        for identity in identities.compactMap(\.self) {
            // An identity of another customer stays with that customer.
            if try await self.customer(identity, of: app.name) == nil {
                steps.append(SQLStep(insertion(of: identity, customer: id, app: app.name), changing: 1))
            }
        }
        let token = newToken()
        let device: String
        if let earlier = known {
            device = earlier
            steps.append(
                SQLStep(
                    SQLStatement(
                        """
                        UPDATE device SET customer = $1, name = $2, token = $3, expires = $4, seen = $5 \
                        WHERE id = $6 AND ended IS NULL
                        """, .text(id), .text(request.name), .bytes(token.digest), .integer(token.value.expires),
                        .integer(now.milliseconds), .text(earlier)), changing: 1))
        } else {
            device = "enrolled-\(options.randomBytes(10).hexadecimal)"
            steps.append(
                SQLStep(
                    SQLStatement(
                        """
                        INSERT INTO device (id, app, customer, name, public_key, created, seen, token, expires, ended) \
                        SELECT $1, app, id, $2, $3, $4, $4, $5, $6, NULL FROM customer WHERE id = $7 \
                        AND merged_into IS NULL
                        """, .text(device), .text(request.name), .bytes(request.publicKey),
                        .integer(now.milliseconds), .bytes(token.digest), .integer(token.value.expires), .text(id)),
                    changing: 1))
        }
        guard try await transact(steps) else { return nil }
        forgetDevices()
        return Enrollment(device: device, customer: id, token: token.value, key: secrets.key(of: id))
    }

    // MARK: Tokens

    private func newToken() -> (value: DeviceToken, digest: Data) {
        let text = options.randomBytes(32).base64EncodedString()
            .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
        let expires = (now + options.tokenValidity).milliseconds
        return (DeviceToken(token: text, expires: expires), Data(SHA256.hash(data: Data(text.utf8))))
    }

    /// Issues another token to a device. The result has the current customer and key, which change when customers are
    /// merged.
    ///
    /// - Throws: ``CustomerError`` `unauthenticated`.
    package func renewToken(_ request: TokenRequest) async throws(CustomerError) -> Enrollment {
        let unknown = CustomerError(code: .unauthenticated, reason: "there is no such device, or it has left")
        guard (1...100).contains(request.device.utf8.count), request.signature.count <= 100 else { throw unknown }
        let rows = try await rows(
            "SELECT public_key, customer FROM device WHERE id = $1 AND ended IS NULL", .text(request.device))
        guard let row = rows.first, row.count == 2, let key = row[0].bytes, let customer = row[1].text else {
            throw unknown
        }
        try checkProof(
            request.signature, of: "token \(request.device)", challenge: request.challenge, by: key)
        let token = newToken()
        let changes = try await write(
            "UPDATE device SET token = $1, expires = $2, seen = $3 WHERE id = $4 AND ended IS NULL",
            .bytes(token.digest), .integer(token.value.expires), .integer(now.milliseconds), .text(request.device))
        guard changes == 1 else { throw unknown }
        forgetDevices()
        let id = try await resolveMerged(of: customer).id
        return Enrollment(device: request.device, customer: id, token: token.value, key: secrets.key(of: id))
    }

    /// Returns the enrolled device with a token.
    ///
    /// - Throws: ``CustomerError`` `unauthenticated`.
    package func device(bearing token: String) async throws(CustomerError) -> EnrolledDevice {
        let refused = CustomerError(code: .unauthenticated, reason: "the token is not valid, or no longer valid")
        guard (1...100).contains(token.utf8.count) else { throw refused }
        let digest = Data(SHA256.hash(data: Data(token.utf8)))
        if let known = knownDevices.device(digest, at: now) { return known }
        let rows = try await rows(
            """
            SELECT id, app, customer, name, created, expires FROM device WHERE token = $1 AND expires > $2 \
            AND ended IS NULL
            """, .bytes(digest), .integer(now.milliseconds))
        guard let row = rows.first, row.count == 6, let id = row[0].text, let app = row[1].text,
            let customer = row[2].text, let name = row[3].text, let created = row[4].integer,
            let expires = row[5].integer, apps[app] != nil
        else { throw refused }
        let device = EnrolledDevice(
            id: id, app: app, customer: customer, name: name, enrolledAt: Date(milliseconds: created))
        knownDevices.remember(device, digest, until: Date(milliseconds: expires), at: now)
        return device
    }

    /// Ends the enrollment of a device. Its recorded facts remain.
    package func leave(_ device: EnrolledDevice) async throws(CustomerError) {
        _ = try await write(
            "UPDATE device SET ended = $1 WHERE id = $2 AND ended IS NULL", .integer(now.milliseconds),
            .text(device.id))
        forgetDevices()
    }

    // MARK: Accounts

    /// Links a device with an account of the app's own login.
    ///
    /// If the device's customer has no account, the customer gets the account, or is merged into the customer that has
    /// it. If the device's customer has another account, only the device moves to the customer of this account.
    ///
    /// - Throws: ``CustomerError`` `unauthenticated` for a token that is not valid.
    package func link(_ device: EnrolledDevice, accountToken: String) async throws(CustomerError) -> Enrollment {
        let app = try app(device.app)
        let account = CustomerIdentity(
            kind: .account, value: try AccountToken(accountToken, for: app, at: now).subject)
        while true {
            let own = try await resolveMerged(of: device.customer).id
            let owner = try await customer(account, of: app.name)
            if owner == own { return try await enrollment(of: device, own) }
            let ownAccount = try await identities(of: own).first { $0.kind == .account }
            switch (ownAccount, owner) {
            case (nil, nil):
                if try await transact([SQLStep(insertion(of: account, customer: own, app: app.name), changing: 1)]) {
                    return try await enrollment(of: device, own)
                }
            case (nil, let owner?):
                return try await enrollment(
                    of: device, try await merge(owner, own, author: "device \(device.id)"))
            case (_, let owner?):
                if try await move(device, to: owner, making: []) { return try await enrollment(of: device, owner) }
            case (_, nil):
                let id = makeIdentifier()
                let steps = [
                    SQLStep(insertion(ofCustomer: id, app: app.name), changing: 1),
                    SQLStep(insertion(of: account, customer: id, app: app.name), changing: 1),
                ]
                if try await move(device, to: id, making: steps) { return try await enrollment(of: device, id) }
            }
        }
    }

    /// Moves a device that logs out of its account to a new customer without products.
    package func unlink(_ device: EnrolledDevice) async throws(CustomerError) -> Enrollment {
        let own = try await resolveMerged(of: device.customer).id
        guard try await identities(of: own).contains(where: { $0.kind == .account }) else {
            return try await enrollment(of: device, own)
        }
        while true {
            let id = makeIdentifier()
            let step = SQLStep(insertion(ofCustomer: id, app: device.app), changing: 1)
            if try await move(device, to: id, making: [step]) { return try await enrollment(of: device, id) }
        }
    }

    private func move(
        _ device: EnrolledDevice, to customer: String, making steps: [SQLStep]
    ) async throws(CustomerError) -> Bool {
        defer { forgetDevices() }
        return try await transact(
            steps + [
                SQLStep(
                    SQLStatement(
                        "UPDATE device SET customer = $1 WHERE id = $2 AND ended IS NULL", .text(customer),
                        .text(device.id)), changing: 1)
            ])
    }

    /// Issues another token to a device, and returns it with the device's current customer.
    private func enrollment(of device: EnrolledDevice, _ customer: String) async throws(CustomerError) -> Enrollment {
        let token = newToken()
        _ = try await write(
            "UPDATE device SET token = $1, expires = $2 WHERE id = $3 AND ended IS NULL", .bytes(token.digest),
            .integer(token.value.expires), .text(device.id))
        forgetDevices()
        return Enrollment(device: device.id, customer: customer, token: token.value, key: secrets.key(of: customer))
    }
}
