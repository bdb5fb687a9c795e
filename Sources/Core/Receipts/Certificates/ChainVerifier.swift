internal import Foundation
internal import SwiftASN1
@_spi(FixedExpiryValidationTime) internal import X509

/// Verifier that checks that a signer's certificate leads to a trusted root.
struct ChainVerifier: Sendable {
    let roots: TrustedRoots

    /// Verifies a chain of three certificates: leaf, intermediate and trusted root.
    ///
    /// The dates are not checked here, but by ``VerifiedChain/rejection(at:)``. The validation date may be part of the
    /// signed data, which is read only after its signature and its chain have been verified.
    func verify(leaf: Certificate, intermediates: [Certificate]) async throws(Rejection) -> VerifiedChain {
        // Each certificate with the name of the leaf's issuer is tried alone: see `CertificateLimits`.
        let issuers = intermediates.filter { $0.subject == leaf.issuer }
        var failures: [CertificateValidationResult.PolicyFailure] = []
        for path in issuers.isEmpty ? [[]] : issuers.map({ [$0] }) {
            switch await validate(leaf, path) {
            case .validCertificate(let chain): return try permitted(Array(chain))
            case .couldNotValidate(let reasons): failures += reasons
            }
        }
        throw Rejection([.untrusted(failures)] + leaf.missing(AppleMarkerOIDs.leaf, of: "the signer's"))
    }

    private func validate(_ leaf: Certificate, _ issuers: [Certificate]) async -> CertificateValidationResult {
        // A time at which all certificates are valid, if there is one.
        let anchors = roots.certificates.filter { root in issuers.contains { $0.issuer == root.subject } }
        let date = (issuers + anchors).map(\.notValidBefore).reduce(leaf.notValidBefore, max)
        var verifier = Verifier(rootCertificates: CertificateStore(roots.certificates)) {
            RFC5280Policy(fixedExpiryValidationTime: date)
            ChainLengthPolicy()
        }
        return await verifier.validate(leaf: leaf, intermediates: CertificateStore(issuers))
    }

    /// Checks what the certificates of a valid chain may be used for.
    private func permitted(_ certificates: [Certificate]) throws(Rejection) -> VerifiedChain {
        let chain = VerifiedChain(certificates: certificates, isXcode: false)
        guard chain.missingMarks.isEmpty else { throw Rejection(chain.missingMarks) }
        guard chain.mayHaveSigned else {
            throw Rejection(.certificateChain, "the key usage of a certificate does not permit what it has signed")
        }
        return chain
    }

    /// Verifies a single certificate without a chain, such as Xcode's.
    func verify(xcode certificate: Certificate) throws(Rejection) -> VerifiedChain {
        guard roots.trusts(xcode: certificate) else {
            throw Rejection(
                .certificateChain,
                roots.xcodeCertificates.isEmpty
                    ? "the data is signed with a single certificate, as by Xcode, but no Xcode certificate is trusted"
                    : "the data is signed with a single certificate, which is not a trusted Xcode certificate")
        }
        return VerifiedChain(certificates: [certificate], isXcode: true)
    }
}

/// Chain of certificates from a signer to a trusted root, verified except for the dates.
struct VerifiedChain: Sendable {
    /// Certificates, the leaf first and the trusted certificate last.
    let certificates: [Certificate]
    /// `true` if the chain is trusted as Xcode's. Data that it signs is proved only for the environment `Xcode`.
    let isXcode: Bool

    var leaf: Certificate { certificates[0] }

    var root: Certificate { certificates[certificates.count - 1] }

    /// Latest start of validity of the certificates: the first date at which all of them can be valid.
    var firstValidDate: Date { certificates.dropFirst().map(\.notValidBefore).reduce(leaf.notValidBefore, max) }

    /// Checks the dates of the certificates.
    ///
    /// - Returns: The reason why the chain was not valid at a date; `nil` if it was valid.
    func rejection(at date: Date) -> RejectionReason? {
        for certificate in certificates {
            let problem: String
            if date < certificate.notValidBefore {
                problem = "is not valid before \(certificate.notValidBefore.inISO8601)"
            } else if date > certificate.notValidAfter {
                problem = "expired at \(certificate.notValidAfter.inISO8601)"
            } else {
                continue
            }
            return RejectionReason(
                .certificateValidity,
                "the certificate \"\(certificate.shortName)\" \(problem); the validation date is "
                    + date.inISO8601)
        }
        return nil
    }

    /// `true` if the certificates' key usages, where they have one, permit the leaf to sign data and the others to sign
    /// certificates (RFC 5280, section 4.2.1.3).
    fileprivate var mayHaveSigned: Bool {
        func permits(_ certificate: Certificate, _ usage: KeyPath<KeyUsage, Bool>) -> Bool {
            // An extension that cannot be read permits nothing.
            guard let present = try? certificate.extensions.keyUsage else {
                return certificate.extensions[oid: .X509ExtensionID.keyUsage] == nil
            }
            return present[keyPath: usage]
        }
        return permits(leaf, \.digitalSignature) && certificates.dropFirst().allSatisfy { permits($0, \.keyCertSign) }
    }

    fileprivate var missingMarks: [RejectionReason] {
        leaf.missing(AppleMarkerOIDs.leaf, of: "the signer's")
            + certificates[1].missing(AppleMarkerOIDs.intermediate, of: "the intermediate")
    }
}

extension Certificate {
    /// Returns the reason to reject the certificate because it lacks a marker OID; empty if it has the OID.
    fileprivate func missing(_ mark: ASN1ObjectIdentifier, of owner: String) -> [RejectionReason] {
        guard extensions[oid: mark] == nil else { return [] }
        return [RejectionReason(.certificateMark, "\(owner) certificate does not have the Apple marker OID")]
    }

    /// Name of the certificate's subject, truncated for error messages.
    var shortName: String {
        let names = subject.flatMap { $0 }
        let name = names.first { $0.type == .RDNAttributeType.commonName } ?? names.first
        return String("\(name?.value.description ?? "without a name")".prefix(100))
    }
}

extension RejectionReason {
    fileprivate static func untrusted(_ failures: [CertificateValidationResult.PolicyFailure]) -> RejectionReason {
        // A reason is truncated, because it may contain descriptions of complete certificates.
        let reasons = failures.map { String("\($0.policyFailureReason)".prefix(200)) }
        return RejectionReason(
            .certificateChain,
            "the signer's certificates do not lead to a trusted root"
                + (reasons.isEmpty ? "" : ": " + reasons.joined(separator: "; ")))
    }
}

/// Policy that requires leaf, intermediate and root, the only format of the store's chains.
private struct ChainLengthPolicy: VerifierPolicy {
    let verifyingCriticalExtensions: [ASN1ObjectIdentifier] = []

    func chainMeetsPolicyRequirements(chain: UnverifiedCertificateChain) -> PolicyEvaluationResult {
        chain.count == 3
            ? .meetsPolicy
            : .failsToMeetPolicy(reason: "the certificate chain has \(chain.count) certificates, not 3")
    }
}

extension Date {
    /// Date and time in UTC in ISO 8601 format, to the second.
    var inISO8601: String { formatted(.iso8601) }
}
