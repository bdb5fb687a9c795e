import Foundation
import Testing
import VitrineReceipts
import VitrineSupport
import VitrineTestSupport

/// Command `vitrine store serve` from its start to its end, as the app's server uses it.
@Suite(.blocksThreads, .hangLimit) struct StoreServeTests {
    private let tool: Tool

    init() throws { tool = try Tool.club() }

    private func statuses(_ client: AppStoreServerClient, of transaction: String) async throws -> [SubscriptionState] {
        try await client.subscriptionStatuses(of: transaction).groups.flatMap(\.subscriptions).map(\.status)
    }

    @Test func `the store server answers requests that are signed with a key of the store`() async throws {
        let server = try StoreServerProcess(tool)
        let client = try tool.makeClient(of: server)
        try tool.succeed("buy", "club.silver")
        #expect(try await statuses(client, of: "1") == [.active])

        try tool.succeed("store", "set", "renewal", "off", "club.silver")
        try tool.succeed("store", "advance", "P1M")
        #expect(try await statuses(client, of: "1") == [.expired])
        let pages = try await client.transactionHistory(of: "1").reduce(into: []) { $0.append($1) }
        #expect(pages.map(\.bundleIdentifier) == ["com.example.club"])
        let signed = try #require(pages.flatMap(\.signedTransactions).first)
        guard case .verified(let transaction) = try await tool.serverVerifier().verify(transaction: signed) else {
            Issue.record("the transaction is not verified")
            return
        }
        #expect(transaction.payload.productIdentifier == "club.silver")
        let end = server.end()
        #expect(end.status == 0)
        #expect(end.output.isEmpty)
    }

    @Test func `the store server refuses requests that are signed with a key of another store`() async throws {
        let server = try StoreServerProcess(tool)
        let other = try Tool.club()
        let stranger = try other.makeClient(of: server)
        let error = await #expect(throws: AppStoreServerError.self) { try await statuses(stranger, of: "1") }

        #expect(error?.context?.status == 401)
    }

    @Test func `vitrine store serve --json prints its address, and exits with status 0 if it is interrupted`() throws {
        let server = try StoreServerProcess(tool, "--json", "--host", "localhost")

        #expect(server.url.host() == "localhost")
        let end = server.end(SIGINT)
        #expect(end.status == 0)
        #expect(end.output.isEmpty)
    }

    @Test func `vitrine store serve reports a missing key and a missing notification address`() throws {
        let errors = tool.folder["errors"]
        try StoreServerProcess(tool, errors: errors).end()
        let remarks = try String(contentsOf: errors, encoding: .utf8)
        #expect(remarks.contains("'vitrine store key' makes a key"))
        #expect(remarks.contains("'vitrine store webhook' sets the address"))

        _ = try tool.makeServerKey()
        try tool.succeed("store", "webhook", "http://127.0.0.1:8081/")
        try StoreServerProcess(tool, errors: errors).end()
        #expect(try String(contentsOf: errors, encoding: .utf8).isEmpty)
    }

    @Test(arguments: [SIGTERM, SIGINT])
    func `a terminated server still answers the request that it has begun to read`(signal: Int32) throws {
        let server = try StoreServerProcess(tool)
        let connection = try RawConnection(to: server.url)
        // The answer to the first request shows that the server has read the head of the second one.
        let request = "POST /ocsp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\n\r\n"
        try connection.send("\(request)none\(request)no")
        _ = try connection.receive(until: "HTTP/1.1 200 OK")
        kill(server.process.processIdentifier, signal)
        awaitClosedPort(server.url)
        #expect(server.process.isRunning)
        try connection.send("ne")

        _ = try connection.receive(until: "HTTP/1.1 200 OK")
        server.process.waitUntilExit()
        #expect(server.process.terminationStatus == 0)
    }

    @Test func `a second termination signal ends a server that waits for the end of a request`() throws {
        let server = try StoreServerProcess(tool)
        let connection = try RawConnection(to: server.url)
        let request = "POST /ocsp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\n\r\n"
        try connection.send("\(request)none\(request)no")
        _ = try connection.receive(until: "HTTP/1.1 200 OK")
        kill(server.process.processIdentifier, SIGTERM)
        awaitClosedPort(server.url)

        #expect(server.end().status == 0)
        // The server has not waited until the time for the body was over, after which it would have answered 408.
        #expect(throws: POSIXError.self) { try connection.receive(until: "HTTP/1.1 4") }
    }

    /// Waits until a server no longer accepts connections.
    private func awaitClosedPort(_ url: URL) {
        while (try? RawConnection(to: url)) != nil {}
    }

    @Test func `vitrine store serve reports why it cannot listen at an address`() async throws {
        let taken = try await LoopbackServer(.reply())
        let port = try #require(taken.url.port)
        for (arguments, text) in [
            (["--port", "\(port)"], "the server cannot listen at 127.0.0.1, port \(port): the port is in use already"),
            (["--host", "host.invalid"], "the server cannot listen at host.invalid, port 0: there is no such address"),
        ] {
            let result = try tool.run(["store", "serve"] + arguments, environment: Tool.withServer)
            #expect(result.status == 74)
            #expect(result.errors.contains(text), "\(result.errors)")
        }
    }

    @Test(arguments: [
        ["--port", "65536"], ["--port=-1"], ["--port", "http"], ["--host", ""], ["--delivery-time", "0"],
        ["--delivery-time", "nan"], ["--delivery-time", "3601"], ["storefront"],
    ])
    func `invalid options of store serve are reported with the usage of store serve`(arguments: [String]) throws {
        let result = try tool.run(["store", "serve"] + arguments, environment: Tool.withServer)

        #expect(result.status == 64)
        #expect(result.errors.contains("Usage: vitrine store serve"))
    }

    @Test func `vitrine store serve explains how to install vitrine-server, and finds it on the search path`() throws {
        var lonely = tool
        lonely.executable = tool.folder["bin/vitrine"]
        try FileManager.default.createDirectory(at: tool.folder["bin"], withIntermediateDirectories: true)
        try FileManager.default.copyItem(at: tool.executable, to: lonely.executable)
        let missing = try lonely.run("store", "serve", environment: ["PATH": tool.folder["bin"].path()])
        #expect(missing.status == 69)
        #expect(missing.errors.contains("vitrine-server is not installed: 'make install-server'"))
        let json = try lonely.run("store", "serve", "--json", environment: ["PATH": ""]).json
        #expect((json["error"] as? [String: Any])?["status"] as? Int == 69)

        #expect(try StoreServerProcess(lonely).end().status == 0)
    }

    @Test func `vitrine store serve in a joined storage directory serves the shared store`() async throws {
        try tool.succeed(
            "init", "--home", "anna", "--catalog", "Club.plist", "--join", ".vitrine/Store", "--customer", "anna",
            "--device", "phone")
        try tool.succeed("buy", "club.silver")
        let server = try StoreServerProcess(tool, "--home", "anna")
        let client = try tool.makeClient(of: server)
        try tool.succeed("buy", "club.gold", "--home", "anna")

        #expect(try await statuses(client, of: "1") == [.active])
        #expect(try await statuses(client, of: "2") == [.active])
        #expect(server.end().status == 0)
    }

    @Test func `vitrine store serve refuses a damaged store`() throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: tool.home.appending(path: "Store").path())
        where name.hasPrefix("store.sqlite") {
            try Data("no database".utf8).write(to: tool.home.appending(path: "Store/\(name)"))
        }
        let result = try tool.run("store", "serve", environment: Tool.withServer)

        #expect(result.status == 65)
        #expect(result.errors.contains("error: "))
    }
}
