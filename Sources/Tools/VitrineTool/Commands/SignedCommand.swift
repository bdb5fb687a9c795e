import ArgumentParser
import Foundation
import Vitrine
import VitrineCommandSupport
import VitrineStoreSimulator

struct SignedCommand: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "signed",
        abstract: "Print what the store has signed for this customer, for the app's own server.",
        discussion: """
            Prints the transactions that the store knows on this device, and those that are in the ledger, as the body \
            of a request to report them: POST /v1/me/signed takes at most 50. The body also has the identifier to which \
            the store binds what it signs for the device. With --enroll, prints the body of POST \
            /v1/devices instead, which answers a challenge of the server with the key of this device. The key is made \
            once, and stored in the home. 'vitrine sync --server' does both by itself.

            EXAMPLE:
              vitrine signed | curl -H "Authorization: Bearer $TOKEN" \\
                --json @- http://127.0.0.1:8080/v1/me/signed
              vitrine signed --enroll "$CHALLENGE" | \\
                curl --json @- http://127.0.0.1:8080/v1/devices
            """
    )

    @Option(
        help: ArgumentHelp(
            "The challenge of the server, to print the body of a request for enrollment.", valueName: "challenge"))
    var enroll: String?

    @Option(
        help: ArgumentHelp("The name of the app at the server. (default: the bundle identifier)", valueName: "name"))
    var app: String?

    @Option(help: ArgumentHelp("The name of this device, for people."))
    var name = ""

    @OptionGroup var session: SessionOptions

    func validate() throws {
        guard enroll != "" else { throw ValidationError("The challenge must not be empty.") }
        guard enroll != nil || app == nil && name.isEmpty else {
            throw ValidationError("--app and --name belong to --enroll.")
        }
    }

    func report() async throws -> Report {
        let app = try enroll == nil ? "" : app ?? session.home.folder.openStore().bundleIdentifier
        return try await OpenHome.open(session).use { manager, _ in
            guard let enroll else {
                return try Self.report(
                    try JSONDecoder().decode(ReportBody.self, from: try await manager.server.reportRequest()))
            }
            let body = try await manager.server.enrollmentRequest(answering: enroll, app: app, name: name)
            return try Self.report(try JSONDecoder().decode([String: String].self, from: body))
        }
    }

    private struct ReportBody: Codable {
        let signed: [String]
        let deviceVerificationID: String?
    }

    private static func report(_ document: some Encodable) throws -> Report {
        Report(lines: try Console.encode(document).components(separatedBy: "\n"), json: JSONObject(document))
    }
}
