package import Foundation
package import Metrics
internal import ServiceLifecycle
package import VitrineAppServerRecords
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
        var continuations: [Int: AsyncStream<Int64>.Continuation] = [:]
    }

    private struct Contents {
        var customers: [String: Customer] = [:]
        var nextNumber = 0
        var count = 0
        var isFinished = false
    }

    /// Interval in seconds at which each stream repeats its last element.
    package static let beat: TimeInterval = 25

    private let contents = Locked(Contents())
    private let records: CustomerRecords
    private let sleep: @Sendable (TimeInterval) async throws -> Void
    private let gauge: Gauge

    package init(
        _ records: CustomerRecords, metrics: any MetricsFactory,
        sleep: @escaping @Sendable (TimeInterval) async throws -> Void = { try await Task.sleep(for: .seconds($0)) }
    ) {
        (self.records, self.sleep) = (records, sleep)
        gauge = Gauge(label: "customer_streams", dimensions: [], factory: metrics)
    }

    /// Number of open event streams and waiting requests.
    package var count: Int { contents.withLock { $0.count } }

    /// Returns a stream of the sequence number of a customer's last fact. It has an element after each change, repeats
    /// the last one at each beat, skips numbers that were not read in time, and ends when the server shuts down.
    func stream(of customer: String) -> (numbers: AsyncStream<Int64>, end: @Sendable () -> Void) {
        let (stream, continuation) = AsyncStream<Int64>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let number: Int? = contents.withLock { contents in
            guard !contents.isFinished else { return nil }
            contents.nextNumber += 1
            contents.count += 1
            if contents.customers[customer] == nil { contents.customers[customer] = Customer(task: follow(customer)) }
            contents.customers[customer]?.continuations[contents.nextNumber] = continuation
            return contents.nextNumber
        }
        if let number {
            continuation.onTermination = { [weak self] _ in self?.remove(number, of: customer) }
        } else {
            continuation.finish()
        }
        tellCount()
        return (stream, { continuation.finish() })
    }

    /// Repeats the last elements of all streams at each beat, until the task is cancelled or the server shuts down.
    package func run() async throws {
        await cancelWhenGracefulShutdown { [self] in
            while !Task.isCancelled {
                do {
                    try await sleep(Self.beat)
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
            return contents.customers.values.map { ($0.task, Array($0.continuations.values)) }
        }
        for (task, continuations) in customers {
            task.cancel()
            for continuation in continuations { continuation.finish() }
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
        let continuations = contents.withLock { contents in
            contents.customers[customer]?.sequence = sequence
            return contents.customers[customer].map { Array($0.continuations.values) } ?? []
        }
        for continuation in continuations { continuation.yield(sequence) }
    }

    private func repeatNumbers() {
        let customers = contents.withLock { $0.customers.values.map { ($0.sequence, Array($0.continuations.values)) } }
        for (sequence, continuations) in customers {
            for continuation in continuations { continuation.yield(sequence) }
        }
    }

    private func remove(_ number: Int, of customer: String) {
        let last: Task<Void, Never>? = contents.withLock { contents in
            guard contents.customers[customer]?.continuations.removeValue(forKey: number) != nil else { return nil }
            contents.count -= 1
            guard contents.customers[customer]?.continuations.isEmpty == true else { return nil }
            return contents.customers.removeValue(forKey: customer)?.task
        }
        last?.cancel()
        tellCount()
    }

    private func tellCount() { gauge.record(count) }
}
