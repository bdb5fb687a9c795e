import Foundation
import Logging
import Metrics
import Synchronization
import Testing
import VitrineAppServerAPI
import VitrineAppServerRecords
import VitrinePurchasing
import VitrineReceipts
import VitrineStoreSimulator
import VitrineTestSupport

@testable import VitrineAppServer

/// Monitoring of the server: health, metrics and logs.
@Suite(.hangLimit) struct HealthTests {
    private struct Health: Decodable {
        let status: String
        let warnings: [String]
    }

    @Test func `a server is live and ready, and warns if no notification has arrived for a day`() async throws {
        try await ServedApps.run { server in
            #expect(try await server.client.send("GET", "/health/live").decode(Health.self).status == "live")
            let ready = try await server.client.send("GET", "/health/ready").decode(Health.self)
            #expect(ready.status == "ready")
            #expect(ready.warnings.isEmpty)
            server.clock.advance(by: 26 * 3_600 + 60)
            let later = try await server.client.send("GET", "/health/ready").decode(Health.self)
            #expect(later.status == "ready")
            #expect(later.warnings == ["no notification of the store for 26 hours"])
        }
    }

    @Test func `a server whose database does not answer is not ready, and asks it one question at a time`() async throws
    {
        let database = StuckDatabase(try SQLiteCustomerDatabase.inMemory())
        let records = try await CustomerRecords(database: database, apps: [], options: CustomerOptions())
        func checks(within limit: Duration) -> ServerChecks {
            ServerChecks(records, ClientAddress(proxies: 0, logger: .silent), within: limit) { Date() }
        }
        let stuck = checks(within: .milliseconds(10))
        for _ in 0..<3 {
            let error = await #expect(throws: ErrorResponse.self) { try await stuck.checkDatabase() }
            #expect(error?.code == "unavailable")
        }
        #expect(database.questions <= 1)
        database.release()
        try await checks(within: .seconds(3_600)).checkDatabase()
    }

    @Test func `the warnings of a ready server count no rows of its database`() async throws {
        let database = StuckDatabase(try SQLiteCustomerDatabase.inMemory())
        let (app, clock) = (try SignedApp(), TestClock(.sample))
        let served = ServedApp(
            name: "app", bundleIdentifier: SignedApp.bundleIdentifier, environment: SignedApp.environment,
            verifier: try app.verifier { clock.now })
        var options = CustomerOptions()
        options.now = { clock.now }
        let records = try await CustomerRecords(database: database, apps: [served], options: options)
        let notification = try app.notification(
            .oneTimeCharge, id: "n1", transaction: app.transaction("rome", id: "1", account: "A"))
        let checks = ServerChecks(records, ClientAddress(proxies: 0, logger: .silent), within: .seconds(3_600)) {
            clock.now
        }
        clock.advance(by: 20 * 3_600)
        // The product waits for a catalog.
        #expect(try await records.receive(signedPayload: notification, app: "app") == .waiting)
        let before = database.statements.count
        clock.advance(by: 23 * 3_600)
        #expect(try await checks.warnings() == [])
        clock.advance(by: 3_600)
        #expect(try await checks.warnings() == ["no notification of the store for 24 hours"])
        let asked = database.statements.dropFirst(before)
        #expect(!asked.isEmpty && asked.allSatisfy { !$0.lowercased().contains("count(") })
    }

    @Test func `a server that shuts down is live and not ready, and accepts connections while it drains`() async throws
    {
        try await ServedApps.run(configure: { configuration, _ in configuration.drain = 5 }) { server in
            // The streams wait for their beat.
            _ = await server.sleep.begun()
            await server.shutDown()
            #expect(await server.sleep.begun() == .seconds(5))
            let answer = try await server.client.send("GET", "/health/ready")
            #expect(answer.status == 503)
            #expect(try answer.errorResponse.retryable)
            #expect(try await server.client.send("GET", "/health/live").status == 200)
            #expect(try await server.client.send("GET", "/v1/key").status == 200)
        }
    }

    @Test func `a request that has begun is answered while the server shuts down`() async throws {
        try await ServedApps.run { server in
            let body = Data("{}".utf8)
            try await server.client.connect { connection in
                let head = HTTPLine.head("POST", "/v1/verify", [("Expect", "100-continue")], length: body.count)
                try await connection.write(head)
                #expect(try await connection.read(until: "\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n")
                await server.shutDown()
                try await connection.write(body)
                let answer = try #require(HTTPLine.Answer(try await connection.readAll()))
                #expect(answer.status == 400)
            }
        }
    }

    // MARK: Metrics

    @Test func `metrics contain routes, methods and statuses, and no customer data`() async throws {
        try await ServedApps.run { server in
            let device = try await server.enroll()
            _ = try await server.client.send("GET", "/v1/me/documents/secret-name", device.headers)
            _ = try await server.client.send("PATCH", "/v1/key")
            _ = try await server.client.send("GET", "/secret-path")
            let path = "/v1/apple/notifications/\(ServedApps.app)"
            _ = try await server.client.send("POST", path, body: Data("{}".utf8))
            let answer = try await server.client.send("GET", "/metrics")
            #expect(answer.fields["content-type"] == "text/plain; version=0.0.4")
            for line in [
                #"# TYPE http_requests_total counter"#,
                #"http_requests_total{method="POST",route="/v1/devices",status="201"} 1"#,
                #"http_requests_total{method="GET",route="/v1/me/documents/{name}",status="404"} 1"#,
                #"http_requests_total{method="GET",route="none",status="404"} 1"#,
                #"http_requests_total{method="other",route="none",status="405"} 1"#,
                #"# TYPE http_request_duration_seconds histogram"#,
                #"http_request_duration_seconds_count{route="/v1/devices"} 1"#,
                #"http_request_duration_seconds_bucket{route="/v1/devices",le="+Inf"} 1"#,
                #"notifications_total{outcome="invalid"} 1"#,
                "devices 1", "customers 1",
            ] {
                #expect(answer.text.contains("\n\(line)\n"), "\(line)")
            }
            #expect(!answer.text.contains("secret"))
            #expect(!answer.text.contains(device.enrollment.customer))
        }
    }

    @Test func `metric label values are escaped, and histogram buckets are cumulative`() {
        let metrics = PrometheusMetrics()
        metrics.makeCounter(label: "a.b", dimensions: [("x", "a\"\\\n")]).increment(by: 3)
        metrics.makeCounter(label: "a.b", dimensions: [("x", "a\"\\\n")]).increment(by: 4)
        let timer = metrics.makeTimer(label: "t", dimensions: [])
        timer.recordNanoseconds(2_000_000)
        timer.recordNanoseconds(60_000_000_000)
        metrics.makeMeter(label: "9m", dimensions: []).set(0.5)
        let lines = metrics.text.split(separator: "\n").map(String.init)
        for line in [
            "# TYPE a_b counter", #"a_b{x="a\"\\\n"} 7"#, #"t_bucket{le="0.001"} 0"#, #"t_bucket{le="0.0025"} 1"#,
            #"t_bucket{le="10"} 1"#, #"t_bucket{le="+Inf"} 2"#, "t_sum 60.002", "t_count 2", "_9m 0.5",
        ] {
            #expect(lines.contains(line), "\(line)")
        }
    }

    // MARK: Logs

    @Test func `the log at info level contains routes, and no data that identifies a customer or a purchase`()
        async throws
    {
        let lines = LogLines()
        var logger = Logger(label: "test") { _ in RecordingHandler(lines: lines) }
        logger.logLevel = .info
        let secrets = try await ServedApps.run(logger: logger) { server in
            let device = try await server.enroll()
            let signed = try await server.buy("com.example.voyager.coins50")
            try await server.report([signed, "\(signed)x"], from: device)
            let wrong = [("Authorization", "Bearer wrong-token")]
            _ = try await server.client.send("GET", "/v1/me/state", wrong)
            _ = try await server.client.send("GET", "/v1/me/documents/secret-name", device.headers)
            _ = try await server.client.send("GET", "/secret-path?token=secret")
            let debit = Data(#"{"token":"secret-debit","amount":999999}"#.utf8)
            _ = try await server.client.send("POST", "/v1/me/wallets/coins/debits", device.headers, body: debit)
            _ = try await server.client.send(
                "POST", "/v1/verify", json: ["bundleId": "a", "signedTransaction": signed])
            let transactions = try await server.store.knownTransactions().map(\.id)
            let enrollment = device.enrollment
            return [
                enrollment.token.token, enrollment.customer, enrollment.device, enrollment.key.base64EncodedString(),
                "secret", "wrong-token", String(signed.suffix(40)), String(signed.prefix(40)),
            ] + transactions
        }
        let all = lines.all.joined(separator: "\n")
        #expect(all.contains("POST /v1/devices 201"))
        #expect(all.contains("GET /v1/me/documents/{name} 404"))
        for secret in secrets where secret.count > 3 { #expect(!all.contains(secret), "\(secret)") }
        #expect(secrets.count > 8)
    }
}

/// Lines of a log.
final class LogLines: Sendable {
    private let lines = Mutex<[String]>([])

    var all: [String] { lines.withLock { $0 } }

    func append(_ line: String) { lines.withLock { $0.append(line) } }
}

struct RecordingHandler: LogHandler {
    let lines: LogLines
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.info

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        lines.append("\(event.level) \(event.message) \(event.metadata ?? [:]) \(metadata)")
    }
}
