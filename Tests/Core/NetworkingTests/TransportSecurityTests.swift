import VitrineSupport

#if os(Linux)
    import Foundation
    import HTTPTypes
    import VitrineNetworking
    import VitrineTestSupport
    import Testing

    @Suite(.blocksThreads, .enabled(if: PeerTool.openSSL.isInstalled, "openssl is not on the path"))
    struct TransportSecurityTests {
        private let folder: TemporaryFolder
        private let certificate: ServerCertificate

        init() throws {
            folder = try TemporaryFolder()
            certificate = try ServerCertificate(for: "IP:127.0.0.1", in: folder)
        }

        private func transport(trusting certificate: ServerCertificate) -> DefaultTransport {
            DefaultTransport(
                trustedRoots: certificate.file, sleep: { try await sleepUntilCancelled($0) })
        }

        private func send(to url: URL, _ transport: DefaultTransport) async throws(HTTPTransportError) -> HTTPReply {
            try await transport.send(
                HTTPRequest(method: .get, url: url), body: Data(), limits: HTTPLimits(size: 1_000, seconds: 60))
        }

        @Test func `a server with a certificate from a trusted root receives the request`() async throws {
            let server = try await LoopbackServer(certificate: certificate, .reply(body: Data("hidden".utf8)))

            #expect(try await send(to: server.url, transport(trusting: certificate)).body == Data("hidden".utf8))
        }

        @Test func `a server with a certificate from an unknown issuer receives no request`() async throws {
            let server = try await LoopbackServer(certificate: certificate, .reply())
            let error = await #expect(throws: HTTPTransportError.self) {
                try await send(to: server.url, DefaultTransport.patient)
            }

            #expect(error?.code == .connection)
            #expect(error?.reason == "the TLS connection failed: certificate verify failed")
            #expect(server.requests.isEmpty)
        }

        @Test(arguments: ["IP:127.0.0.2", "DNS:example.com"])
        func `a server with a certificate for another host receives no request`(name: String) async throws {
            let other = try ServerCertificate(for: name, in: folder)
            let server = try await LoopbackServer(certificate: other, .reply())
            let error = await #expect(throws: HTTPTransportError.self) {
                try await send(to: server.url, transport(trusting: other))
            }

            #expect(error?.code == .connection)
            #expect(server.requests.isEmpty)
        }

        @Test func `an https request to a server without TLS is not sent in plain text`() async throws {
            let server = try await LoopbackServer(.reply())
            var components = try #require(URLComponents(url: server.url, resolvingAgainstBaseURL: false))
            components.scheme = "https"
            let url = try #require(components.url)
            let error = await #expect(throws: HTTPTransportError.self) {
                try await send(to: url, transport(trusting: certificate))
            }

            #expect(error?.code == .connection)
            #expect(server.requests.isEmpty)
        }

        @Test
        func `a redirect from a TLS server to plain HTTP is refused, even to an address that is otherwise allowed`()
            async throws
        {
            let plain = try await LoopbackServer(.reply(body: Data("read by anybody".utf8)))
            let server = try await LoopbackServer(certificate: certificate, .redirect(to: plain.url))
            let error = await #expect(throws: HTTPFetchError.self) {
                try await HTTPFetcher(transport: transport(trusting: certificate)).fetch(server.url, now: Date())
            }

            #expect(error?.code == .redirect)
            #expect(error?.reason == "the server redirects from https to \(plain.url)")
            #expect(server.requests.count == 1)
            #expect(plain.requests.isEmpty)
        }
    }
#endif
