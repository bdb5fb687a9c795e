internal import Crypto
internal import Foundation
internal import VitrineSupport
internal import X509

/// Signer in the header of a JWS, with the verified chain of its certificate.
struct Signer: Sendable {
    let chain: VerifiedChain
    private let key: P256.Signing.PublicKey

    init(header: JWSHeader, roots: TrustedRoots) async throws(Rejection) {
        guard header.alg == "ES256" else {
            throw Rejection(.algorithm, "the algorithm \(header.alg.prefix(40)) is not accepted: it must be ES256")
        }
        guard [1, 3].contains(header.x5c?.count) else {
            throw Rejection(.malformed, "the JWS header has \(header.x5c?.count ?? 0) certificates, not 3")
        }
        let certificates = try header.certificates
        guard let key = P256.Signing.PublicKey(certificates[0].publicKey) else {
            throw Rejection(.certificateChain, "the signer's key is not a P-256 key")
        }
        let verifier = ChainVerifier(roots: roots)
        if certificates.count == 1 {
            chain = try verifier.verify(xcode: certificates[0])
        } else {
            // The root in the header is ignored: the chain must lead to a trusted root.
            chain = try await verifier.verify(leaf: certificates[0], intermediates: [certificates[1]])
            guard chain.certificates.dropFirst().allSatisfy(\.hasEllipticKey) else {
                throw Rejection(
                    .certificateChain, "the key of an issuing certificate is neither a P-384 nor a P-256 key")
            }
        }
        self.key = key
    }

    func hasSigned(_ jws: CompactJWS) -> Bool { jws.isSigned(by: key) }
}

extension Certificate {
    fileprivate var hasEllipticKey: Bool {
        P384.Signing.PublicKey(publicKey) != nil || P256.Signing.PublicKey(publicKey) != nil
    }
}

/// Cache of signers whose chains have been verified recently. The key is the exact bytes of the JWS header.
///
/// Dates are not cached: they are checked against a chain each time the chain is used.
final class SignerCache: Sendable {
    struct Entry: Sendable {
        let signer: Signer
        /// Reason to reject the signer's data, because the issuer has revoked a certificate of its chain; `nil` if no
        /// certificate of the chain is known to be revoked.
        let revocation: RejectionReason?
    }

    static let capacity = 32
    /// Lifetime of a cached signer in seconds.
    static let lifetime: TimeInterval = 15 * 60

    fileprivate struct Record {
        let header: Data
        let entry: Entry
        let since: Date
    }

    /// Verified signers in the order of their insertion.
    private let records = Locked<[Record]>([])

    /// Returns the cached signer for the header of a JWS.
    ///
    /// - Returns: `nil` if no signer is cached for the header, or the cached signer has expired.
    func entry(for header: ArraySlice<UInt8>, at now: Date) -> Entry? {
        // The bytes of `Data` are compared in blocks, those of a slice one by one.
        let header = Data(header)
        return records.withLock { records in
            records.last { $0.header == header && $0.isFresh(at: now) }?.entry
        }
    }

    /// Caches the signer for the header of a JWS. If the cache is full, the oldest signer is removed.
    func insert(_ entry: Entry, for header: ArraySlice<UInt8>, at now: Date) {
        let record = Record(header: Data(header), entry: entry, since: now)
        records.withLock { records in
            records.removeAll { $0.header == record.header || !$0.isFresh(at: now) }
            if records.count >= Self.capacity { records.removeFirst() }
            records.append(record)
        }
    }

    var count: Int { records.withLock { $0.count } }
}

extension SignerCache.Record {
    /// Returns `true` if the cached signer has not expired. A clock that was set back does not extend its lifetime.
    fileprivate func isFresh(at now: Date) -> Bool {
        now >= since && now < since + SignerCache.lifetime
    }
}
