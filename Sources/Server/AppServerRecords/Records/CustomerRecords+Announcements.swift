internal import Foundation
internal import VitrineSupport

/// Streams for tasks that wait for changes of customers.
final class ChangeStreams: Sendable {
    private struct Contents {
        var streams: [String: [Int: AsyncStream<Void>.Continuation]] = [:]
        var nextNumber = 0
    }

    private let contents = Locked(Contents())

    /// Returns a stream with an element after each change of a customer. Several unread changes are one element.
    func stream(of customer: String) -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let number = contents.withLock { contents in
            contents.nextNumber += 1
            contents.streams[customer, default: [:]][contents.nextNumber] = continuation
            return contents.nextNumber
        }
        continuation.onTermination = { [weak self] _ in self?.remove(number, of: customer) }
        return stream
    }

    private func remove(_ number: Int, of customer: String) {
        contents.withLock { contents in
            contents.streams[customer]?[number] = nil
            if contents.streams[customer]?.isEmpty == true { contents.streams[customer] = nil }
        }
    }

    func tell(_ customer: String) {
        let streams = contents.withLock { Array($0.streams[customer, default: [:]].values) }
        for stream in streams { stream.yield() }
    }

    func tellAll() {
        let streams = contents.withLock { $0.streams.values.flatMap(\.values) }
        for stream in streams { stream.yield() }
    }
}

extension CustomerRecords {
    /// Processes the database's messages about changed customers, until the task is cancelled.
    package func run() async {
        for await message in database.announcements() {
            switch message {
            case .changed(let customers):
                for customer in customers {
                    if customer == Self.catalogMessage {
                        await takeNewCatalogs()
                    } else {
                        if database.isShared { known.doubt(customer) }
                        streams.tell(customer)
                    }
                }
            case .missed:
                await takeNewCatalogs()
                streams.tellAll()
            }
        }
    }

    private func takeNewCatalogs() async {
        do throws(DatabaseError) {
            try await reloadCatalogs()
        } catch {
            // The current catalogs stay in use. Requests report the unavailable database themselves.
        }
    }

    /// Returns a stream with an element after each change of a customer. A reader must first read the customer's state,
    /// because a message may be lost.
    package func changes(of customer: String) -> AsyncStream<Void> { streams.stream(of: customer) }

    /// Waits until a customer has a fact after a given sequence number.
    ///
    /// - Returns: The sequence number of the customer's last fact, which is not greater than the given one if the limit
    ///   has passed.
    package func wait(
        for customer: String, after sequence: Int64, limit: Duration
    ) async throws(CustomerError) -> Int64 {
        let present = try await survivor(of: customer)
        let changes = streams.stream(of: present.id)
        var last = try await self.customer(present.id).sequence
        guard last <= sequence else { return last }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { for await _ in changes { return } }
            group.addTask { do { try await Task.sleep(for: limit) } catch {} }
            await group.next()
            group.cancelAll()
        }
        last = try await survivor(of: customer).sequence
        return last
    }
}
