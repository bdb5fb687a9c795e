internal import Foundation
internal import SwiftASN1
@_spi(FixedExpiryValidationTime) internal import X509

/// Tells whether a signer's certificate leads to a trusted root.
struct ChainVerifier: Sendable {
    let roots: TrustedRoots

    /// Checks a chain of leaf, intermediate and trusted root.
    ///
    /// The dates are left to ``VerifiedChain/rejection(at:)``: the date that counts stands in the signed data, which is
    /// read only after its signature and its chain are known to be good.
    func verify(leaf: Certificate, intermediates: [Certificate]) async throws(Rejection) -> VerifiedChain {
        // A time at which all of them are valid, if there is any.
        let anchors = roots.certificates.filter { root in intermediates.contains { $0.issuer == root.subject } }
        let date = (intermediates + anchors).map(\.notValidBefore).reduce(leaf.notValidBefore, max)
        var verifier = Verifier(rootCertificates: CertificateStore(roots.certificates)) {
            RFC5280Policy(fixedExpiryValidationTime: date)
            ChainLengthPolicy()
        }
        switch await verifier.validate(leaf: leaf, intermediates: CertificateStore(intermediates)) {
        case .validCertificate(let chain):
            let chain = VerifiedChain(Array(chain), isXcode: false)
            guard chain.missingMarks.isEmpty else { throw Rejection(chain.missingMarks) }
            return chain
        case .couldNotValidate(let failures):
            throw Rejection([.untrusted(failures)] + [leaf.missingMark].compactMap(\.self))
        }
    }

    /// Checks a certificate that stands alone, as Xcode's does.
    func verify(xcode certificate: Certificate) throws(Rejection) -> VerifiedChain {
        guard roots.xcodeCertificates.contains(certificate) else {
            throw Rejection(
                .certificateChain,
                roots.xcodeCertificates.isEmpty
                    ? "it is signed by one certificate alone, as by Xcode, and no certificate of Xcode's is trusted"
                    : "it is signed by one certificate alone, and that is not the one of Xcode's that is trusted")
        }
        return VerifiedChain([certificate], isXcode: true)
    }
}

/// Certificates that lead from a signer to a trusted root, whatever the date.
struct VerifiedChain: Sendable {
    /// The leaf first, the trusted certificate last.
    let certificates: [Certificate]
    /// It is trusted as Xcode's: it proves nothing about any other environment.
    let isXcode: Bool

    init(_ certificates: [Certificate], isXcode: Bool) {
        self.certificates = certificates
        self.isXcode = isXcode
    }

    var leaf: Certificate { certificates[0] }

    var root: Certificate { certificates[certificates.count - 1] }

    /// A time at which all of them are valid, if there is any.
    var firstValidDate: Date { certificates.dropFirst().map(\.notValidBefore).reduce(leaf.notValidBefore, max) }

    /// - Returns: Why the chain was not valid at a date; `nil` where it was.
    func rejection(at date: Date) -> RejectionReason? {
        for certificate in certificates {
            let problem: String
            if date < certificate.notValidBefore {
                problem = "begins to be valid only at \(certificate.notValidBefore.inISO8601)"
            } else if date > certificate.notValidAfter {
                problem = "expired at \(certificate.notValidAfter.inISO8601)"
            } else {
                continue
            }
            return RejectionReason(
                code: .certificateValidity,
                detail: "the certificate \"\(certificate.shortName)\" \(problem), and the date that counts is "
                    + date.inISO8601)
        }
        return nil
    }

    fileprivate var missingMarks: [RejectionReason] {
        var reasons = [leaf.missingMark].compactMap(\.self)
        if certificates[1].extensions[oid: StoreCertificateMarks.intermediate] == nil {
            reasons.append(
                RejectionReason(
                    code: .certificateMark, detail: "the intermediate certificate does not carry the store's mark"))
        }
        return reasons
    }
}

extension Certificate {
    fileprivate var missingMark: RejectionReason? {
        guard extensions[oid: StoreCertificateMarks.leaf] == nil else { return nil }
        return RejectionReason(
            code: .certificateMark, detail: "the signer's certificate does not carry the store's mark")
    }

    /// Who it is issued to, cut to what fits in a line.
    var shortName: String {
        let names = subject.flatMap { $0 }
        let name = names.first { $0.type == .RDNAttributeType.commonName } ?? names.first
        return String("\(name?.value.description ?? "without a name")".prefix(100))
    }
}

extension RejectionReason {
    fileprivate static func untrusted(_ failures: [CertificateValidationResult.PolicyFailure]) -> RejectionReason {
        // A reason may describe whole certificates.
        let reasons = failures.map { String("\($0.policyFailureReason)".prefix(200)) }
        return RejectionReason(
            code: .certificateChain,
            detail: "the certificates do not lead to a trusted root"
                + (reasons.isEmpty ? "" : ": " + reasons.joined(separator: "; ")))
    }
}

/// Leaf, intermediate and root: the store's chains have no other shape.
private struct ChainLengthPolicy: VerifierPolicy {
    let verifyingCriticalExtensions: [ASN1ObjectIdentifier] = []

    func chainMeetsPolicyRequirements(chain: UnverifiedCertificateChain) -> PolicyEvaluationResult {
        chain.count == 3
            ? .meetsPolicy
            : .failsToMeetPolicy(reason: "the chain has \(chain.count) certificates, and must have 3")
    }
}

extension Date {
    /// The date and time in UTC, to the second.
    var inISO8601: String { formatted(.iso8601) }
}
