public import Foundation
public import VitrineNetworking
internal import VitrineSupport

/// Verifier of data that the store signs. The algorithm must be ES256. Three certificates must lead to a trusted root,
/// contain the Apple marker OIDs and be valid at the validation date. The app and the environment are checked too.
///
/// The same checks apply in every environment. A store simulator is trusted only by its root, and Xcode's store only by
/// its certificate. A verifier caches verified chains for 15 minutes, and should therefore be reused for several
/// tokens.
public struct SignedDataVerifier: TransactionVerifier {
    private let roots: TrustedRoots
    private let bundleIdentifier: String
    private let appIdentifier: Int64?
    private let environment: StoreEnvironment
    private let validity: CertificateValidity
    private let revocation: RevocationChecker?
    private let lead: TimeInterval?
    private let now: @Sendable () -> Date
    let signers = SignerCache()

    /// Creates a verifier.
    ///
    /// - Parameters:
    ///   - roots: Root certificates to which the certificates of the data must lead.
    ///   - bundleIdentifier: App for which the data must be signed.
    ///   - appIdentifier: App's identifier in the App Store. If production data contains an identifier, it must be
    ///     equal; `nil` to skip the check.
    ///   - environment: Environment that must have signed the data.
    ///   - validity: Date at which the certificates must have been valid. For data without a signing date, this is the
    ///     current date.
    ///   - revocation: Transport for OCSP requests (RFC 6960) to the certificates' issuers, about the revocation of the
    ///     certificates; `nil` to skip the check. With a transport, no data is verified without a response. Apple's
    ///     certificates specify responders with plain HTTP: `DefaultTransport(plainHTTP: .everywhere)`.
    ///   - lead: Time in seconds by which the signing date may be after the current date; data that is signed later is
    ///     undetermined. `nil` for any time: the clock of a device may be wrong, that of a server is not.
    ///   - now: Function that returns the current date.
    public init(
        roots: TrustedRoots = .apple, bundleIdentifier: String, appIdentifier: Int64? = nil,
        environment: StoreEnvironment, validity: CertificateValidity = .whenSigned,
        revocation: (any HTTPTransport)? = nil, lead: TimeInterval? = nil,
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.roots = roots
        self.bundleIdentifier = bundleIdentifier
        self.appIdentifier = appIdentifier
        self.environment = environment
        self.validity = validity
        self.revocation = revocation.map(RevocationChecker.init)
        self.lead = lead
        self.now = now
    }

    public func verify(transaction signedData: String) async -> Verification<SignedTransaction> {
        await verify(signedData) { SignedTransaction(payload: $0, signedData: signedData) }
    }

    public func verify(appTransaction signedData: String) async -> Verification<SignedAppTransaction> {
        await verify(signedData) { SignedAppTransaction(payload: $0, signedData: signedData) }
    }

    public func verify(renewal signedData: String) async -> Verification<SignedRenewal> {
        await verify(signedData) { SignedRenewal(payload: $0, signedData: signedData) }
    }

    /// Verifies only the signature, chain, app and environment of any data that the store signs in compact JWS form.
    /// The rest of the content, such as a purchase or the data in a notification, is not verified.
    public func verify(signedData: String) async -> Verification<SignedDocument> {
        await verify(signedData) { (payload: DocumentPayload) in
            SignedDocument(kind: payload.kind, signedData: signedData)
        }
    }

    func verify<Payload: SignedPayload, Value>(
        _ signedData: String, as value: (Payload) -> Value
    ) async -> Verification<Value> {
        let now = now()
        do throws(Rejection) {
            let jws = try CompactJWS(signedData)
            let known = signers.entry(for: jws.header, at: now)
            let signer: Signer
            if let known {
                signer = known.signer
            } else {
                signer = try await Signer(header: try JWSHeader(segment: jws.header), roots: roots)
            }
            guard signer.hasSigned(jws) else {
                throw Rejection(.signature, "the signature does not match the data")
            }
            let payload: Payload = try decode(jws.payload)
            let date = validity == .whenSigned ? payload.signatureDate ?? now : now
            let reasons =
                [signer.chain.rejection(at: date)].compactMap(\.self) + identityReasons(payload.subjects, signer.chain)
            guard reasons.isEmpty else { throw Rejection(reasons) }
            if let lead, let signed = payload.signatureDate, signed > now + lead {
                return .undetermined("the data is signed at \(signed.inISO8601), and it is \(now.inISO8601) now")
            }
            if let known {
                if let revoked = known.revocation { throw Rejection([revoked]) }
            } else {
                let status = await revocation?.status(of: signer.chain, at: now) ?? .good
                if case .undetermined(let reason) = status { return .undetermined(reason) }
                signers.insert(.init(signer: signer, revocation: status.rejection), for: jws.header, at: now)
                if let revoked = status.rejection { throw Rejection([revoked]) }
            }
            return .verified(value(payload))
        } catch {
            return .rejected(error.reasons)
        }
    }

    private func decode<Payload: SignedPayload>(_ bytes: Data) throws(Rejection) -> Payload {
        let payload: Payload
        do {
            payload = try JSONDecoder.storeDates.decodeForeign(Payload.self, from: bytes)
        } catch {
            throw Rejection(.payload, "the payload is not that of \(Payload.name): \(error.inOneLine)")
        }
        guard payload.isComplete else {
            throw Rejection(.payload, "the payload lacks \(Payload.required)")
        }
        guard payload.dates.allSatisfy(Self.plausibleDates.contains) else {
            throw Rejection(.payload, "the payload has a date outside the years 1970 to 9999")
        }
        return payload
    }

    /// Range of accepted dates in signed data: the years 1970 to 9999, which every calendar and every database can
    /// represent.
    private static let plausibleDates =
        Date(timeIntervalSince1970: 0)...Date(timeIntervalSince1970: 253_402_300_799)

    private func identityReasons(_ subjects: [SignedSubject], _ chain: VerifiedChain) -> [RejectionReason] {
        subjects.flatMap { subject in
            var reasons: [RejectionReason] = []
            func add(_ code: RejectionReason.Code, _ detail: String) {
                reasons.append(RejectionReason(code, detail))
            }
            if let app = subject.app, !app.hasSameBytes(as: bundleIdentifier) {
                reasons.append(.otherApp(app, than: bundleIdentifier))
            }
            if environment == .production, let appIdentifier, let named = subject.appIdentifier, named != appIdentifier
            {
                add(
                    .appIdentifier,
                    "the data is signed for the app with the identifier \(named), not for \(appIdentifier)")
            }
            if subject.environment != environment {
                add(
                    .environment,
                    "the data is signed in the environment \(subject.environment.rawValue.prefix(40)), "
                        + "not in \(environment.rawValue)")
            } else if chain.isXcode, ![.xcode, .localTesting].contains(subject.environment) {
                add(
                    .environment,
                    "the data is signed with Xcode's certificate, which proves nothing about the environment "
                        + environment.rawValue)
            }
            return reasons
        }
    }
}

/// Verifier of data that a store has signed.
public protocol TransactionVerifier: Sendable {
    /// Verifies a transaction in compact JWS form.
    func verify(transaction signedData: String) async -> Verification<SignedTransaction>

    /// Verifies an app transaction in compact JWS form.
    func verify(appTransaction signedData: String) async -> Verification<SignedAppTransaction>

    /// Verifies renewal information in compact JWS form.
    func verify(renewal signedData: String) async -> Verification<SignedRenewal>
}
