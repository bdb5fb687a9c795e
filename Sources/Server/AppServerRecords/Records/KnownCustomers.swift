internal import Foundation
internal import VitrineEntitlements
internal import VitrineSupport

/// Customer as it was last read from the database, or changed.
struct KnownCustomer: Sendable {
    let id: String
    let app: String
    /// Identifier of the customer into which this one was merged; `nil` if it was not.
    var mergedInto: String?
    /// Identifier of the last change, by which a change sees that no other one came before it.
    var writer = ""
    var facts = FactsInMemory()

    /// Number of the last fact.
    var sequence: Int64 { facts.entries.last?.sequence ?? 0 }

    init(id: String, app: String, mergedInto: String? = nil) {
        self.id = id
        self.app = app
        self.mergedInto = mergedInto
    }
}

/// Customers in memory, so that a change reads only what other servers have recorded since.
final class KnownCustomers: Sendable {
    private struct Contents {
        var customers: [String: KnownCustomer] = [:]
        var standings: [String: KnownStanding] = [:]
        /// Customers that may have changed since they were read.
        var stale: Set<String> = []
        var entries = 0
    }

    /// Number of entries of all customers, at which the memory begins anew.
    private static let mostEntries = 200_000

    private let contents = Locked(Contents())

    func customer(_ id: String) -> KnownCustomer? { contents.withLock { $0.customers[id] } }

    /// Remembers a customer, unless a later state of it is known.
    func remember(_ customer: KnownCustomer) {
        contents.withLock { contents in
            let earlier = contents.customers[customer.id]
            guard customer.mergedInto != nil || customer.sequence >= earlier?.sequence ?? 0 else { return }
            contents.entries += customer.facts.entries.count + 1 - (earlier.map { $0.facts.entries.count + 1 } ?? 0)
            if contents.entries > Self.mostEntries { contents = Contents() }
            contents.customers[customer.id] = customer
            contents.stale.remove(customer.id)
        }
    }

    /// Returns `true` for a customer that is known as it was when it was last read, and not known to have changed since.
    func isFresh(_ id: String) -> Bool {
        contents.withLock { $0.customers[id] != nil && !$0.stale.contains(id) }
    }

    /// Notes that a customer may have been changed by another server.
    func doubt(_ id: String) {
        contents.withLock { contents in
            if contents.customers[id] != nil { contents.stale.insert(id) }
        }
    }

    func forget(_ id: String) {
        contents.withLock { contents in
            contents.stale.remove(id)
            if let earlier = contents.customers.removeValue(forKey: id) {
                contents.entries -= earlier.facts.entries.count + 1
            }
            contents.standings[id] = nil
        }
    }

    func standing(of id: String) -> KnownStanding? { contents.withLock { $0.standings[id] } }

    func remember(_ standing: KnownStanding, of id: String) {
        contents.withLock { contents in
            if contents.standings.count > 50_000 { contents.standings = [:] }
            contents.standings[id] = standing
        }
    }
}

/// Standing of a customer with that which it was computed from.
struct KnownStanding: Sendable {
    let standing: CustomerStanding
    let catalog: String
    /// Date from which time has changed what the customer owns; `nil` if it does not.
    let end: Date?
}

/// Turns of tasks that change the same customer: one after the other, so that they do not change what others decide on.
final class CustomerTurns: Sendable {
    private let waiting = Locked<[String: [CheckedContinuation<Void, Never>]]>([:])

    func taking<Value: Sendable>(
        _ customer: String, _ body: () async throws(CustomerError) -> Value
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
