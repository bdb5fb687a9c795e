package import Foundation
internal import Metrics
internal import ServiceLifecycle
internal import VitrineAppServerRecords
internal import VitrineSupport

/// Publisher of customers' changes to all open event streams of a server.
///
/// A stream needs no task and no timer of its own: one service passes on the messages of the database, and one timer
/// repeats the last sequence number on all streams, so that closed connections are noticed.
package final class CustomerStreams: Service, Sendable {
    private struct Customer {
        /// Sequence number of the customer's last fact; 0 before the first message about the customer.
        var sequence: Int64 = 0
        /// Channel to the customer's streams. Numbers that are not read yet are replaced by later ones.
        let numbers = Broadcast<Int64>(keepingNewest: 1)
    }

    private struct Contents {
        var customers: [String: Customer] = [:]
        var isFinished = false
    }

    /// Interval in seconds at which each stream repeats its last element.
    package static let heartbeat: TimeInterval = 25

    private let contents = Locked(Contents())
    private let records: CustomerRecords
    private let limits: StreamLimits
    private let sleep: @Sendable (TimeInterval) async throws -> Void
    private let gauge: Gauge

    init(
        _ records: CustomerRecords, limits: StreamLimits, metrics: any MetricsFactory,
        sleep: @escaping @Sendable (TimeInterval) async throws -> Void = { try await Task.sleep(for: .seconds($0)) }
    ) {
        (self.records, self.limits, self.sleep) = (records, limits, sleep)
        gauge = Gauge(label: "customer_streams", dimensions: [], factory: metrics)
    }

    /// Number of open event streams.
    package var count: Int { limits.count }

    /// Returns a stream of sequence numbers of the last fact of a device's customer: one after each change, and the same
    /// number again after each beat. The stream ends when the customer is merged into another one, when the device opens
    /// too many others, and when the server shuts down.
    ///
    /// - Throws: ``ErrorResponse`` with status 429 if the address has too many streams.
    func stream(for device: EnrolledDevice, at address: String) throws(ErrorResponse) -> Broadcast<Int64>.Subscription {
        let customer = device.customer
        let admission = try limits.admit(device: device.id, address: address)
        let subscription: Broadcast<Int64>.Subscription? = contents.withLock { contents in
            guard !contents.isFinished else { return nil }
            let known = contents.customers[customer] ?? Customer()
            contents.customers[customer] = known
            return known.numbers.subscription { [weak self] in self?.noteEnd(of: customer, known.numbers, admission) }
        }
        guard let subscription else {
            limits.end(admission)
            return (AsyncStream(unfolding: { nil }), {})
        }
        limits.begin(admission, end: subscription.end)
        recordCount()
        return subscription
    }

    /// Repeats the last elements of all streams at each beat, until the task is canceled or the server shuts down.
    package func run() async throws {
        await cancelWhenGracefulShutdown { [self] in
            while !Task.isCancelled {
                do {
                    try await sleep(Self.heartbeat)
                } catch {
                    return
                }
                for customer in contents.withLock({ Array($0.customers.keys) }) { repeatLast(of: customer) }
            }
        }
    }

    private func repeatLast(of customer: String) {
        // The number is sent under the lock, because of two unread numbers only the one that was sent last is kept.
        contents.withLock { contents in
            guard let known = contents.customers[customer] else { return }
            known.numbers.send(known.sequence)
        }
    }

    /// Passes on a message about changes of customers to their streams.
    func send(_ message: DatabaseAnnouncement) async {
        switch message {
        case .changed(let changes):
            for change in changes { send(change) }
        case .missed:
            for customer in contents.withLock({ Array($0.customers.keys) }) {
                do throws(CustomerError) {
                    send(ChangedCustomer(customer, sequence: try await records.sequence(of: customer)))
                } catch {
                    // The devices connect again, and then learn the number.
                    send(ChangedCustomer(customer, sequence: nil))
                }
            }
        }
    }

    private func send(_ change: ChangedCustomer) {
        guard let sequence = change.sequence else {
            contents.withLock { $0.customers.removeValue(forKey: change.id) }?.numbers.finish()
            return
        }
        contents.withLock { contents in
            // Messages of several servers may arrive in another order than the changes were made.
            guard var customer = contents.customers[change.id], customer.sequence < sequence else { return }
            customer.sequence = sequence
            contents.customers[change.id] = customer
            customer.numbers.send(sequence)
        }
    }

    /// Ends all streams; later streams end immediately.
    package func finish() {
        let customers = contents.withLock { contents in
            contents.isFinished = true
            return Array(contents.customers.values)
        }
        for customer in customers { customer.numbers.finish() }
    }

    private func noteEnd(of customer: String, _ numbers: Broadcast<Int64>, _ admission: StreamLimits.Admission) {
        limits.end(admission)
        contents.withLock { contents in
            // Streams that were opened after the end of this channel have another one.
            guard contents.customers[customer]?.numbers === numbers, !numbers.hasListeners else { return }
            contents.customers[customer] = nil
        }
        recordCount()
    }

    private func recordCount() { gauge.record(count) }
}
