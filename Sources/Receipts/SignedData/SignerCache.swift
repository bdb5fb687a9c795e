internal import FileSystem
internal import Foundation

/// Cache of signers whose chains have been verified recently, by the exact bytes of their headers.
///
/// Dates are not cached: they are checked against a chain each time that the chain is used.
final class SignerCache: Sendable {
    struct Entry: Sendable {
        let signer: Signer
        /// Reason to reject a certificate that its issuer has revoked; `nil` if none is revoked.
        let revocation: RejectionReason?
    }

    static let capacity = 32
    /// Lifetime of an entry, in seconds.
    static let lifetime: TimeInterval = 15 * 60

    fileprivate struct Record {
        let header: ArraySlice<UInt8>
        let entry: Entry
        let since: Date
    }

    /// Records, the oldest first.
    private let records = Locked<[Record]>([])

    /// Returns the entry for a header.
    ///
    /// - Returns: `nil` for a header that is not in the cache, or whose entry has expired.
    func entry(for header: ArraySlice<UInt8>, at now: Date) -> Entry? {
        records.withLock { records in
            records.last { $0.header == header && $0.isFresh(at: now) }?.entry
        }
    }

    /// Stores the entry for a verified header, and removes the oldest entry if the cache is full.
    func insert(_ entry: Entry, for header: ArraySlice<UInt8>, at now: Date) {
        let record = Record(header: ArraySlice(Array(header)), entry: entry, since: now)
        records.withLock { records in
            records.removeAll { $0.header == header || !$0.isFresh(at: now) }
            if records.count >= Self.capacity { records.removeFirst() }
            records.append(record)
        }
    }

    var count: Int { records.withLock { $0.count } }
}

extension SignerCache.Record {
    /// Returns `true` if the record has not expired. A clock that was set back does not extend its lifetime.
    fileprivate func isFresh(at now: Date) -> Bool {
        now >= since && now < since + SignerCache.lifetime
    }
}
