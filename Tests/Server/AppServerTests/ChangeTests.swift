import Foundation
import Testing
import VitrineAppServerAPI
import VitrineAppServerRecords
import VitrineStoreSimulator
import VitrineTestSupport

@testable import VitrineAppServer

/// Event streams.
@Suite(.hangLimit) struct ChangeTests {
    private static func events(
        _ device: ServedApps.Device, last: Int64? = nil
    ) -> Data {
        let further = last.map { [("Last-Event-ID", String($0))] } ?? []
        return HTTPLine.head("GET", "/v1/me/events", device.headers + further)
    }

    private static func event(_ sequence: Int64) -> String {
        "id: \(sequence)\ndata: {\"sequence\":\(sequence)}\n\n"
    }

    /// Returns the number of the customer's last fact.
    private static func sequence(of device: ServedApps.Device, _ server: ServedApps) async throws -> Int64 {
        try await server.client.send("GET", "/v1/me/state", device.headers).decode(CustomerStateDocument.self).sequence
    }

    @Test func `the devices of a customer receive an event after a change, and other customers' devices do not`()
        async throws
    {
        try await ServedApps.run { server in
            let (phone, tablet) = (try await server.enroll(), try await server.enroll())
            let other = try await server.enroll(isKnown: false)
            let first = try await Self.sequence(of: phone, server)
            let others = try await Self.sequence(of: other, server)
            try await server.client.connect { phoneStream in
                try await phoneStream.write(Self.events(phone))
                let head = try await phoneStream.read(until: Self.event(first))
                #expect(head.contains("200 OK"))
                #expect(head.contains("Content-Type: text/event-stream"))
                #expect(head.contains("X-Accel-Buffering: no"))
            }
            let changed = try await withThrowingTaskGroup(of: Int64?.self) { group in
                let (ready, isReady) = AsyncStream<Void>.makeStream()
                for device in [phone, tablet] {
                    group.addTask {
                        try await server.client.connect { stream in
                            try await stream.write(Self.events(device))
                            _ = try await stream.read(until: Self.event(first))
                            isReady.yield()
                            _ = try await stream.read(until: "id: ")
                            return Int64(try await stream.read(until: "\n").dropLast())
                        }
                    }
                }
                group.addTask {
                    try await server.client.connect { stream in
                        try await stream.write(Self.events(other))
                        _ = try await stream.read(until: Self.event(others))
                        isReady.yield()
                        let rest = try await stream.read(until: ": end\n\n")
                        #expect(!rest.contains("data:"))
                        return nil
                    }
                }
                var iterator = ready.makeAsyncIterator()
                for _ in 0..<3 { await iterator.next() }
                try await server.report([try await server.buy("com.example.voyager.rome")], from: tablet)
                let numbers = [try await group.next(), try await group.next()]
                await server.shutDown()
                try await group.waitForAll()
                return numbers.compactMap { $0 ?? nil }
            }
            #expect(changed.count == 2)
            #expect(Set(changed).count == 1)
            #expect(try #require(changed.first) > first)
        }
    }

    struct Reconnection: Sendable, CustomTestStringConvertible {
        let id: String
        let offset: Int64?
        let isEvent: Bool

        var testDescription: String { id }
    }

    @Test(arguments: [
        Reconnection(id: "no earlier event", offset: nil, isEvent: true),
        Reconnection(id: "the last event", offset: 0, isEvent: false),
        Reconnection(id: "an earlier event", offset: -1, isEvent: true),
        Reconnection(id: "an event of another server", offset: 1_000, isEvent: true),
    ])
    func `a reconnecting device receives an event only if it has missed one`(_ reconnection: Reconnection) async throws
    {
        try await ServedApps.run { server in
            let device = try await server.enroll()
            try await server.report([try await server.buy("com.example.voyager.rome")], from: device)
            let sequence = try await Self.sequence(of: device, server)
            #expect(sequence > 0)
            try await server.client.connect { stream in
                try await stream.write(Self.events(device, last: reconnection.offset.map { sequence + $0 }))
                let first = reconnection.isEvent ? Self.event(sequence) : ": unchanged\n\n"
                let received = try await stream.read(until: first)
                #expect(received.contains("data:") == reconnection.isEvent)
            }
        }
    }

    @Test func `an event stream has a comment at each heartbeat, and a final comment when the server shuts down`()
        async throws
    {
        try await ServedApps.run { server in
            let device = try await server.enroll()
            let sequence = try await Self.sequence(of: device, server)
            try await server.client.connect { stream in
                try await stream.write(Self.events(device))
                _ = try await stream.read(until: Self.event(sequence))
                #expect(await server.sleep.begun() == .seconds(25))
                server.sleep.wake()
                let heartbeat = try await stream.read(until: ": unchanged\n\n")
                #expect(!heartbeat.contains("data:"))
                await server.shutDown()
                let end = try await String(decoding: stream.readAll(), as: UTF8.self)
                #expect(end.contains(": end\n\n"))
                // The last chunk, without which the device would take the end for an interruption.
                #expect(end.hasSuffix("0\r\n\r\n"))
            }
        }
    }

    @Test func `the server removes an event stream whose connection has ended`() async throws {
        try await ServedApps.run { server in
            let device = try await server.enroll()
            let sequence = try await Self.sequence(of: device, server)
            try await server.client.connect { stream in
                try await stream.write(Self.events(device))
                _ = try await stream.read(until: Self.event(sequence))
                #expect(try await Self.streams(server) == 1)
            }
            // The connection is noticed to be gone when something is written to it, at the latest the second time.
            while try await Self.streams(server) > 0 {
                _ = await server.sleep.begun()
                server.sleep.wake()
            }
            #expect(try await Self.streams(server) == 0)
        }
    }

    private static func streams(_ server: ServedApps) async throws -> Int {
        let text = try await server.client.send("GET", "/metrics").text
        return try #require(text.firstMatch(of: /customer_streams ([0-9]+)\n/).flatMap { Int($0.1) })
    }

    @Test func `an event stream of a device that has left ends at the fourth heartbeat`() async throws {
        try await ServedApps.run { server in
            let device = try await server.enroll()
            let sequence = try await Self.sequence(of: device, server)
            try await server.client.connect { stream in
                try await stream.write(Self.events(device))
                _ = try await stream.read(until: Self.event(sequence))
                #expect(try await server.client.send("DELETE", "/v1/devices/me", device.headers).status == 204)
                for _ in 0..<4 {
                    _ = await server.sleep.begun()
                    server.sleep.wake()
                    _ = try await stream.read(until: ": unchanged\n\n")
                }
                #expect(try await stream.read(until: ": end\n\n").contains("data:") == false)
            }
        }
    }

    @Test func `a heartbeat beside a change never replaces the number of the change by an older one`() async throws {
        let tester = try await RouteTester()
        let (services, sleep) = (tester.services, ManualSleep())
        let device = try await services.records.device(bearing: try await tester.enroll().token)
        let streams = CustomerStreams(
            services.records, limits: StreamLimits(.unlimited, most: 10), metrics: services.metrics
        ) { try await sleep.sleep(.seconds($0)) }
        let (numbers, end) = try streams.stream(for: device, at: "192.0.2.1")
        var iterator = numbers.makeAsyncIterator()
        let beats = Task { try await streams.run() }
        _ = await sleep.begun()
        for number in Int64(1)...1_000 {
            let message = DatabaseAnnouncement.changed([ChangedCustomer(device.customer, sequence: number)])
            let change = Task { await streams.send(message) }
            sleep.wake()
            _ = await sleep.begun()
            await change.value
            // Of several unread numbers, only the one that was sent last is kept.
            #expect(await iterator.next() == number)
        }
        end()
        beats.cancel()
    }

    @Test func `an event stream ends when its device moves to another customer`()
        async throws
    {
        try await ServedApps.run { server in
            let phone = try await server.enroll()
            try await server.report([try await server.buy("com.example.voyager.rome")], from: phone)
            server.clock.advance(by: 1)
            let other = try await server.enroll(isKnown: false)
            let first = try await Self.sequence(of: other, server)
            try await server.client.connect { stream in
                try await stream.write(Self.events(other))
                _ = try await stream.read(until: Self.event(first))
                // The same store account: the customers are one.
                let signed = try await server.store.appTransaction()
                let body = try await server.enrollment(key: other.key, appTransaction: signed)
                let joined = try await server.client.send("POST", "/v1/devices", json: body).decode(Enrollment.self)
                #expect(joined.customer == phone.enrollment.customer)
                _ = try await stream.read(until: ": end\n\n")
            }
        }
    }
}
