import Foundation
import Testing
import VitrineReceipts
import VitrineTestSupport

/// Process of `vitrine store serve`, which ends with the test.
final class StoreServerProcess {
    let process: Process
    /// Address that the server has printed.
    let url: URL
    private let output: LineReader

    /// Starts a server, and waits until it accepts connections.
    ///
    /// - Parameter errors: File for what the server writes to standard error.
    init(_ tool: Tool, _ arguments: String..., errors: URL? = nil) throws {
        let pipe = Pipe()
        if let errors { try Data().write(to: errors) }
        process = try tool.startShowing(
            ["store", "serve"] + arguments, output: pipe.fileHandleForWriting,
            errors: errors.map { try FileHandle(forWritingTo: $0) }, environment: Tool.withServer)
        output = LineReader(pipe.fileHandleForReading)
        let line = try output.line(with: "http://")
        url = try #require(line.firstMatch(of: /http:[^ "]+/).flatMap { URL(string: String($0.output)) }, "\(line)")
    }

    deinit {
        guard process.isRunning else { return }
        end(SIGKILL)
    }

    /// Sends a signal, and waits for the end of the process.
    ///
    /// - Returns: The exit status, and the remaining output.
    @discardableResult
    func end(_ signal: Int32 = SIGTERM) -> (status: Int32, output: String) {
        kill(process.processIdentifier, signal)
        process.waitUntilExit()
        return (process.terminationStatus, output.rest())
    }
}

extension Tool {
    /// Environment in which the tool finds `vitrine-server`, even if the tool is not the one that was built with the
    /// tests.
    static let withServer = [
        "PATH": [Bundle.main.bundleURL.path(percentEncoded: false), ProcessInfo.processInfo.environment["PATH"] ?? ""]
            .joined(separator: ":")
    ]

    /// Sets the address of a receiver of notifications.
    func setWebhook(_ receiver: LoopbackServer) throws {
        try succeed("store", "webhook", receiver.url.appending(path: "notifications").absoluteString)
    }

    /// Makes a key of the app's server in the folder `Keys`.
    func makeServerKey() throws -> AppStoreServerKey {
        let json = try succeed("store", "key", "--folder", "Keys", "--json").json
        let file = folder[try #require(json["file"] as? String)]
        return try AppStoreServerKey(
            pem: String(contentsOf: file, encoding: .utf8), identifier: #require(json["key"] as? String),
            issuer: #require(json["issuer"] as? String))
    }

    /// Makes a key, and a client that sends its requests to a server.
    func makeClient(of server: StoreServerProcess) throws -> AppStoreServerClient {
        // Beside other tests, on two cores, an answer may wait for a thread.
        AppStoreServerClient(
            server: .other(server.url), key: try makeServerKey(), bundleIdentifier: "com.example.club", timeout: 600)
    }

    /// Returns the verifier of an app's server, which trusts the store.
    func serverVerifier(_ environment: StoreEnvironment = .sandbox) throws -> SignedDataVerifier {
        SignedDataVerifier(
            roots: try TrustedRoots(pem: succeed("store", "root").output), bundleIdentifier: "com.example.club",
            environment: environment)
    }

    /// Returns the verified notifications of a receiver.
    func notifications(
        of receiver: LoopbackServer, in environment: StoreEnvironment = .sandbox
    ) async throws -> [NotificationPayload] {
        let verifier = try serverVerifier(environment)
        var payloads: [NotificationPayload] = []
        for request in receiver.requests {
            let body = try JSONDecoder().decode([String: String].self, from: request.body)
            let verification = await verifier.verify(notification: try #require(body["signedPayload"]))
            guard case .verified(let notification) = verification else {
                Issue.record("the notification is not verified: \(verification)")
                continue
            }
            payloads.append(notification.payload)
        }
        return payloads
    }
}
