public import Foundation
internal import VitrineAppServerAPI
internal import VitrineSupport

/// Device of the customer at the app's server.
public struct ServerDevice: Sendable, Hashable, Identifiable {
    /// Identifier of the device at the server.
    public let id: String
    /// Name that the device has given itself (``ManagerOptions/Server/deviceName``).
    public let name: String
    public let enrolledAt: Date
    /// Date at which the device last requested a token, which it does about once an hour while it makes requests.
    public let lastSeen: Date
    /// `true` for the device that has made the request.
    public let isThisDevice: Bool
}

extension CatalogManager.Server {
    /// Requests the enrolled devices of the customer from the server.
    ///
    /// - Throws: ``AppServerError``.
    public func devices() async throws(AppServerError) -> [ServerDevice] { try await session.devices() }

    /// Ends the enrollment of another device of the customer, such as a lost one. A device that has proven the
    /// customer's store account or login can enroll again; a thief who has only the device's key cannot.
    ///
    /// - Parameter id: Identifier of the device at the server.
    /// - Throws: ``AppServerError`` `notFound` if the customer has no such device.
    public func endEnrollment(of id: String) async throws(AppServerError) {
        try await session.endEnrollment(of: id)
    }

    /// Returns an invitation with which another device can enroll for the customer of this device within a minute, once:
    /// a text of at most 500 characters, for example for a QR code. Any device that sends the invitation becomes a
    /// device of this customer.
    ///
    /// - Throws: ``AppServerError``.
    public func invitation() async throws(AppServerError) -> String { try await session.invitation() }
}

extension ServerSession {
    fileprivate func devices() async throws(AppServerError) -> [ServerDevice] {
        let reply = try await send(ServerClient.Request(AppServerAPI.devices))
        let own = try enrollment()?.device
        return reply.devices.map { device in
            ServerDevice(
                id: device.id, name: device.name, enrolledAt: Date(milliseconds: device.created),
                lastSeen: Date(milliseconds: device.seen), isThisDevice: device.id == own)
        }
    }

    fileprivate func endEnrollment(of id: String) async throws(AppServerError) {
        _ = try await ready()
        let challenge = try await challenge()
        let body = SignedChallenge(challenge: challenge, signature: try sign(challenge, for: "remove \(id)"))
        _ = try await send(ServerClient.Request(AppServerAPI.removeDevice, id, body: body))
    }

    fileprivate func invitation() async throws(AppServerError) -> String {
        let device = try await ready().device
        let challenge = try await challenge()
        let signature = try sign(challenge, for: "invite \(device)")
        return DeviceInvitation(device: device, challenge: challenge, signature: signature).text
    }

    /// Signs a challenge with the key of the enrolled device.
    private func sign(_ challenge: String, for purpose: String) throws(AppServerError) -> Data {
        guard let credentials = try storage.credentials() else { throw .left }
        return try credentials.sign(challenge, for: purpose)
    }
}
