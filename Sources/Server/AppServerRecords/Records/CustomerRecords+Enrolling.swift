internal import Foundation
package import VitrineAppServerAPI
internal import VitrineCatalog
internal import VitrineEntitlements
internal import VitrinePurchasing
internal import VitrineReceipts

extension CustomerRecords {
    /// Enrolls a device, or enrolls it again with the same key. Its login, an invitation and the store account that it
    /// has proven decide whose device it is.
    ///
    /// - Throws: ``CustomerError``: `unauthenticated` for an invalid proof, invitation or account token, `rejected` for an
    ///   app transaction that the store has not signed for this app, `forbidden` if the customer has an account and the
    ///   request has neither a token of it nor an invitation, `tooManyDevices` if a customer without an account has too
    ///   many devices.
    package func enroll(
        _ request: EnrollmentRequest, app name: String
    ) async throws(CustomerError) -> Enrollment {
        let app = try app(name, showing: request.appTransaction)
        guard request.publicKey.count <= 100, request.signature.count <= 100, request.name.utf8.count <= 100,
            !request.name.utf8.contains(0)
        else { throw CustomerError(code: .invalid, reason: "the name, key or signature of the device is too long") }
        guard request.accountToken == nil || request.invitation == nil else {
            throw CustomerError(
                code: .invalid, reason: "the device shows a login and an invitation, and only one of them can decide")
        }
        try await checkProof(
            request.signature, of: "enroll \(name)", challenge: request.challenge, covering: request.covered,
            by: request.publicKey)
        let appTransaction = try await ownAppTransaction(of: request, app)
        let evidence = Evidence(
            account: try request.accountToken.map { text throws(CustomerError) in
                CustomerIdentity(kind: .account, value: try AccountToken(text, for: app, at: now).subject)
            },
            inviter: try await inviter(request.invitation, app),
            storeAccount: appTransaction?.payload.appTransactionID.map {
                CustomerIdentity(kind: .appTransaction, value: $0)
            })
        while true {
            let known = try await knownDevice(request.publicKey, app)
            let owner = try await owner(of: known, evidence, app)
            guard let enrolled = try await store(request, known, owner, app) else { continue }
            if let appTransaction, try await isOwn(evidence.storeAccount, of: enrolled.customer) {
                try await record(appTransaction, of: enrolled.customer)
            }
            return enrolled
        }
    }

    /// Values that a device proves when it enrolls.
    private struct Evidence {
        let account: CustomerIdentity?
        /// Customer whose device has signed the invitation of the request.
        let inviter: String?
        let storeAccount: CustomerIdentity?
    }

    private struct KnownDevice {
        let id: String
        let customer: String
    }

    /// Customer of a device, with the identities that the customer does not have yet.
    private struct DeviceOwner {
        /// Identifier of the customer; `nil` for a new one.
        var id: String?
        var new: [CustomerIdentity] = []
    }

    /// Returns the device that has enrolled with a public key before; `nil` if there is none.
    ///
    /// - Throws: ``CustomerError`` `conflict` if the device has left.
    private func knownDevice(
        _ key: Data, _ app: ServedApp
    ) async throws(CustomerError) -> KnownDevice? {
        let rows = try await rows(
            "SELECT id, customer, ended FROM device WHERE app = $1 AND public_key = $2", .text(app.name), .bytes(key))
        guard let row = rows.first, row.count == 3, let id = row[0].text, let customer = row[1].text else { return nil }
        guard row[2] == .null else {
            throw CustomerError(code: .conflict, reason: "the device has left; it needs another key")
        }
        return KnownDevice(id: id, customer: try await resolveMerged(of: customer).id)
    }

    /// Returns the app transaction of a request, if the store has signed it for the device that makes the request.
    ///
    /// - Returns: `nil` for an app transaction that is bound to another device or to none. It may be a copy, and proves
    ///   nothing about the device that shows it.
    private func ownAppTransaction(
        of request: EnrollmentRequest, _ app: ServedApp
    ) async throws(CustomerError) -> SignedAppTransaction? {
        guard let text = request.appTransaction else { return nil }
        switch await app.verifier.verify(appTransaction: text) {
        case .verified(let signed):
            return request.deviceVerificationID.map(signed.payload.isBound) == true ? signed : nil
        case .rejected(let reasons):
            throw CustomerError(code: .rejected, reason: "the app transaction is rejected: \(reasons.joinedReasons)")
        case .undetermined(let reason):
            throw CustomerError(
                code: .unavailable, reason: "the app transaction cannot be verified now: \(reason)")
        }
    }

    /// Returns the customer whose device has signed an invitation.
    ///
    /// - Throws: ``CustomerError`` `unauthenticated` for an invitation that no device has signed within a minute, or that
    ///   was used before.
    private func inviter(_ invitation: String?, _ app: ServedApp) async throws(CustomerError) -> String? {
        guard let invitation else { return nil }
        let refused = CustomerError(code: .unauthenticated, reason: "the invitation is not of a device of this app")
        guard let invitation = DeviceInvitation(invitation), invitation.signature.count <= 100 else { throw refused }
        let rows = try await rows(
            "SELECT public_key, customer FROM device WHERE id = $1 AND app = $2 AND ended IS NULL",
            .text(invitation.device), .text(app.name))
        guard let row = rows.first, row.count == 2, let key = row[0].bytes, let customer = row[1].text else {
            throw refused
        }
        try await checkProof(
            invitation.signature, of: "invite \(invitation.device)", challenge: invitation.challenge, by: key)
        return customer
    }

    /// Returns the customer to which a device belongs by what it proves. Customers that turn out to be one are merged.
    ///
    /// - Parameter known: The device, if it has enrolled before.
    private func owner(
        of known: KnownDevice?, _ evidence: Evidence, _ app: ServedApp
    ) async throws(CustomerError) -> DeviceOwner {
        let author = "device \(known?.id ?? "that enrolls")"
        var owner = DeviceOwner(id: known?.customer)
        let hasAccount = if let present = owner.id { try await self.hasAccount(present) } else { false }
        if let account = evidence.account {
            // The login decides. A device that logs in to another account moves to the customer of that account.
            if let holder = try await customer(account, of: app.name) {
                let present = hasAccount ? nil : owner.id
                owner.id = if let present { try await merge(holder, present, author: author) } else { holder }
            } else {
                if hasAccount { owner.id = nil }
                owner.new = [account]
            }
        } else if let inviter = evidence.inviter {
            if let present = owner.id, !hasAccount {
                guard let joined = try await join(present, inviter, app, author: author) else {
                    throw tooManyDevices(app)
                }
                owner.id = joined
            } else {
                owner.id = try await resolveMerged(of: inviter).id
            }
        }
        guard let storeAccount = evidence.storeAccount else { return owner }
        return try await adding(storeAccount, to: owner, isLoggedIn: evidence.account != nil, app, author: author)
    }

    /// Returns the customer of a device that has proven its store account.
    private func adding(
        _ storeAccount: CustomerIdentity, to owner: DeviceOwner, isLoggedIn: Bool, _ app: ServedApp, author: String
    ) async throws(CustomerError) -> DeviceOwner {
        var owner = owner
        let holder = try await customer(storeAccount, of: app.name)
        // A login says that two store accounts are those of one person. Without it, the device may have changed hands.
        var mayAdd = true
        if let present = owner.id, !isLoggedIn {
            mayAdd = try await !identities(of: present).contains { $0.kind == .appTransaction }
        }
        guard let holder else {
            if mayAdd { owner.new.append(storeAccount) }
            return owner
        }
        guard try await !hasAccount(holder) else {
            guard owner.id != nil || isLoggedIn else {
                throw CustomerError(
                    code: .forbidden,
                    reason: "this customer has an account; the device has to show a token of it, or an invitation by "
                        + "another device of the customer")
            }
            return owner
        }
        guard let present = owner.id else {
            owner.id = holder
            return owner
        }
        if isLoggedIn {
            owner.id = try await merge(present, holder, author: author)
        } else if mayAdd {
            owner.id = try await join(present, holder, app, author: author) ?? present
        }
        return owner
    }

    /// Indicates that a store account belongs to a customer, or that the app transaction names none.
    private func isOwn(_ storeAccount: CustomerIdentity?, of customer: String) async throws(CustomerError) -> Bool {
        guard let storeAccount else { return true }
        return try await identities(of: customer).contains(storeAccount)
    }

    private func hasAccount(_ customer: String) async throws(CustomerError) -> Bool {
        try await identities(of: customer).contains { $0.kind == .account }
    }

    private func tooManyDevices(_ app: ServedApp) -> CustomerError {
        CustomerError(
            code: .tooManyDevices,
            reason:
                "a customer without an account has at most \(app.mostDevicesWithoutAccount) devices, and any customer at "
                + "most \(options.mostDocumentFacts) facts from documents")
    }

    /// Stores a device with a new token, and creates its customer if necessary.
    ///
    /// - Parameter known: The device, if it has enrolled before.
    /// - Returns: `nil` if the data from earlier reads has changed.
    private func store(
        _ request: EnrollmentRequest, _ known: KnownDevice?, _ owner: DeviceOwner, _ app: ServedApp
    ) async throws(CustomerError) -> Enrollment? {
        let id = owner.id ?? makeIdentifier()
        let isAdded = known?.customer != id
        let most = app.mostDevicesWithoutAccount
        if isAdded, owner.id != nil, !owner.new.contains(where: { $0.kind == .account }), try await !hasAccount(id),
            try await deviceCount(of: id, without: known?.id) >= most
        {
            throw tooManyDevices(app)
        }
        var steps = [
            // The statement for a known customer changes no value, and makes all enrollments of the customer wait.
            SQLStep(owner.id == nil ? insertion(ofCustomer: id, app: app.name) : locking(ofCustomer: id), changing: 1)
        ]
        steps += owner.new.map { SQLStep(insertion(of: $0, customer: id, app: app.name), changing: 1) }
        let token = newToken()
        let device: String
        if let known {
            device = known.id
            steps.append(
                SQLStep(
                    SQLStatement(
                        """
                        UPDATE device SET customer = $1, name = $2, token = $3, expires = $4, seen = $5 \
                        WHERE id = $6 AND ended IS NULL
                        """, .text(id), .text(request.name), .bytes(token.digest), .integer(token.value.expires),
                        .integer(now.milliseconds), .text(known.id)), changing: 1))
        } else {
            device = ServerDeviceIdentifier.enrolled + "\(options.randomBytes(10).hexadecimal)"
            steps.append(
                SQLStep(
                    SQLStatement(
                        """
                        INSERT INTO device (id, app, customer, name, public_key, created, seen, token, expires, ended) \
                        VALUES ($1, $2, $3, $4, $5, $6, $6, $7, $8, NULL)
                        """, .text(device), .text(app.name), .text(id), .text(request.name), .bytes(request.publicKey),
                        .integer(now.milliseconds), .bytes(token.digest), .integer(token.value.expires)), changing: 1))
        }
        if isAdded { steps.append(limit(ofDevices: most, of: id)) }
        guard try await transact(steps) else { return nil }
        forgetDevices()
        return Enrollment(device: device, customer: id, token: token.value, key: secrets.key(of: id))
    }
}
