internal import Foundation

/// Allowances of the addresses and devices that make requests to a server.
package struct ServiceLimits: Sendable {
    /// Per client address.
    let enrollments, requests, documents: RequestLimits
    /// Per device.
    let reads, writes: RequestLimits

    init(_ limits: ServerLimits, now: @escaping @Sendable () -> Date) {
        enrollments = RequestLimits(limits.enrollments, now: now)
        requests = RequestLimits(limits.requests, now: now)
        documents = RequestLimits(limits.documents, now: now)
        reads = RequestLimits(limits.reads, now: now)
        writes = RequestLimits(limits.writes, now: now)
    }
}
