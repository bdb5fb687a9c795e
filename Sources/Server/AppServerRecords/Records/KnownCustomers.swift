internal import Foundation
internal import VitrineEntitlements
internal import VitrineSupport

/// Cached customer, as last read from the database or changed by this server.
struct KnownCustomer: Sendable {
    let id: String
    let app: String
    /// Identifier of the customer into which this one was merged; `nil` if it was not merged.
    var mergedInto: String?
    /// Identifier of the last change that this server has read or made. The database applies a further change only if
    /// no other change was made since.
    var writer = ""
    var facts = FactsInMemory()

    /// Sequence number of the customer's last fact.
    var sequence: Int64 { facts.entries.last?.sequence ?? 0 }

    /// Number of the facts that documents of the customer's devices have added.
    var documentFacts: Int { facts.entries.count { !$0.isOfServer } }

    /// Share of the customer in the limit of a cache.
    fileprivate var size: Int { facts.entries.count + 1 }
}

/// Cache of customers. For a cached customer, only the facts that other servers have recorded since are read from the
/// database.
final class KnownCustomers: Sendable {
    private struct Contents {
        /// Customers that were read or changed last.
        var customers: [String: KnownCustomer] = [:]
        /// Customers that were read or changed before them.
        var older: [String: KnownCustomer] = [:]
        /// The last customer with so many entries that it would push out most others.
        var large: KnownCustomer?
        var customerStates: [String: KnownCustomerState] = [:]
        /// Customers that other servers may have changed since they were read.
        var stale: Set<String> = []
        /// Number of `customers` and their entries.
        var entries = 0

        func customer(_ id: String) -> KnownCustomer? { customers[id] ?? older[id] ?? (large?.id == id ? large : nil) }

        mutating func remove(_ id: String) {
            if let earlier = customers.removeValue(forKey: id) { entries -= earlier.size }
            older[id] = nil
            if large?.id == id { large = nil }
        }

        /// Removes what is known of customers who are not cached any more.
        mutating func removeRest() {
            stale = stale.filter { customer($0) != nil }
            customerStates = customerStates.filter { customer($0.key) != nil }
        }
    }

    private let mostEntries: Int
    private let contents = Locked(Contents())

    /// - Parameter mostEntries: Maximum number of cached customers and their entries together. The cache may exceed it by
    ///   one customer: of customers with more than a quarter of the entries, only the last one is cached. When the cache is
    ///   full, about half of the customers are removed: those that were not read or changed for the longest time.
    init(mostEntries: Int = 200_000) { self.mostEntries = mostEntries }

    func customer(_ id: String) -> KnownCustomer? { contents.withLock { $0.customer(id) } }

    /// Caches a customer, unless a later state is cached.
    func remember(_ customer: KnownCustomer) {
        contents.withLock { contents in
            let earlier = contents.customer(customer.id)
            guard customer.mergedInto != nil || customer.sequence >= earlier?.sequence ?? 0 else { return }
            contents.remove(customer.id)
            contents.stale.remove(customer.id)
            guard customer.size <= mostEntries / 4 else {
                if let other = contents.large?.id {
                    contents.stale.remove(other)
                    contents.customerStates[other] = nil
                }
                contents.large = customer
                return
            }
            contents.entries += customer.size
            contents.customers[customer.id] = customer
            guard contents.entries > mostEntries / 2 else { return }
            contents.older = contents.customers
            (contents.customers, contents.entries) = ([:], 0)
            contents.removeRest()
        }
    }

    /// Indicates that a customer is cached, and no change by another server has been announced since.
    func isValid(_ id: String) -> Bool {
        contents.withLock { $0.customer(id) != nil && !$0.stale.contains(id) }
    }

    /// Marks a cached customer as possibly outdated, because a server has changed it. A change that the cache contains
    /// does not count: each server receives the messages about its own changes too.
    func invalidate(_ change: ChangedCustomer) {
        contents.withLock { contents in
            guard let known = contents.customer(change.id) else { return }
            if known.sequence < change.sequence ?? .max { contents.stale.insert(change.id) }
        }
    }

    func forget(_ id: String) {
        contents.withLock { contents in
            contents.remove(id)
            contents.stale.remove(id)
            contents.customerStates[id] = nil
        }
    }

    func customerState(of id: String) -> KnownCustomerState? { contents.withLock { $0.customerStates[id] } }

    func remember(_ customerState: KnownCustomerState, of id: String) {
        contents.withLock { contents in
            if contents.customerStates.count > 50_000 { contents.customerStates = [:] }
            contents.customerStates[id] = customerState
        }
    }
}

/// Cached state of a customer, with the inputs that determine its validity.
struct KnownCustomerState: Sendable {
    let customerState: CustomerState
    let catalog: String
    /// Facts of other customers about the customer's subscriptions.
    let elsewhere: [Fact]
    /// Date at which the passage of time changes the state; `nil` if there is none.
    let end: Date?
}

/// Queues of the tasks that change customers. Changes of the same customer run one after the other, because concurrent
/// changes would conflict.
final class CustomerSerialQueues: Sendable {
    private let waiting = Locked<[String: [CheckedContinuation<Void, Never>]]>([:])

    func run<Value: Sendable>(
        on customer: String, _ body: () async throws(CustomerError) -> Value
    ) async throws(CustomerError) -> Value {
        await begin(customer)
        defer { end(customer) }
        return try await body()
    }

    private func begin(_ customer: String) async {
        await withCheckedContinuation { continuation in
            let isFree = waiting.withLock { waiting in
                guard waiting[customer] != nil else {
                    waiting[customer] = []
                    return true
                }
                waiting[customer]?.append(continuation)
                return false
            }
            if isFree { continuation.resume() }
        }
    }

    private func end(_ customer: String) {
        let next = waiting.withLock { waiting -> CheckedContinuation<Void, Never>? in
            guard var queue = waiting[customer], !queue.isEmpty else {
                waiting[customer] = nil
                return nil
            }
            let next = queue.removeFirst()
            waiting[customer] = queue
            return next
        }
        next?.resume()
    }
}
