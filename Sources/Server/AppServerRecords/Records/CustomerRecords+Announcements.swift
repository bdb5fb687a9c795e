internal import Foundation
internal import VitrineSupport

/// Streams for tasks that wait for changes of customers.
final class ChangeStreams: Sendable {
    private let customers = Locked<[String: Broadcast<Void>]>([:])

    /// Returns a stream with an element after each change of a customer. Several unread changes are one element.
    func stream(of customer: String) -> AsyncStream<Void> {
        customers.withLock { customers in
            let changes = customers[customer] ?? Broadcast(keepingNewest: 1)
            customers[customer] = changes
            return changes.stream { [weak self] in self?.removeIfUnheard(customer) }
        }
    }

    private func removeIfUnheard(_ customer: String) {
        customers.withLock { customers in
            if customers[customer]?.hasListeners == false { customers[customer] = nil }
        }
    }

    func tell(_ customer: String) { customers.withLock { $0[customer] }?.send(()) }

    func tellAll() {
        for changes in customers.withLock({ Array($0.values) }) { changes.send(()) }
    }
}

extension CustomerRecords {
    /// Processes the database's messages about changed customers, until the task is canceled.
    package func run() async {
        for await message in database.announcements() {
            switch message {
            case .changed(let customers):
                for customer in customers {
                    if customer == Self.catalogMessage {
                        await reloadCatalogsIfPossible()
                    } else {
                        if database.isShared { known.invalidate(customer) }
                        streams.tell(customer)
                    }
                }
            case .missed:
                await reloadCatalogsIfPossible()
                streams.tellAll()
            }
        }
    }

    private func reloadCatalogsIfPossible() async {
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
        let present = try await resolveMerged(of: customer)
        let changes = streams.stream(of: present.id)
        var last = try await self.customer(present.id).sequence
        guard last <= sequence else { return last }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { for await _ in changes { return } }
            group.addTask { do { try await Task.sleep(for: limit) } catch {} }
            await group.next()
            group.cancelAll()
        }
        last = try await resolveMerged(of: customer).sequence
        return last
    }
}
