public import Foundation
public import VitrinePurchasing
public import VitrineReceipts
internal import VitrineSupport

/// Verifier for App Store data of the environment of this copy of the app: production for customers, the sandbox in
/// TestFlight, in App Review and in development builds.
///
/// The store's signed app transaction names the environment, and is itself verified against Apple's roots. While the
/// store has no app transaction, only production data is verified: other results are `Verification.undetermined(_:)`,
/// and the verification is repeated. Data of Xcode's local store, or of a simulated store, is verified only if the app
/// passes its root certificate.
public final class AppStoreVerifier: TransactionVerifier {
    private let store: any Store
    private let candidates: @Sendable (StoreEnvironment) -> [SignedDataVerifier]
    /// Verifier for the environment of the app, once the app transaction has named it.
    private let known = Locked<(environment: StoreEnvironment, verifier: SignedDataVerifier)?>(nil)
    /// Only environment whose data is verified, because the storage directory belongs to it; `nil` for any environment.
    private let restriction = Locked<StoreEnvironment?>(nil)

    /// Creates a verifier.
    ///
    /// - Parameters:
    ///   - store: Store whose app transaction names the environment.
    ///   - bundleIdentifier: Bundle identifier of the app that the data must be signed for.
    ///   - roots: Root certificates for production and sandbox data.
    ///   - testRoots: Root certificates of a test store, such as `TrustedRoots(xcodePEM:)`; `nil` in a released app.
    ///     They are used for every environment except production.
    ///   - now: Function that returns the current date.
    public init(
        store: any Store, bundleIdentifier: String, roots: TrustedRoots = .apple, testRoots: TrustedRoots? = nil,
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.store = store
        candidates = { environment in
            let isOfStore = [.production, .sandbox].contains(environment)
            let isOfTest = environment != .production
            return [isOfStore ? roots : nil, isOfTest ? testRoots : nil].compactMap { roots in
                roots.map {
                    SignedDataVerifier(
                        roots: $0, bundleIdentifier: bundleIdentifier, environment: environment, now: now)
                }
            }
        }
    }

    public func verify(transaction signedData: String) async -> Verification<SignedTransaction> {
        await verify { await $0.verify(transaction: signedData) }
    }

    public func verify(appTransaction signedData: String) async -> Verification<SignedAppTransaction> {
        await verify { await $0.verify(appTransaction: signedData) }
    }

    public func verify(renewal signedData: String) async -> Verification<SignedRenewal> {
        await verify { await $0.verify(renewal: signedData) }
    }

    private func verify<Value>(
        _ body: (SignedDataVerifier) async -> Verification<Value>
    ) async -> Verification<Value> {
        do throws(UnknownEnvironment) {
            let (environment, verifier) = try await verified()
            if let other = restriction.withLock({ $0 }), other != environment {
                throw UnknownEnvironment(
                    "it is \(environment.rawValue.prefix(40)), and this launch began with \(other.rawValue)")
            }
            return await body(verifier)
        } catch {
            // Production data is signed by Apple and needs no app transaction, which StoreKit may lack for a long time.
            let restricted = restriction.withLock { $0 }
            if error.isUnanswered, restricted == nil || restricted == .production {
                for candidate in candidates(.production) {
                    let verification = await body(candidate)
                    if case .verified = verification { return verification }
                }
            }
            return .undetermined("the store environment of the app is not known: \(error.reason)")
        }
    }

    /// Returns the environment that the verified app transaction names; `nil` while there is no such transaction.
    func environment() async -> StoreEnvironment? { try? await verified().environment }

    func restrict(to environment: StoreEnvironment) { restriction.withLock { $0 = environment } }

    /// Returns the environment that the verified app transaction names, and the verifier for it.
    private func verified() async throws(UnknownEnvironment) -> (
        environment: StoreEnvironment, verifier: SignedDataVerifier
    ) {
        if let known = known.withLock({ $0 }) { return known }
        let signed: String?
        do {
            signed = try await store.appTransaction()
        } catch {
            throw UnknownEnvironment(error.reason, isUnanswered: true)
        }
        guard let signed else { throw UnknownEnvironment("the store has no app transaction", isUnanswered: true) }
        guard let claim = UnverifiedJWS(signed)?.decode(AppTransactionPayload.self) else {
            throw UnknownEnvironment("the app transaction cannot be read")
        }
        var reason = "no roots are named for the environment \(claim.environment.rawValue.prefix(40))"
        for candidate in candidates(claim.environment) {
            switch await candidate.verify(appTransaction: signed) {
            case .verified:
                known.withLock { $0 = (claim.environment, candidate) }
                return (claim.environment, candidate)
            case .rejected(let reasons):
                reason = "the app transaction is rejected: \(reasons.map(\.reason).joined(separator: "; "))"
            case .undetermined(let doubt): reason = doubt
            }
        }
        throw UnknownEnvironment(reason)
    }
}

/// Reason why the environment of the app is unknown.
private struct UnknownEnvironment: Error {
    let reason: String
    /// `true` if the store has not answered with an app transaction.
    let isUnanswered: Bool

    init(_ reason: String, isUnanswered: Bool = false) {
        self.reason = reason
        self.isUnanswered = isUnanswered
    }
}
