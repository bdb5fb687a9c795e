internal import Crypto
internal import FileSystem
internal import Foundation

/// Digests of the data that a server has verified, so that the same data is not sent again. Data that was rejected or
/// undetermined is not recorded and is sent each time.
final class VerifiedDigests: Sendable {
    private let limit: Int
    private let known = Locked((digests: Set<SHA256.Digest>(), order: [SHA256.Digest]()))

    init(limit: Int) { self.limit = limit }

    func contains(_ data: Data) -> Bool {
        known.withLock { $0.digests.contains(SHA256.hash(data: data)) }
    }

    /// Adds the digest of data, and removes the oldest digest if there are more than the limit.
    func insert(_ data: Data) {
        known.withLock { known in
            let digest = SHA256.hash(data: data)
            guard known.digests.insert(digest).inserted else { return }
            known.order.append(digest)
            if known.order.count > limit { known.digests.remove(known.order.removeFirst()) }
        }
    }
}
