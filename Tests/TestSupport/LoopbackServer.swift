internal import FlyingFox
internal import FlyingSocks
package import Foundation

/// A real HTTP server on this device, at a port that the kernel chooses. It ends with its last reference.
package final class LoopbackServer: Sendable {
    /// What came in.
    package struct Request: Sendable {
        package let method: String
        package let path: String
        /// By lower-case name.
        package let headers: [String: String]
        package let body: Data
    }

    /// What the server does with a request.
    package enum Answer: Sendable {
        case reply(Int = 200, headers: [String: String] = [:], body: Data = Data())
        /// Nothing, until the server ends.
        case silence
        /// A body that never ends; a length that is not true may stand in front of it.
        case endless(claimed: Int? = nil)
        /// The connection is closed after so many bytes of the body that was promised.
        case broken(after: Int, of: Int)

        package static func json(_ text: String, status: Int = 200) -> Answer {
            .reply(status, headers: ["Content-Type": "application/json"], body: Data(text.utf8))
        }

        package static func redirect(to url: URL, status: Int = 302) -> Answer {
            .reply(status, headers: ["Location": url.absoluteString])
        }
    }

    /// Where it can be reached.
    package let url: URL
    private let received: Recorder<Request>
    private let arrivals: AsyncStream<Void>
    private let running: Task<Void, any Error>

    /// - Parameter answer: What is done with each request.
    package init(_ answer: @escaping @Sendable (Request) async -> Answer) async throws {
        let received = Recorder<Request>()
        let (arrivals, arrived) = AsyncStream<Void>.makeStream()
        let server = HTTPServer(
            address: try .inet(ip4: "127.0.0.1", port: 0), timeout: 86_400, logger: .disabled,
            handler: ClosureHTTPHandler { request in
                let request = try await Request(request)
                received.record(request)
                arrived.yield()
                return try await answer(request).response()
            })
        running = Task { try await server.run() }
        // Tests that calculate much may keep it waiting.
        try await server.waitUntilListening(timeout: 600)
        guard case .ip4(_, let port) = await server.listeningAddress,
            let url = URL(string: "http://127.0.0.1:\(port)/")
        else { throw SocketError.unsupportedAddress }
        self.url = url
        self.received = received
        self.arrivals = arrivals
    }

    /// Gives one answer after another, the last for ever.
    package convenience init(_ answers: Answer...) async throws {
        let asked = Recorder<Void>()
        try await self.init { _ in
            asked.record(())
            return answers[min(asked.values.count, answers.count) - 1]
        }
    }

    deinit { running.cancel() }

    /// Everything that came in.
    package var requests: [Request] { received.values }

    /// Waits until a request has come in that nobody has waited for.
    package func arrival() async { _ = await arrivals.first { _ in true } }
}

/// An address of this device at which nobody listens, and nobody else can begin to.
package final class DeadAddress: Sendable {
    package let url: URL
    private let socket: Socket

    package init() throws {
        let address = try sockaddr_in.inet(ip4: "127.0.0.1", port: 0)
        socket = try Socket(domain: Int32(address.family))
        try socket.bind(to: address)
        guard case .ip4(_, let port) = try socket.sockname(), let url = URL(string: "http://127.0.0.1:\(port)/")
        else { throw SocketError.unsupportedAddress }
        self.url = url
    }

    deinit { try? socket.close() }
}

extension LoopbackServer.Request {
    fileprivate init(_ request: HTTPRequest) async throws {
        method = request.method.rawValue
        path = request.path
        headers = Dictionary(
            request.headers.map { ($0.key.rawValue.lowercased(), $0.value) }, uniquingKeysWith: { $0 + ", " + $1 })
        body = try await request.bodyData
    }
}

extension LoopbackServer.Answer {
    fileprivate func response() async throws -> HTTPResponse {
        switch self {
        case .reply(let status, let headers, let body):
            let headers = Dictionary(uniqueKeysWithValues: headers.map { (HTTPHeader($0.key), $0.value) })
            return HTTPResponse(
                statusCode: HTTPStatusCode(status, phrase: "Status"), headers: HTTPHeaders(headers), body: body)
        case .silence:
            for await _ in AsyncStream<Never>.makeStream().stream {}
            throw CancellationError()
        case .endless(let claimed):
            let body = Repetition(end: nil)
            return HTTPResponse(
                statusCode: .ok,
                body: claimed.map { HTTPBodySequence(from: body, count: $0) } ?? HTTPBodySequence(from: body))
        case .broken(let end, let count):
            return HTTPResponse(statusCode: .ok, body: HTTPBodySequence(from: Repetition(end: end), count: count))
        }
    }
}

/// The same byte again and again.
private struct Repetition: AsyncBufferedSequence {
    typealias Element = UInt8

    /// It fails after so many.
    let end: Int?

    func makeAsyncIterator() -> Iterator { Iterator(left: end ?? .max) }

    struct Iterator: AsyncBufferedIteratorProtocol {
        var left: Int

        mutating func next() async throws -> UInt8? { try await nextBuffer(suggested: 1)?.first }

        mutating func nextBuffer(suggested count: Int) async throws -> [UInt8]? {
            try Task.checkCancellation()
            guard left > 0 else { throw SocketError.disconnected }
            let count = Swift.min(count, left)
            left -= count
            return Array(repeating: UInt8(ascii: " "), count: count)
        }
    }
}
