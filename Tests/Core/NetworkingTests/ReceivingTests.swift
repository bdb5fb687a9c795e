import Foundation
import HTTPTypes
import Testing
import VitrineNetworking
import VitrineSupport
import VitrineTestSupport

/// Bodies of replies, which are passed on part by part as they arrive.
@Suite(.blocksThreads, .hangLimit) struct ReceivingTests {
    private func receive(
        _ url: URL, headers: HTTPFields = [:], limits: HTTPLimits = HTTPLimits(size: 10_000_000, seconds: 60),
        transport: DefaultTransport = .patient,
        head: @escaping @Sendable (HTTPResponse) throws(HTTPTransportError) -> Void = { _ in },
        part: @escaping @Sendable (Data) throws(HTTPTransportError) -> Void = { _ in }
    ) async -> HTTPTransportError? {
        do throws(HTTPTransportError) {
            try await transport.receive(
                HTTPRequest(method: .get, url: url, headerFields: headers), body: Data(), limits: limits, head: head,
                part: part)
            return nil
        } catch {
            return error
        }
    }

    @Test func `a streamed reply delivers the head first and then the parts of the body in order`() async throws {
        let body = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 / 1_000) })
        let server = try await LoopbackServer(.reply(203, body: body))
        let (events, parts) = (Recorder<Int>(), Recorder<Data>())
        let error = await receive(server.url) { (response) throws(HTTPTransportError) in
            events.record(response.status.code)
        } part: { (part) throws(HTTPTransportError) in
            events.record(part.count)
            parts.record(part)
        }
        #expect(error == nil)
        #expect(events.values.first == 203)
        #expect(parts.values.count > 1)
        #expect(parts.values.reduce(Data(), +) == body)
    }

    @Test func `a part of a streamed body is delivered before the next part is sent`() async throws {
        let (stream, more) = AsyncStream<Data>.makeStream()
        let server = try await LoopbackServer(.stream(LoopbackServer.Answer.head(), stream))
        let parts = Recorder<Data>()
        more.yield(Data("one".utf8))
        let error = await receive(server.url) { _ in
        } part: { (part) throws(HTTPTransportError) in
            parts.record(part)
            if parts.values.count == 1 { more.yield(Data("two".utf8)) } else { more.finish() }
        }
        #expect(error == nil)
        #expect(parts.values == [Data("one".utf8), Data("two".utf8)])
    }

    @Test(arguments: [true, false])
    func `an error thrown by the receiver of an HTTP reply ends the exchange and is rethrown`(
        inHead: Bool
    )
        async throws
    {
        let server = try await LoopbackServer(.endless())
        let parts = Recorder<Int>()
        let refusal = HTTPTransportError(code: .refused, reason: "it is too blue")
        let error = await receive(server.url, limits: HTTPLimits(size: .max, seconds: 60)) {
            (_) throws(HTTPTransportError) in
            if inHead { throw refusal }
        } part: { (part) throws(HTTPTransportError) in
            parts.record(part.count)
            throw refusal
        }
        #expect(error == refusal)
        #expect(parts.values.count == (inHead ? 0 : 1))
    }

    @Test func `no parts of a body are delivered after the receiving task is cancelled`() async throws {
        let server = try await LoopbackServer(.endless())
        let parts = Recorder<Int>()
        let (arrivals, arrived) = AsyncStream<Void>.makeStream()
        let task = Task {
            await receive(server.url, limits: HTTPLimits(size: .max, seconds: 60)) { _ in
            } part: { (part) throws(HTTPTransportError) in
                parts.record(part.count)
                arrived.yield()
            }
        }
        _ = await arrivals.first { _ in true }
        task.cancel()
        #expect(await task.value?.code == .cancelled)
        let count = parts.values.count
        for _ in 0..<1_000 { await Task.yield() }
        #expect(parts.values.count == count)
    }

    @Test func `a streamed reply is not read further while its receiver is blocked`() async throws {
        let sent = Recorder<Int>()
        let pieces = AsyncStream<Data> {
            sent.record(1 << 20)
            return sent.values.count > 1_000 ? nil : Data(count: 1 << 20)
        }
        let server = try await LoopbackServer(.stream(LoopbackServer.Answer.head(), pieces))
        let (gate, arrivals) = (DispatchSemaphore(value: 0), Recorder<Void>())
        let task = Task {
            await receive(server.url, limits: HTTPLimits(size: .max, seconds: 60)) { _ in
            } part: { (_) throws(HTTPTransportError) in
                arrivals.record(())
                if arrivals.values.count == 1 { gate.wait() }
            }
        }
        // What the sockets of both sides hold.
        var count = -1
        while count != sent.values.count || arrivals.values.isEmpty {
            count = sent.values.count
            for _ in 0..<10_000 { await Task.yield() }
        }
        #expect(count < 100)
        gate.signal()
        #expect(await task.value == nil)
        #expect(sent.values.count > 1_000)
    }

    @Test func `a gzip reply to a request for the identity encoding is refused`() async throws {
        let text = Data("some text".utf8)
        let server = try await LoopbackServer(
            .reply(headers: ["Content-Encoding": "gzip"], body: Gzip.pack(text)), .reply(body: text))
        let headers: HTTPFields = [.acceptEncoding: "identity"]
        let error = await receive(server.url, headers: headers)

        #expect(error?.code == .connection)
        #expect(error?.reason == "the reply is encoded as gzip, which was not requested")
        #expect(await receive(server.url, headers: headers) == nil)
        #expect(server.requests.map { $0.headers["accept-encoding"] } == ["identity", "identity"])
    }

    @Test func `the body of a redirect response is not delivered to the receiver`() async throws {
        let end = try await LoopbackServer(.reply(206, body: Data("end".utf8)))
        let server = try await LoopbackServer(
            .reply(302, headers: ["Location": "\(end.url)"], body: Data("moved".utf8)))
        let parts = Recorder<Data>()
        let (response, url) = try await HTTPFetcher(transport: DefaultTransport.patient).receive(
            server.url, fields: [.range: "bytes=0-2"], limits: HTTPLimits(size: 100, seconds: 60)
        ) { (response) throws(HTTPTransportError) in
            #expect(response.status.code == 206)
        } part: { (part) throws(HTTPTransportError) in
            parts.record(part)
        }
        #expect(parts.values == [Data("end".utf8)])
        #expect(response.status.code == 206)
        #expect(url == end.url)
        #expect(end.requests.map { $0.headers["range"] } == ["bytes=0-2"])
    }
}
