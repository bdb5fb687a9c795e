internal import FileSystem
internal import Foundation

/// The signers whose chains have been verified lately, by the headers that they sent to the byte.
///
/// Dates are no part of it: they are held against a chain each time that it is used.
final class SignerCache: Sendable {
    struct Entry: Sendable {
        let signer: Signer
        /// Why a certificate is not to be trusted in spite of its chain, by its issuer's own answer.
        let revocation: RejectionReason?
    }

    static let capacity = 32
    /// In seconds.
    static let lifetime: TimeInterval = 15 * 60

    fileprivate struct Record {
        let header: ArraySlice<UInt8>
        let entry: Entry
        let since: Date
    }

    /// The oldest first.
    private let records = Locked<[Record]>([])

    /// - Returns: `nil` for a header that was not seen, or not lately.
    func entry(for header: ArraySlice<UInt8>, at now: Date) -> Entry? {
        records.withLock { records in
            records.last { $0.header == header && $0.isFresh(at: now) }?.entry
        }
    }

    /// Keeps what a header that proved to be good stands for, in place of what is oldest.
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
    /// A clock that was set back makes nothing last longer.
    fileprivate func isFresh(at now: Date) -> Bool {
        now >= since && now < since + SignerCache.lifetime
    }
}
