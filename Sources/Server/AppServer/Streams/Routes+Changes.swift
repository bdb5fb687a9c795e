internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import VitrineAppServerAPI
internal import VitrineAppServerRecords
internal import VitrineHTTPServing
internal import VitrineSupport

extension Routes {
    /// Adds the route that reports changes of a customer to its devices.
    mutating func addChanges(_ services: AppServices) {
        let devices = DeviceCredential(services)
        add(AppServerAPI.events, for: devices) { call, device in
            let last = call.request.headers[.lastEventID].flatMap { Int64($0) }
            // The stream is opened before the number is read, so that no change between them is lost.
            let (numbers, end) = try services.streams.stream(
                for: device, at: services.addresses.name(of: call.request, call.context))
            do {
                guard let present = try await services.records.sequence(of: device.customer) else {
                    throw CustomerError(code: .conflict, reason: "the customer is being merged into another one")
                }
                // The stream does not keep the request.
                let (customer, token) = (device.customer, call.request.headers.bearer ?? "")
                let stream = EventStream(numbers: numbers, end: end, first: present, last: last) {
                    await services.isCustomer(customer, of: token)
                }
                var headers: HTTPFields = [
                    .contentType: EventStreamBody.mediaType ?? "", .cacheControl: "no-store",
                ]
                // nginx would keep events in a buffer until it is full.
                headers[named: "X-Accel-Buffering"] = "no"
                return Response(status: .ok, headers: headers, body: stream.body(on: call.context.channel))
            } catch {
                end()
                throw error
            }
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

    /// Number of beats after which the stream asks again whether it must end. A device that has left may receive no
    /// further change, after which the stream would ask too.
    private static let beatsBetweenChecks = 4

    /// Returns the body of the response. The end of the connection stops the stream through a callback, because a
    /// waiting task for each stream would cost more.
    func body(on channel: any Channel) -> ResponseBody {
        ResponseBody { writer in
            channel.closeFuture.whenComplete { _ in end() }
            try await writer.write(first == last ? Self.comment("unchanged") : Self.event(first))
            var (sent, beats) = (first, 0)
            for await number in numbers {
                guard number > sent else {
                    // The comment keeps the connection open.
                    try await writer.write(Self.comment("unchanged"))
                    beats += 1
                    if beats.isMultiple(of: Self.beatsBetweenChecks), await !isPresent() { break }
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

    private static func event(_ sequence: Int64) throws -> ByteBuffer {
        let data = String(decoding: try ChangeEvent(sequence: sequence).encoded(), as: UTF8.self)
        return ByteBuffer(string: "id: \(sequence)\ndata: \(data)\n\n")
    }

    private static func comment(_ text: String) -> ByteBuffer { ByteBuffer(string: ": \(text)\n\n") }
}
