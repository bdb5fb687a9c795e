internal import Crypto
internal import FileSystem
internal import Foundation

/// What a server has verified, so that it is not asked about the same again. Nothing else is remembered: what was
/// rejected or could not be told is asked about each time.
final class VerifiedDigests: Sendable {
    private let limit: Int
    private let known = Locked((digests: Set<SHA256.Digest>(), order: [SHA256.Digest]()))

    init(limit: Int) { self.limit = limit }

    func contains(_ data: Data) -> Bool {
        known.withLock { $0.digests.contains(SHA256.hash(data: data)) }
    }

    /// Remembers it, and forgets the oldest where there are too many.
    func insert(_ data: Data) {
        known.withLock { known in
            let digest = SHA256.hash(data: data)
            guard known.digests.insert(digest).inserted else { return }
            known.order.append(digest)
            if known.order.count > limit { known.digests.remove(known.order.removeFirst()) }
        }
    }
}
