import Foundation
import HTTPTypes
import Testing
import VitrineAppServerAPI
import VitrineNetworking
import VitrineSupport
import VitrineTestSupport

/// Two homes of one customer and one home of another, the store with its emulated server, and the app's server. All run
/// as processes, which end with the test.
final class EndToEndScene {
    struct Answer {
        let status: Int32
        let output: String
        let errors: String
    }

    static let app = "com.example.voyager"
    /// Homes of one customer.
    static let homes = [".vitrine", "tablet"]
    /// Home of another customer.
    static let other = "other"

    let folder: TemporaryFolder
    private let database: String?
    private var store: ServedProcess?
    private var server: ServedProcess?
    private(set) var url: URL

    /// Creates the homes and the store.
    ///
    /// - Parameter database: Connection string of PostgreSQL; `nil` for SQLite.
    init(database: String? = nil) throws {
        folder = try TemporaryFolder()
        self.database = database
        url = folder.url
        let catalog = Repository.sample("Voyager.plist").path()
        let first = ["--original-build", "150", "--original-date", "2019-05-01"]
        try succeed(
            [
                "init", "--catalog", catalog, "--store", Repository.sample("Voyager.storekit").path(), "--bundle",
                Self.app,
            ]
                + first)
        for (home, customer) in [("tablet", "default"), ("watch", "default"), (Self.other, "bob")] {
            try succeed(
                [
                    "init", "--home", home, "--catalog", catalog, "--join", ".vitrine/Store", "--customer", customer,
                    "--device", home,
                ] + first)
        }
        try startServer()
        let store = try ServedProcess(["store", ".vitrine/Store", "--port", "0", "--json"], in: folder)
        self.store = store
        try succeed(
            ["store", "webhook", url.appending(path: "v1/apple/notifications/\(Self.app)").absoluteString])
    }

    // MARK: Processes

    /// Starts the app's server; a restart uses the same address.
    func startServer() throws {
        let port = url.port ?? 0
        let server = try ServedProcess(
            ["serve", "--port", "\(port)", "--json"], in: folder,
            environment: database.map { ["VITRINE_POSTGRESQL": $0] } ?? [:])
        (self.server, url) = (server, server.url)
    }

    /// Ends the app's server.
    func stopServer() throws {
        let status = try #require(server).end()
        #expect(status == 0)
        server = nil
    }

    /// Runs `vitrine`.
    func run(_ arguments: [String]) throws -> Answer { try start(arguments).answer() }

    /// Starts `vitrine`.
    func start(_ arguments: [String]) throws -> StartedProcess {
        try StartedProcess("vitrine", arguments, in: folder)
    }

    /// Runs `vitrine`, and expects that it succeeds.
    @discardableResult
    func succeed(_ arguments: [String]) throws -> String {
        let answer = try run(arguments)
        try #require(answer.status == 0, "\(arguments): \(answer.output)\(answer.errors)")
        return answer.output
    }

    // MARK: Devices

    func sync(_ home: String) throws -> Answer {
        try run(["sync", "--home", home, "--server", url.absoluteString, "--name", home])
    }

    /// Exchanges on all homes of the customer until each has the facts of the others.
    func syncAll() throws {
        for home in Self.homes + Self.homes {
            let answer = try sync(home)
            #expect(answer.status == 0, "\(home): \(answer.output)\(answer.errors)")
        }
    }

    func owns(_ product: String, _ home: String) throws -> Bool {
        try run(["owned", "\(Self.app).\(product)", "--home", home]).status == 0
    }

    func coins(_ home: String) throws -> Int? {
        let line = try succeed(["wallet", "coins", "--home", home]).split(separator: "\n").last
        return line?.split(separator: " ").last.flatMap { Int($0) }
    }

    func buy(_ product: String, _ home: String) throws {
        try succeed(["buy", "\(Self.app).\(product)", "--home", home])
    }

    /// Refunds the purchase of a product in the store.
    func refund(_ product: String) throws {
        let line = try #require(
            try succeed(["store", "transactions"]).split(separator: "\n").first {
                $0.contains("\(Self.app).\(product)")
            })
        try succeed(["store", "refund", String(line.prefix { $0 != " " })])
    }

    /// Enrolls the device of a home. The tool prints the signed data, and the requests are made over HTTP.
    ///
    /// A challenge is valid for a minute, in which a busy machine may not even start the tool: only then, the device asks
    /// for another one.
    func enroll(_ home: String) async throws -> ObservingDevice {
        while true {
            let began = ContinuousClock.now
            let answer = try await requestEnrollment(home)
            if answer.response.status == .unauthorized, ContinuousClock.now - began > .seconds(60) { continue }
            return try ObservingDevice(answer, at: url)
        }
    }

    private func requestEnrollment(_ home: String) async throws -> HTTPReply {
        let transport = DefaultTransport.patient
        let limits = HTTPLimits(size: 1 << 20, seconds: 600)
        let challenge = try await transport.send(
            HTTPRequest(method: .get, url: url.appending(path: "v1/challenge")), body: Data(), limits: limits)
        let text = try JSONDecoder().decode(Challenge.self, from: challenge.body).challenge
        let body = try succeed(["signed", "--home", home, "--enroll", text, "--name", home])
        return try await transport.send(
            HTTPRequest(
                method: .post, url: url.appending(path: "v1/devices"), headerFields: [.contentType: "application/json"]),
            body: Data(body.utf8), limits: limits)
    }
}

/// Device that makes requests without the tool.
struct ObservingDevice: Sendable {
    struct CustomerState: Decodable {
        struct Owned: Decodable {
            let product: String
        }

        let sequence: Int64
        let owned: [Owned]
        let wallets: [String: Int]

        func owns(_ product: String) -> Bool { owned.contains { $0.product == "\(EndToEndScene.app).\(product)" } }
    }

    private let token: String
    private let url: URL

    init(_ answer: HTTPReply, at url: URL) throws {
        try #require(answer.response.status == .created, "\(String(decoding: answer.body, as: UTF8.self))")
        token = try JSONDecoder().decode(Enrollment.self, from: answer.body).token.token
        self.url = url
    }

    func send(_ method: HTTPRequest.Method, _ path: String, _ body: String = "") async throws -> HTTPReply {
        let address = try #require(URL(string: "\(url.absoluteString)/v1/me/\(path)"))
        return try await DefaultTransport.patient.send(
            HTTPRequest(
                method: method, url: address,
                headerFields: [.authorization: "Bearer \(token)", .contentType: "application/json"]),
            body: Data(body.utf8), limits: HTTPLimits(size: 1 << 20, seconds: 600))
    }

    func customerState() async throws -> CustomerState {
        try JSONDecoder().decode(CustomerState.self, from: try await send(.get, "state").body)
    }

    /// Waits until the server has the state that a test expects. It reads the stream of changes, and does not poll.
    func wait(until isExpected: (CustomerState) -> Bool) async throws -> CustomerState {
        var customerState = try await customerState()
        for _ in 0..<20 where !isExpected(customerState) {
            try await waitForChange(after: customerState.sequence)
            customerState = try await self.customerState()
        }
        return customerState
    }
}

extension ObservingDevice {
    /// Waits until the customer has a fact after a given one.
    private func waitForChange(after sequence: Int64) async throws {
        let change = HTTPTransportError(code: .refused, reason: "the customer has changed")
        let address = try #require(URL(string: "\(url.absoluteString)/v1/me/events"))
        let request = HTTPRequest(
            method: .get, url: address,
            headerFields: [.authorization: "Bearer \(token)", .lastEventID: String(sequence)])
        do throws(HTTPTransportError) {
            try await DefaultTransport.patient.receive(
                request, body: Data(), limits: HTTPLimits(size: 1 << 20, seconds: 600)
            ) { _ in
            } part: { data throws(HTTPTransportError) in
                // The other elements of the stream are comments.
                if String(decoding: data, as: UTF8.self).contains("data:") { throw change }
            }
        } catch {
            guard error == change else { throw error }
        }
    }
}

/// Process whose output is read after it has ended.
final class StartedProcess {
    private let process = Process()
    private let (output, errors): (URL, URL)
    private let captures: TemporaryFolder

    /// - Parameter program: Name of a program that was built with the tests, or `sh`, which then finds these
    ///   programs.
    init(_ program: String, _ arguments: [String], in folder: TemporaryFolder) throws {
        captures = try TemporaryFolder()
        output = try captures.write("", to: "output")
        errors = try captures.write("", to: "errors")
        let programs = Bundle.main.bundleURL
        process.executableURL = program == "sh" ? URL(filePath: "/bin/sh") : programs.appending(path: program)
        process.arguments = arguments
        process.currentDirectoryURL = folder.url
        let environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("VITRINE_") }
        process.environment = environment.merging([
            "PATH": "\(programs.path(percentEncoded: false)):\(environment["PATH"] ?? "")"
        ]) { $1 }
        process.standardOutput = try FileHandle(forWritingTo: output)
        process.standardError = try FileHandle(forWritingTo: errors)
        try process.run()
    }

    func answer() throws -> EndToEndScene.Answer {
        process.waitUntilExit()
        return EndToEndScene.Answer(
            status: process.terminationStatus, output: try String(contentsOf: output, encoding: .utf8),
            errors: try String(contentsOf: errors, encoding: .utf8))
    }
}

/// Process of `vitrine-server` that has printed its address.
final class ServedProcess {
    private let process = Process()
    let url: URL

    init(_ arguments: [String], in folder: TemporaryFolder, environment: [String: String] = [:]) throws {
        struct Ready: Decodable {
            let url: URL
        }
        let output = Pipe()
        process.executableURL = Bundle.main.bundleURL.appending(path: "vitrine-server")
        process.arguments = arguments
        process.currentDirectoryURL = folder.url
        process.environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("VITRINE_") }
            .merging(environment) { $1 }
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let line = output.fileHandleForReading.availableData
        url = try JSONDecoder().decode(Ready.self, from: line).url
    }

    deinit {
        guard process.isRunning else { return }
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// Ends the process with SIGTERM, and returns its exit status.
    func end() -> Int32 {
        process.terminate()
        process.waitUntilExit()
        return process.terminationStatus
    }
}
