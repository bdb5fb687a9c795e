internal import Foundation
internal import HTTPTypes
internal import VitrineAppServerAPI
internal import VitrineDeviceExchange
internal import VitrineNetworking
internal import VitrineReceipts
internal import VitrineSupport

/// Session of this device at the app's own server: enrolls, and makes requests with a token that it renews
/// automatically.
struct ServerSession: Sendable {
    let client: ServerClient
    let storage: any CredentialStorage
    /// Gate for changes of the credentials; `nil` for a session that is in the gate.
    private(set) var gate: CredentialGate?
    /// Function that returns what the store has signed about the customer of this device.
    let storeEvidence: @Sendable () async -> StoreEvidence

    init(
        client: ServerClient, storage: any CredentialStorage, gate: CredentialGate,
        storeEvidence: @escaping @Sendable () async -> StoreEvidence
    ) {
        (self.client, self.storage, self.gate, self.storeEvidence) = (client, storage, gate, storeEvidence)
    }

    var options: ManagerOptions.Server { client.options }

    // MARK: Credentials

    /// Returns the enrollment at the server of the options; `nil` if the device has not enrolled there.
    func enrollment() throws(AppServerError) -> DeviceCredentials.Enrollment? {
        guard let enrollment = try storage.credentials()?.enrollment, enrollment.server == options.url.absoluteString,
            enrollment.app == options.app
        else { return nil }
        return enrollment
    }

    /// Returns the enrollment of the device, which enrolls first if necessary.
    func ready() async throws(AppServerError) -> DeviceCredentials.Enrollment {
        if let enrollment = try enrollment() { return enrollment }
        return try await alone { (session) async throws(AppServerError) in
            // Another request may have enrolled the device meanwhile.
            if let enrollment = try session.enrollment() { return enrollment }
            return try await session.enroll()
        }
    }

    /// Returns the enrollment of the device, as ``ready()`` does. A device that had no app transaction when it enrolled
    /// enrolls again once the store has one: it tells the environment in which the app's purchases are.
    func readyWithEvidence() async throws(AppServerError) -> DeviceCredentials.Enrollment {
        let enrollment = try await ready()
        guard enrollment.hasEvidence == false, await storeEvidence().appTransaction != nil else { return enrollment }
        return try await alone { (session) async throws(AppServerError) in
            // Another request may have enrolled the device again meanwhile.
            if let present = try session.enrollment(), present.hasEvidence != false { return present }
            return try await session.enroll()
        }
    }

    /// Calls a function that changes the credentials, with a session in the gate, so that nothing else changes them
    /// meanwhile.
    private func alone<Value: Sendable>(
        _ body: @escaping @Sendable (ServerSession) async throws(AppServerError) -> Value
    ) async throws(AppServerError) -> Value {
        guard let gate else { return try await body(self) }
        var session = self
        session.gate = nil
        return try await gate.run { [session] () async throws(AppServerError) in try await body(session) }
    }

    /// Removes the credentials. The next request enrolls a new device.
    func removeCredentials() async throws(AppServerError) {
        try await alone { (session) async throws(AppServerError) in try session.storage.remove() }
    }

    // MARK: Enrolling

    /// Enrolls the device, or enrolls it again with the same key.
    ///
    /// - Parameters:
    ///   - accountToken: Token of the app's own login; `nil` if the customer is not logged in.
    ///   - invitation: Invitation by another device of the customer; `nil` for none.
    @discardableResult
    func enroll(
        accountToken: String? = nil, invitation: String? = nil
    ) async throws(AppServerError) -> DeviceCredentials.Enrollment {
        try await alone { (session) async throws(AppServerError) in
            try await session.enrolled(accountToken: accountToken, invitation: invitation)
        }
    }

    private func enrolled(
        accountToken: String?, invitation: String?
    ) async throws(AppServerError) -> DeviceCredentials.Enrollment {
        let evidence = await storeEvidence()
        let earlier = try storage.credentials()?.enrollment
        let reply: Enrollment
        do {
            reply = try await requestEnrollment(evidence, accountToken, invitation)
        } catch {
            // An invitation cannot be used a second time.
            guard error.code == .conflict, invitation == nil else { throw error }
            // The device has left the server, but has not received the confirmation: it continues as a new device.
            try storage.remove()
            reply = try await requestEnrollment(evidence, accountToken, invitation)
        }
        let appTransactionID = evidence.appTransaction.flatMap(Self.appTransactionID)
        let isSameCustomer = earlier?.customer == UUID(uuidString: reply.customer)
        let isSameStoreAccount = appTransactionID != nil && appTransactionID == earlier?.appTransactionID
        let isFirstEvidence = evidence.appTransaction != nil && earlier?.hasEvidence == false
        // A customer without an account is the same person as the one who logs in or accepts the invitation, and as the
        // one whom the first evidence of the device names. A customer with an account is another person.
        let isSamePerson = accountToken != nil || invitation != nil || isSameStoreAccount || isFirstEvidence
        let enrollment = try store(
            reply, appTransactionID: appTransactionID,
            hasEvidence: evidence.appTransaction != nil || isSameCustomer && earlier?.hasEvidence != false,
            hasAccount: accountToken != nil || isSameCustomer && earlier?.hasAccount == true,
            isSamePerson: isSamePerson && earlier?.hasAccount != true)
        // A login or an invitation decides anew.
        if accountToken != nil || invitation != nil { try change { $0.isUnlinking = nil } }
        return enrollment
    }

    private func requestEnrollment(
        _ evidence: StoreEvidence, _ accountToken: String?, _ invitation: String?
    ) async throws(AppServerError) -> Enrollment {
        let body = try EnrollmentBody(
            app: options.app, name: options.deviceName, challenge: try await challenge(), evidence,
            accountToken: accountToken, invitation: invitation, storage)
        return try await client.send(ServerClient.Request(AppServerAPI.enroll, body: body))
    }

    private func store(
        _ reply: Enrollment, appTransactionID: String?, hasEvidence: Bool?, hasAccount: Bool, isSamePerson: Bool
    ) throws(AppServerError) -> DeviceCredentials.Enrollment {
        _ = try LedgerSealKey(ofServer: reply.key)
        guard reply.token.token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }), !reply.token.token.isEmpty,
            !reply.device.isEmpty, let customer = UUID(uuidString: reply.customer)
        else { throw .format(AppServerAPI.enroll.name) }
        let enrollment = DeviceCredentials.Enrollment(
            server: options.url.absoluteString, app: options.app, device: reply.device, customer: customer,
            token: reply.token.token, key: reply.key, appTransactionID: appTransactionID, hasEvidence: hasEvidence,
            hasAccount: hasAccount)
        var credentials = try storage.credentials() ?? DeviceCredentials()
        try credentials.replace(by: enrollment, isSamePerson: isSamePerson)
        try storage.store(credentials)
        return enrollment
    }

    private func change(_ change: (inout DeviceCredentials) -> Void) throws(AppServerError) {
        guard var credentials = try storage.credentials() else { throw .left }
        change(&credentials)
        try storage.store(credentials)
    }

    private static func appTransactionID(in signedData: String) -> String? {
        UnverifiedJWS(signedData)?.decode(AppTransactionPayload.self)?.appTransactionID
    }

    func challenge() async throws(AppServerError) -> String {
        let challenge = try await client.send(ServerClient.Request(AppServerAPI.challenge)).challenge
        guard (1...500).contains(challenge.utf8.count) else { throw .format(AppServerAPI.challenge.name) }
        return challenge
    }

    // MARK: Requests of the device

    /// Sends a request of the device, and repeats it with a new token if the current token has expired. A device that
    /// has not enrolled, or that the server does not know, enrolls first.
    ///
    /// - Parameter customer: Customer of the request; `nil` for the customer of the device, also if the server merges this
    ///   customer with another one meanwhile.
    /// - Throws: ``AppServerError`` `customerChanged` if the device has another customer now.
    func send<Body, Reply: ReceivedBody>(
        _ request: ServerClient.Request<Body, Reply>, for customer: UUID? = nil
    ) async throws(AppServerError) -> Reply {
        try await reply(to: request, for: customer).value(request.endpoint)
    }

    /// Sends a request as ``send(_:for:)`` does, and returns the reply with its header fields.
    func reply<Body, Reply>(
        to request: ServerClient.Request<Body, Reply>, for customer: UUID? = nil
    ) async throws(AppServerError) -> HTTPReply {
        let first = try await ready()
        guard customer == nil || customer == first.customer else { throw .customerChanged }
        var token = first.token
        var reply = try await client.reply(to: request, token: token)
        if reply.response.status == .unauthorized {
            let renewed = try await renewedEnrollment(after: first)
            try check(renewed, after: first, for: customer)
            token = renewed.token
            reply = try await client.reply(to: request, token: token)
        }
        // The server has one token of a device, and another process may have received a newer one meanwhile.
        if reply.response.status == .unauthorized, let present = try enrollment(), present.token != token {
            try check(present, after: first, for: customer)
            reply = try await client.reply(to: request, token: present.token)
        }
        return try client.checked(reply)
    }

    /// Checks that a request can be repeated with a later enrollment: for the same customer or, if the request names none,
    /// for the one with whom the server has merged that customer, because both are the same person.
    private func check(
        _ present: DeviceCredentials.Enrollment, after first: DeviceCredentials.Enrollment, for customer: UUID?
    ) throws(AppServerError) {
        guard present.customer != first.customer else { return }
        let former = try LedgerSealKey(ofServer: first.key).customer
        guard customer == nil, try storage.credentials()?.formerCustomers.contains(former) == true else {
            throw .customerChanged
        }
    }

    /// Returns the enrollment with a new token, because the server has refused the given one.
    func renewedEnrollment(
        after ended: DeviceCredentials.Enrollment
    ) async throws(AppServerError) -> DeviceCredentials.Enrollment {
        try await alone { (session) async throws(AppServerError) in
            // Another request or process may have renewed the token meanwhile, or the device may have left.
            guard let present = try session.enrollment() else { throw .left }
            guard present.token == ended.token else { return present }
            do throws(AppServerError) {
                return try await session.renew(present)
            } catch {
                guard error.code == .unauthenticated else { throw error }
                return try await session.enroll()
            }
        }
    }

    /// Requests a new token, and returns the enrollment, which may name another customer than before.
    func renewed() async throws(AppServerError) -> DeviceCredentials.Enrollment {
        try await alone { (session) async throws(AppServerError) in try await session.renew(try await session.ready()) }
    }

    /// Requests a new token. The server may have merged the customer with another customer who is the same person.
    private func renew(
        _ enrollment: DeviceCredentials.Enrollment
    ) async throws(AppServerError) -> DeviceCredentials.Enrollment {
        let challenge = try await challenge()
        guard let credentials = try storage.credentials() else { throw .left }
        let request = TokenRequest(
            device: enrollment.device, challenge: challenge,
            signature: try credentials.sign(challenge, for: "token \(enrollment.device)"))
        let reply = try await client.send(ServerClient.Request(AppServerAPI.renewToken, body: request))
        let isUnlinked = credentials.isUnlinking == true && UUID(uuidString: reply.customer) != enrollment.customer
        return try store(
            reply, appTransactionID: enrollment.appTransactionID, hasEvidence: enrollment.hasEvidence,
            hasAccount: enrollment.hasAccount && !isUnlinked, isSamePerson: true)
    }

    // MARK: Leaving

    /// Ends the link between the device and an account.
    func unlink() async throws(AppServerError) {
        try await alone { (session) async throws(AppServerError) in
            let earlier = try await session.ready()
            // It is noted first: if the reply is lost, the next customer is not taken for the same person.
            try session.change { $0.isUnlinking = true }
            let request = ServerClient.Request(AppServerAPI.unlink)
            let reply: Enrollment
            do throws(AppServerError) {
                reply = try await session.send(request)
            } catch {
                // The reply to an earlier request was lost, or the customer was merged before.
                guard error.code == .customerChanged else { throw error }
                reply = try await session.send(request)
            }
            _ = try session.store(
                reply, appTransactionID: earlier.appTransactionID, hasEvidence: earlier.hasEvidence, hasAccount: false,
                isSamePerson: false)
            // A customer without an account has not changed; its former customers do not count any more either.
            try session.change { ($0.isUnlinking, $0.formerCustomers) = (nil, []) }
        }
    }

    /// Ends the enrollment, and removes the key of the device.
    func leave() async throws(AppServerError) {
        try await alone { (session) async throws(AppServerError) in
            _ = try await session.send(ServerClient.Request(AppServerAPI.leave))
            try session.storage.remove()
        }
    }
}
