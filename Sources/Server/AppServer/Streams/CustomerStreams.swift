package import Foundation
internal import Metrics
internal import ServiceLifecycle
internal import VitrineAppServerRecords
internal import VitrineSupport

/// Publisher of customers' changes to all open event streams and waiting requests of a server.
///
/// A stream needs no task and no timer of its own: one task follows each customer with open streams, and one timer
/// repeats the last sequence number on all streams, so that closed connections are noticed.
package final class CustomerStreams: Service, Sendable {
    private struct Customer {
        let task: Task<Void, Never>
        /// Sequence number of the customer's last known fact.
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
    let sleep: @Sendable (TimeInterval) async throws -> Void
    private let gauge: Gauge

    init(
        _ records: CustomerRecords, limits: StreamLimits, metrics: any MetricsFactory,
        sleep: @escaping @Sendable (TimeInterval) async throws -> Void = { try await Task.sleep(for: .seconds($0)) }
    ) {
        (self.records, self.limits, self.sleep) = (records, limits, sleep)
        gauge = Gauge(label: "customer_streams", dimensions: [], factory: metrics)
    }

    /// Number of open event streams and waiting requests.
    package var count: Int { limits.count }

    /// Returns a stream of sequence numbers of the last fact of a device's customer: one after each change, and the same
    /// number again after each beat. The stream ends when the server shuts down, and when the device opens too many
    /// others.
    ///
    /// - Throws: ``ErrorResponse`` with status 429 if the address has too many streams.
    func stream(for device: EnrolledDevice, at address: String) throws(ErrorResponse) -> Broadcast<Int64>.Subscription {
        let customer = device.customer
        let admission = try limits.admit(device: device.id, address: address)
        let subscription: Broadcast<Int64>.Subscription? = contents.withLock { contents in
            guard !contents.isFinished else { return nil }
            let known = contents.customers[customer] ?? Customer(task: follow(customer))
            contents.customers[customer] = known
            return known.numbers.subscription { [weak self] in self?.noteEnd(of: customer, admission) }
        }
        guard let subscription else {
            limits.end(admission)
            return (AsyncStream(unfolding: { nil }), {})
        }
        limits.begin(admission, end: subscription.end)
        tellCount()
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
                repeatNumbers()
            }
        }
    }

    /// Ends all streams; later streams end immediately.
    package func finish() {
        let customers = contents.withLock { contents in
            contents.isFinished = true
            return Array(contents.customers.values)
        }
        for customer in customers {
            customer.task.cancel()
            customer.numbers.finish()
        }
    }

    private func follow(_ customer: String) -> Task<Void, Never> {
        let changes = records.changes(of: customer)
        return Task { [weak self, records] in
            for await _ in changes {
                do throws(CustomerError) {
                    let sequence = try await records.wait(for: customer, after: -1, limit: .zero)
                    self?.tell(customer, sequence)
                } catch {
                    // A failure is ignored: the next change, or the next request of the device, reads the number again.
                }
            }
        }
    }

    private func tell(_ customer: String, _ sequence: Int64) {
        let numbers = contents.withLock { contents in
            contents.customers[customer]?.sequence = sequence
            return contents.customers[customer]?.numbers
        }
        numbers?.send(sequence)
    }

    private func repeatNumbers() {
        for customer in contents.withLock({ Array($0.customers.values) }) { customer.numbers.send(customer.sequence) }
    }

    private func noteEnd(of customer: String, _ admission: StreamLimits.Admission) {
        limits.end(admission)
        let unheard: Task<Void, Never>? = contents.withLock { contents in
            guard contents.customers[customer]?.numbers.hasListeners == false else { return nil }
            return contents.customers.removeValue(forKey: customer)?.task
        }
        unheard?.cancel()
        tellCount()
    }

    private func tellCount() { gauge.record(count) }
}
