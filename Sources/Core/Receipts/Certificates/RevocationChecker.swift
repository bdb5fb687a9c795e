internal import Foundation
internal import HTTPTypes
internal import VitrineNetworking
internal import VitrineSupport
@_spi(FixedExpiryValidationTime) internal import X509

/// Checker that uses OCSP (RFC 6960) to request the revocation status of a chain's certificates from their issuers.
struct RevocationChecker: Sendable {
    enum Status: Sendable {
        /// No certificate of the chain has been revoked.
        case good
        case revoked(RejectionReason)
        /// An issuer of the chain has not sent a valid response; the associated value is the reason.
        case undetermined(String)
    }

    let transport: any HTTPTransport

    func status(of chain: VerifiedChain, at now: Date) async -> Status {
        guard !chain.isXcode else { return .good }
        if let silent = chain.certificates.dropLast().first(where: { !$0.namesResponder }) {
            return .undetermined("the certificate \"\(silent.shortName)\" does not name an OCSP responder")
        }
        guard let doubt = await problem(with: chain, at: now, inMode: .hard) else { return .good }
        // If a chain fails the hard check, but not the soft check, no certificate is known to be revoked.
        guard let revocation = await problem(with: chain, at: now, inMode: .soft) else {
            return .undetermined("the revocation status of the certificates is unknown: \(doubt)")
        }
        return .revoked(
            RejectionReason(.certificateRevoked, "a certificate has been revoked: \(revocation)"))
    }

    /// Checks a chain over OCSP.
    ///
    /// - Returns: The reason why the check failed; `nil` if the chain passes.
    private func problem(with chain: VerifiedChain, at now: Date, inMode mode: OCSPFailureMode) async -> String? {
        let requester = Requester(transport: transport, isHard: mode == .hard)
        var verifier = Verifier(rootCertificates: CertificateStore([chain.root])) {
            RFC5280Policy(fixedExpiryValidationTime: chain.firstValidDate)
            OCSPVerifierPolicy(failureMode: mode, requester: requester, fixedExpiryValidationTime: now)
        }
        let intermediates = CertificateStore(chain.certificates.dropFirst().dropLast())
        switch await verifier.validate(leaf: chain.leaf, intermediates: intermediates) {
        case .validCertificate: return nil
        case .couldNotValidate(let failures):
            return String(failures.map { "\($0.policyFailureReason)" }.joined(separator: "; ").prefix(300))
        }
    }
}

extension RevocationChecker.Status {
    var rejection: RejectionReason? {
        if case .revoked(let reason) = self { reason } else { nil }
    }
}

/// OCSP requester that sends requests to the responder in a certificate.
private struct Requester: OCSPRequester {
    let transport: any HTTPTransport
    /// `true` if a failed request fails the check of a chain, `false` if a failed request is ignored.
    let isHard: Bool

    /// Maximum time for a request, in seconds.
    private static let timeout: TimeInterval = 30

    func query(request body: [UInt8], uri: String) async -> OCSPRequesterQueryResult {
        do throws(HTTPTransportError) {
            let reply = try await transport.send(
                try request(to: uri), body: Data(body),
                limits: HTTPLimits(size: CertificateLimits.revocationSize, seconds: Self.timeout))
            guard reply.response.status == .ok else {
                return failure(
                    HTTPTransportError(code: .connection, reason: "\(uri) answered with \(reply.response.status)"))
            }
            return .response(Array(reply.body))
        } catch {
            return failure(error)
        }
    }

    private func failure(_ error: HTTPTransportError) -> OCSPRequesterQueryResult {
        isHard ? .terminalError(error) : .nonTerminalError(error)
    }

    private func request(to uri: String) throws(HTTPTransportError) -> HTTPRequest {
        guard let components = URLComponents(string: uri), let host = components.percentEncodedHost, !host.isEmpty,
            let scheme = components.scheme, ["http", "https"].contains(scheme)
        else { throw HTTPTransportError(code: .invalidRequest, reason: "\(uri) is not a valid OCSP address") }
        let path = components.percentEncodedPath
        return HTTPRequest(
            method: .post, scheme: scheme, authority: components.port.map { "\(host):\($0)" } ?? host,
            path: path.isEmpty ? "/" : path, headerFields: [.contentType: "application/ocsp-request"])
    }
}

extension Certificate {
    fileprivate var namesResponder: Bool {
        let information = try? extensions.authorityInformationAccess
        return information?.contains { $0.method == .ocspServer } ?? false
    }
}
