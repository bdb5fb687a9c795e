internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import VitrineAppServerRecords
internal import VitrineHTTPServing
internal import VitrineSupport

extension Routes {
    /// Maximum time in seconds for which a request may wait for a change.
    static let longestWait = 25

    /// Adds the routes that report changes of a customer to its devices: a long-polling request and an event stream.
    mutating func addChanges(_ services: AppServices) {
        let devices = DeviceCredential(services)
        add(.get, "/v1/me/changes", for: devices) { call, device in
            let after: Int64 = try call.integer("after", in: 0...Int64.max, default: 0)
            let wait = try call.integer("wait", in: 0...Self.longestWait, default: 0)
            let address = services.addresses.name(of: call.request, call.context)
            let sequence = try await services.wait(for: device, at: address, after: after, seconds: wait)
            return try .json(["sequence": sequence], headers: [.cacheControl: "no-store"])
        }
        add(.get, "/v1/me/events", for: devices) { call, device in
            let last = call.request.headers[named: "Last-Event-ID"].flatMap { Int64($0) }
            // The stream is opened before the number is read, so that no change between them is lost.
            let (numbers, end) = try services.streams.stream(
                for: device, at: services.addresses.name(of: call.request, call.context))
            let present: Int64
            do throws(CustomerError) {
                present = try await services.records.wait(for: device.customer, after: -1, limit: .zero)
            } catch {
                end()
                throw error
            }
            // The stream does not keep the request.
            let (customer, token) = (device.customer, call.request.headers.bearer ?? "")
            let stream = EventStream(numbers: numbers, end: end, first: present, last: last) {
                await services.isCustomer(customer, of: token)
            }
            return Response(
                status: .ok, headers: [.contentType: "text/event-stream", .cacheControl: "no-store"],
                body: stream.body(on: call.context.channel))
        }
    }
}

extension AppServices {
    /// Indicates that a token is valid and belongs to a device of a customer. The result changes when the device leaves
    /// or changes its account, and when its customer is merged into another one.
    fileprivate func isCustomer(_ customer: String, of token: String) async -> Bool {
        do throws(CustomerError) {
            return try await records.device(bearing: token).customer == customer
        } catch {
            return error.code == .unavailable
        }
    }

    /// Waits until a customer has a fact after a given one, the time is over, or the server shuts down.
    ///
    /// - Returns: The sequence number of the customer's last fact.
    fileprivate func wait(
        for device: EnrolledDevice, at address: String, after sequence: Int64, seconds: Int
    ) async throws -> Int64 {
        let (numbers, end) = try streams.stream(for: device, at: address)
        defer { end() }
        let present = try await records.wait(for: device.customer, after: -1, limit: .zero)
        guard present <= sequence, seconds > 0 else { return present }
        return try await withThrowingTaskGroup(of: Int64.self) { group in
            group.addTask {
                for await number in numbers where number > sequence { return number }
                return present
            }
            group.addTask {
                try await streams.sleep(TimeInterval(seconds))
                return present
            }
            defer { group.cancelAll() }
            return try await group.next() ?? present
        }
    }
}

/// Server-sent events of one connection.
private struct EventStream: Sendable {
    let numbers: AsyncStream<Int64>
    let end: @Sendable () -> Void
    /// Sequence number of the customer's last fact at the start of the stream.
    let first: Int64
    /// Identifier of the last event that the device received on an earlier connection; `nil` if there is none.
    let last: Int64?
    /// Function that returns `false` if the stream must end, because the device has left or belongs to another
    /// customer.
    let isPresent: @Sendable () async -> Bool

    /// Returns the body of the response. The end of the connection stops the stream through a callback, because a
    /// waiting task for each stream would cost more.
    func body(on channel: any Channel) -> ResponseBody {
        ResponseBody { writer in
            channel.closeFuture.whenComplete { _ in end() }
            try await writer.write(first == last ? Self.comment("unchanged") : Self.event(first))
            var sent = first
            for await number in numbers {
                guard number != sent, number != 0 else {
                    // The comment keeps the connection open.
                    try await writer.write(Self.comment("unchanged"))
                    continue
                }
                try await writer.write(Self.event(number))
                sent = number
                guard await isPresent() else { break }
            }
            try await writer.write(Self.comment("end"))
            try await writer.finish(nil)
        }
    }

    private static func event(_ sequence: Int64) -> ByteBuffer {
        ByteBuffer(string: "id: \(sequence)\ndata: {\"sequence\":\(sequence)}\n\n")
    }

    private static func comment(_ text: String) -> ByteBuffer { ByteBuffer(string: ": \(text)\n\n") }
}
