internal import Crypto
internal import Foundation
package import VitrineAppServerAPI
internal import VitrineCatalog

extension CustomerRecords {
    func forgetDevices() { knownDevices.forget() }

    /// Lets all servers read devices again, one of which has left or has another customer.
    func forgetDevicesEverywhere() {
        forgetDevices()
        database.announce([Self.deviceMessage])
    }

    // MARK: Tokens

    func newToken() -> (value: DeviceToken, digest: Data) {
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
            "SELECT public_key FROM device WHERE id = $1 AND ended IS NULL", .text(request.device))
        guard let key = rows.first?.first?.bytes else { throw unknown }
        try await checkProof(
            request.signature, of: "token \(request.device)", challenge: request.challenge, by: key)
        let token = newToken()
        let changes = try await write(
            "UPDATE device SET token = $1, expires = $2, seen = $3 WHERE id = $4 AND ended IS NULL",
            .bytes(token.digest), .integer(token.value.expires), .integer(now.milliseconds), .text(request.device))
        guard changes == 1 else { throw unknown }
        return try await enrollment(of: request.device, token.value)
    }

    /// Returns the enrolled device with a token.
    ///
    /// - Throws: ``CustomerError`` `unauthenticated`.
    package func device(bearing token: String) async throws(CustomerError) -> EnrolledDevice {
        let refused = CustomerError(code: .unauthenticated, reason: "the token is not valid, or no longer valid")
        guard (1...100).contains(token.utf8.count) else { throw refused }
        let digest = Data(SHA256.hash(data: Data(token.utf8)))
        if let known = knownDevices.device(digest, at: now) { return known }
        let generation = knownDevices.generation
        let rows = try await rows(
            """
            SELECT id, app, customer, name, created, expires, origins FROM device WHERE token = $1 AND expires > $2 \
            AND ended IS NULL
            """, .bytes(digest), .integer(now.milliseconds))
        guard let row = rows.first, row.count == 7, let id = row[0].text, let app = row[1].text,
            let customer = row[2].text, let name = row[3].text, let created = row[4].integer,
            let expires = row[5].integer, apps[app] != nil
        else { throw refused }
        let device = EnrolledDevice(
            id: id, app: app, customer: customer, name: name, enrolledAt: Date(milliseconds: created),
            origins: (row[6].text ?? "").split(separator: ",").compactMap { DeviceOrigin($0) })
        knownDevices.remember(
            device, digest, until: Date(milliseconds: expires), at: now, generation: generation)
        return device
    }

    /// Ends the enrollment of a device. Its recorded facts remain.
    package func leave(_ device: EnrolledDevice) async throws(CustomerError) {
        _ = try await write(
            "UPDATE device SET ended = $1 WHERE id = $2 AND ended IS NULL", .integer(now.milliseconds),
            .text(device.id))
        forgetDevicesEverywhere()
    }

    // MARK: Accounts

    /// Moves a device that logs out of its account to a new customer without products.
    package func unlink(_ device: EnrolledDevice) async throws(CustomerError) -> Enrollment {
        let own = try await resolveMerged(of: device.customer).id
        if try await identities(of: own).contains(where: { $0.kind == .account }) {
            let id = makeIdentifier()
            _ = try await write([
                insertion(ofCustomer: id, app: device.app),
                SQLStatement(
                    "UPDATE device SET customer = $1 WHERE id = $2 AND ended IS NULL", .text(id), .text(device.id)),
            ])
        }
        let token = newToken()
        _ = try await write(
            "UPDATE device SET token = $1, expires = $2 WHERE id = $3 AND ended IS NULL", .bytes(token.digest),
            .integer(token.value.expires), .text(device.id))
        return try await enrollment(of: device.id, token.value)
    }

    /// Returns a device's customer and key after it has received a token. The device may have been transferred since an
    /// earlier read.
    private func enrollment(of device: String, _ token: DeviceToken) async throws(CustomerError) -> Enrollment {
        forgetDevices()
        let rows = try await rows("SELECT customer FROM device WHERE id = $1", .text(device))
        guard let customer = rows.first?.first?.text else {
            throw CustomerError(code: .unauthenticated, reason: "there is no such device, or it has left")
        }
        let id = try await resolveMerged(of: customer).id
        return Enrollment(device: device, customer: id, token: token, key: secrets.key(of: id))
    }
}
