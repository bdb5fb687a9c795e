internal import Crypto
internal import X509

/// Signer that a header names, with the verified chain of its certificate.
struct Signer: Sendable {
    let chain: VerifiedChain
    private let key: P256.Signing.PublicKey

    init(header: JWSHeader, roots: TrustedRoots) async throws(Rejection) {
        guard header.alg == "ES256" else {
            throw Rejection(.algorithm, "the algorithm \(header.alg.prefix(40)) is not accepted: it must be ES256")
        }
        guard [1, 3].contains(header.x5c?.count) else {
            throw Rejection(.malformed, "the header has \(header.x5c?.count ?? 0) certificates, not 3")
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
                throw Rejection(.certificateChain, "the key of an issuer is neither a P-384 nor a P-256 key")
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
