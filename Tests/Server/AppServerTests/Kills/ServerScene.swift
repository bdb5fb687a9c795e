import Crypto
import Foundation
import Testing
import VitrineAppServerAPI
import VitrineAppServerRecords
import VitrineReceipts
import VitrineTestSupport

/// Configuration of a server, with customers who have a balance, and enrolled devices.
struct ServerScene: Sendable {
    static let customers = 50
    static let devices = 4
    /// Initial balance of each customer, in units.
    static let units = 500_000

    let configuration: URL
    let clients: [Writers.Client]

    /// Limits that clients of one address and few devices do not reach.
    private static let unlimited =
        "<key>limits</key><dict>"
        + [
            "requestsPerMinute", "connectionsPerAddress", "streamsPerAddress", "streamsPerDevice", "readsPerSecond",
        ].map { "<key>\($0)</key><integer>1000000000</integer>" }.joined() + "</dict>"

    /// Writes a configuration, and creates customers with their balance and devices.
    static func make(
        in folder: TemporaryFolder, storage: String, open: () async throws -> any CustomerDatabase
    ) async throws -> ServerScene {
        let app = try SignedApp()
        let name = SignedApp.bundleIdentifier
        try app.identity.rootPEM.write(to: folder["root.pem"], atomically: true, encoding: .utf8)
        let configuration = folder["server.plist"]
        try """
        <plist version="1.0"><dict>\(storage)\(unlimited)<key>apps</key><array><dict>\
        <key>bundleIdentifier</key><string>\(name)</string><key>environment</key><string>Sandbox</string>\
        <key>roots</key><array><string>root.pem</string></array></dict></array></dict></plist>
        """.write(to: configuration, atomically: true, encoding: .utf8)
        let records = try await CustomerRecords(
            database: try await open(),
            apps: [
                ServedApp(
                    name: name, bundleIdentifier: name, environment: .sandbox, verifier: try app.verifier { Date() })
            ])
        try await records.publish(
            ["catalog.plist": try Data(contentsOf: Repository.sample("Voyager.plist"))], after: nil, app: name)
        var clients: [Writers.Client] = []
        for customer in 0..<customers {
            for _ in 0..<devices {
                let (key, identifier) = (P256.Signing.PrivateKey(), UUID())
                var request = EnrollmentRequest(
                    publicKey: key.publicKey.x963Representation, challenge: records.challenge(), signature: Data(),
                    name: "device",
                    appTransaction: try app.appTransaction(of: "store\(customer)", boundTo: identifier),
                    deviceVerificationID: identifier)
                let message = DeviceProof.message(
                    "enroll \(name)", challenge: request.challenge, covering: request.covered)
                request.signature = try key.signature(for: message).derRepresentation
                let enrollment = try await records.enroll(request, app: name)
                clients.append(
                    Writers.Client(
                        number: clients.count, customer: enrollment.customer, token: enrollment.token.token))
            }
            _ = try await records.deposit(
                units, in: "coins", of: try #require(clients.last).customer, token: "start", reason: "test", by: "test")
        }
        await records.close()
        return ServerScene(configuration: configuration, clients: clients)
    }
}
