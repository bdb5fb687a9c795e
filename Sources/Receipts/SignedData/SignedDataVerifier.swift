internal import Foundation

/// Tells whether what a store has signed can be trusted.
public protocol TransactionVerifier: Sendable {
    /// Checks a transaction in compact JWS form.
    func verify(transaction signedData: String) async -> Verification<SignedTransaction>

    /// Checks an app transaction in compact JWS form.
    func verify(appTransaction signedData: String) async -> Verification<SignedAppTransaction>

    /// Checks what the store says about a renewal, in compact JWS form.
    func verify(renewal signedData: String) async -> Verification<SignedRenewal>
}

/// Verifies what the store signs: ES256, three certificates that lead to a trusted root and carry the store's marks,
/// all valid at the signed date; the app and the environment.
///
/// No environment skips a check. A store simulator is trusted by giving its root, and only by that.
public struct SignedDataVerifier: TransactionVerifier {
    private let roots: TrustedRoots
    private let bundleIdentifier: String
    private let environment: StoreEnvironment

    /// - Parameters:
    ///   - roots: What the certificates must lead to.
    ///   - bundleIdentifier: The app that the data must be signed for.
    ///   - environment: The environment that must have signed it.
    public init(roots: TrustedRoots = .apple, bundleIdentifier: String, environment: StoreEnvironment) {
        self.roots = roots
        self.bundleIdentifier = bundleIdentifier
        self.environment = environment
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

    private func verify<Payload: SignedPayload, Value>(
        _ signedData: String, as value: (Payload) -> Value
    ) async -> Verification<Value> {
        do throws(Rejection) {
            let jws = try CompactJWS(signedData)
            let chain = try await ChainVerifier(roots: roots).verify(leaf: jws.leaf, intermediates: [jws.intermediate])
            guard jws.hasValidSignature() else {
                throw Rejection(.signature, "the signature does not belong to the data")
            }
            let payload: Payload = try decode(jws.payload)
            let reasons = [chain.rejection(at: payload.signedDate)].compactMap(\.self) + identityReasons(payload)
            return reasons.isEmpty ? .verified(value(payload)) : .rejected(reasons)
        } catch {
            return .rejected(error.reasons)
        }
    }

    private func decode<Payload: SignedPayload>(_ bytes: Data) throws(Rejection) -> Payload {
        let payload: Payload
        do {
            payload = try JSONDecoder.storeDates.decode(Payload.self, from: bytes)
        } catch {
            throw Rejection(.payload, "the payload is not that of \(Payload.name): \(error)")
        }
        guard payload.isComplete else {
            throw Rejection(.payload, "the payload lacks an identifier or a quantity above zero")
        }
        guard payload.dates.allSatisfy(Self.plausibleDates.contains) else {
            throw Rejection(.payload, "the payload has a date outside the years 1970 to 9999")
        }
        return payload
    }

    /// Dates that every calendar and every store on disk can represent.
    private static let plausibleDates =
        Date(timeIntervalSince1970: 0)...Date(timeIntervalSince1970: 253_402_300_799)

    private func identityReasons(_ payload: some SignedPayload) -> [RejectionReason] {
        var reasons: [RejectionReason] = []
        if let app = payload.app, app != bundleIdentifier {
            reasons.append(
                RejectionReason(
                    code: .bundleIdentifier,
                    detail: "signed for the app \(app), and this is \(bundleIdentifier)"))
        }
        if payload.environment != environment {
            reasons.append(
                RejectionReason(
                    code: .environment,
                    detail: "signed in the environment \(payload.environment.rawValue), "
                        + "and this is \(environment.rawValue)"))
        }
        return reasons
    }
}
