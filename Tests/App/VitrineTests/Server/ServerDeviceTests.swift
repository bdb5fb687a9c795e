import Foundation
import Testing
import VitrineCatalog
import VitrineFileSystem
import VitrineReceipts
import VitrineStoreSimulator
import VitrineTestSupport

@testable import Vitrine

/// What a device proves to the app's own server, and the other devices of its customer there.
@Suite(.hangLimit) struct ServerDeviceTests: ServerScene {
    let stage: ServerStage

    init() async throws { stage = try await ServerStage() }

    private struct Body: Decodable {
        let appTransaction: String?
        let deviceVerificationID: UUID?
    }

    /// Returns the body of the last request with a path.
    private func body(ofLast path: String) throws -> Body {
        let request = try #require(server.received.last { $0.method == "POST" && $0.path == path })
        return try JSONDecoder().decode(Body.self, from: request.body)
    }

    @Test func `a device enrolls with an app transaction that the store has signed for it, and the bound identifier`()
        async throws
    {
        try await voyager.store.setOriginalPurchase(
            OriginalPurchase(version: "900", date: voyager.clock.now, platform: .iOS))
        let phone = try await makeDevice("phone")
        try await phone.server.enroll()

        let sent = try body(ofLast: "/v1/devices")
        let identifier = try #require(sent.deviceVerificationID)
        #expect(identifier == voyager.store.deviceVerificationID)
        let payload = try #require(sent.appTransaction.flatMap(UnverifiedJWS.init)?.decode(AppTransactionPayload.self))
        #expect(payload.isBound(to: identifier))
        // Whoever reads the files of the device does not learn the identifier.
        let file = try Data(contentsOf: home("phone").credentials)
        let text = String(decoding: file, as: UTF8.self).lowercased()
        #expect(!text.contains(identifier.uuidString.lowercased()))
    }

    @Test func `reports of signed data contain the identifier to which the store binds them`() async throws {
        let phone = try await makeDevice("phone")
        #expect(await buy("lisbon", with: phone) == "charged")
        try await phone.server.report()
        #expect(try body(ofLast: "/v1/me/signed").deviceVerificationID == voyager.store.deviceVerificationID)
    }

    @Test func `a device lists the customer's devices and ends the enrollment of another one`() async throws {
        let (phone, tablet) = (try await makeDevice("phone"), try await makeDevice("tablet"))
        for device in [phone, tablet] { try await device.server.enroll() }

        let devices = try await phone.server.devices()
        #expect(devices.count == 2)
        let other = try #require(devices.first { !$0.isThisDevice })
        #expect(other.enrolledAt == Date(timeIntervalSince1970: 1) && other.lastSeen == other.enrolledAt + 1)
        #expect(try credentials("tablet")?.enrollment?.device == other.id)

        try await phone.server.endEnrollment(of: other.id)
        #expect(try await phone.server.devices().map(\.isThisDevice) == [true])
        let error = await #expect(throws: AppServerError.self) { try await phone.server.endEnrollment(of: other.id) }
        #expect(error?.code == .notFound)
    }

    @Test func `an invitation by an enrolled device is accepted with the enrollment of another device`() async throws {
        let (phone, tablet) = (try await makeDevice("phone"), try await makeDevice("tablet"))
        try await phone.server.enroll()
        let invitation = try await phone.server.invitation()
        #expect(invitation.utf8.count <= 500)

        try await tablet.server.enroll(invitation: invitation)

        #expect(server.number(of: "invitation") == 1)
        #expect(try tablet.server.customer == phone.server.customer)
    }
}
