import Crypto
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOEmbedded
import Testing
import VitrineAppServerAPI
import VitrineAppServerRecords
import VitrineHTTPServing
import VitrineReceipts
import VitrineStoreSimulator
import VitrineSupport
import VitrineTestSupport

@testable import VitrineAppServer

/// Server in memory with one app, whose routes are called without a connection.
struct RouteTester: Sendable {
    static let app = "com.example.voyager"
    /// Tokens of operators, whose names are in them.
    static let operatorTokens: [OperatorRole: String] = [
        .read: "reader-000000000000000000000000000", .support: "supporter-000000000000000000000000000",
        .admin: "administrator-000000000000000000000000000",
    ]

    let clock: TestClock
    let folder: TemporaryFolder
    let records: CustomerRecords
    let services: AppServices
    private let publicRoutes: Routes
    private let operatorRoutes: OperatorResponder

    /// Creates the server.
    ///
    /// - Parameters:
    ///   - publisher: Only publisher whose catalogs the app accepts; `nil` if its catalogs need no signature.
    ///   - names: Host names of the operators' address.
    ///   - openFile: Function that opens the files of hosted content; `nil` for that of the server.
    ///   - logger: Logger of the services.
    init(
        trusting publisher: CatalogPublisher? = nil, names: Set<String> = [], openFile: FileOpening? = nil,
        logger: Logger = .silent
    ) async throws {
        let (clock, folder) = (TestClock(), try TemporaryFolder())
        let store = try SimulatedStore.inMemory(
            configuration: Data(contentsOf: Repository.sample("Voyager.storekit")), bundleIdentifier: Self.app,
            environment: .sandbox, seed: 7)
        let roots = try TrustedRoots(pem: store.rootCertificate)
        var app = ConfiguredApp(name: Self.app, bundleIdentifier: Self.app, environment: .sandbox, roots: roots)
        app.content = folder.url
        app.catalogTrust = publisher?.trust()
        var configuration = AppServerConfiguration()
        configuration.storage = .memory
        configuration.apps = [app]
        configuration.operators = Self.operatorTokens.map { role, token in
            OperatorAccount(
                name: "the \(token.prefix { $0 != "-" })", role: role, tokenDigest: OperatorAccounts.digest(of: token))
        }
        var options = AppServerOptions()
        options.customers.now = { clock.now }
        options.openFile = openFile ?? options.openFile
        configuration.limits = .unlimited
        records = try await CustomerRecords(
            database: configuration.openDatabase(), apps: [app.served { clock.now }], options: options.customers)
        services = AppServices(records: records, configuration: configuration, options: options, logger: logger)
        publicRoutes = buildRouter(services)
        operatorRoutes = OperatorResponder(buildOperatorRouter(services), names: names)
        (self.clock, self.folder) = (clock, folder)
    }

    // MARK: Requests

    struct Reply: Sendable {
        let status: Int
        let headers: HTTPFields
        let body: Data

        var text: String { String(decoding: body, as: UTF8.self) }

        var json: JSONValue {
            get throws { try JSONValue(json: body) }
        }

        /// Error code in the body.
        var code: String? {
            get throws { try json["code"]?.text }
        }
    }

    /// Sends a request to the public address. An error that the endpoint does not declare fails the test.
    func send(
        _ method: HTTPRequest.Method, _ path: String, _ headers: HTTPFields = [:], token: String? = nil,
        body: Data? = nil
    ) async throws -> Reply {
        let reply = try await Self.send(
            Self.head(method, path, headers, token, "voyager.example"), body, to: publicRoutes)
        if reply.status >= 400, let code = (try? reply.code).flatMap(WireErrorCode.init) {
            #expect(publicRoutes.mayAnswer(method, path, with: code), "\(method) \(path) does not declare \(code)")
        }
        return reply
    }

    /// Sends a request to the operators' address.
    func operate(
        _ method: HTTPRequest.Method, _ path: String, as role: OperatorRole? = .admin, _ headers: HTTPFields = [:],
        body: Data? = nil, host: String = "127.0.0.1:8081"
    ) async throws -> Reply {
        let token = role.flatMap { Self.operatorTokens[$0] }
        return try await Self.send(Self.head(method, path, headers, token, host), body, to: operatorRoutes)
    }

    private static func head(
        _ method: HTTPRequest.Method, _ path: String, _ headers: HTTPFields, _ token: String?, _ host: String
    ) -> HTTPRequest {
        var headers = headers
        if let token { headers[.authorization] = "Bearer \(token)" }
        return HTTPRequest(method: method, scheme: "http", authority: host, path: path, headerFields: headers)
    }

    private static func send<Responder: HTTPResponder>(
        _ head: HTTPRequest, _ body: Data?, to responder: Responder
    ) async throws -> Reply where Responder.Context == ConnectionContext {
        let channel = NIOAsyncTestingChannel()
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        let context = ConnectionContext(source: ApplicationRequestContextSource(channel: channel, logger: logger))
        let request = Request(head: head, body: RequestBody(buffer: ByteBuffer(bytes: body ?? Data())))
        let response = try await responder.respond(to: request, context: context)
        let collected = CollectedBody()
        try await response.body.write(collected)
        return Reply(status: response.status.code, headers: response.headers, body: collected.data)
    }

    // MARK: Customers

    /// Enrolled device.
    struct Device: Sendable {
        let id: String
        let customer: String
        let token: String
    }

    /// Enrolls a device of a new customer.
    func enroll() async throws -> Device {
        let (key, challenge) = (P256.Signing.PrivateKey(), records.challenge())
        var request = EnrollmentRequest(
            publicKey: key.publicKey.x963Representation, challenge: challenge, signature: Data(), name: "phone")
        let message = DeviceProof.message("enroll \(Self.app)", challenge: challenge, covering: request.covered)
        request.signature = try key.signature(for: message).derRepresentation
        let enrollment = try await records.enroll(request, app: Self.app)
        return Device(
            id: enrollment.device, customer: enrollment.customer, token: enrollment.token.token)
    }

    /// Grants a product to a customer.
    func give(_ product: String, to device: Device) async throws {
        _ = try await records.grant(
            product, to: device.customer, token: UUID().uuidString, reason: "test", until: nil, by: "test")
    }

    /// Publishes a catalog without a signature.
    func publish(_ catalog: String) async throws {
        try await services.catalogs.publish(["catalog.plist": Data(catalog.utf8)], app: Self.app)
    }
}

/// Collected body of a response.
private final class CollectedBody: ResponseBodyWriter, Sendable {
    private let collected = Locked(Data())

    var data: Data { collected.withLock { $0 } }

    func write(_ buffer: ByteBuffer) async throws {
        collected.withLock { $0.append(contentsOf: buffer.readableBytesView) }
    }

    func finish(_ trailingHeaders: HTTPFields?) async throws {}
}

extension JSONValue {
    var text: String? { if case .string(let text) = self { text } else { nil } }

    var number: Int64? { if case .integer(let number) = self { number } else { nil } }

    var list: [JSONValue]? { if case .array(let list) = self { list } else { nil } }
}
