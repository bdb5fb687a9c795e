public import Foundation
public import VitrinePurchasing
public import VitrineReceipts
internal import VitrineSupport

/// Verifier for App Store data of the environment of this copy of the app: production for customers, the sandbox in
/// TestFlight, in App Review and in development builds, and Xcode's store.
///
/// The environment is read from the device first, in the order that ``directory(in:for:awaitingStoreFor:sleep:)``
/// documents. Data of this environment is verified at once. If the verification fails, the store's signed app
/// transaction is requested, which is itself verified against Apple's roots: if it confirms the environment, the data
/// is rejected, and otherwise the result is `Verification.undetermined(_:)`, and the verification is repeated.
///
/// In a debug build, data of Xcode's store is verified with the certificate that it contains, and proves nothing else
/// than the environment `Xcode`. A release build verifies such data, or data of a simulated store, only if the app passes
/// the root certificate.
public final class AppStoreVerifier: TransactionVerifier {
    private let store: any Store
    private let candidates: @Sendable (StoreEnvironment) -> [SignedDataVerifier]
    /// Function that reads the evidence on the device.
    let evidence: @Sendable () async -> EnvironmentEvidence
    private let state = Locked(State())

    private struct State {
        /// Environment that the verified app transaction has named; `nil` while there was none.
        var named: StoreEnvironment?
        /// Environment to which the storage directory belongs, the only one whose data is verified; `nil` if the app
        /// has not asked for a directory.
        var launch: StoreEnvironment?
        /// `true` if the app has passed the environment.
        var isCertain = false
        var record: (@Sendable (StoreEnvironment) -> Void)?
    }

    /// Creates a verifier.
    ///
    /// - Parameters:
    ///   - store: Store whose app transaction names the environment.
    ///   - bundleIdentifier: Bundle identifier of the app that the data must be signed for.
    ///   - roots: Root certificates for production and sandbox data.
    ///   - testRoots: Root certificates of a test store, such as `TrustedRoots(xcodeData:)`; `nil` in a released app.
    ///     They are used for every environment except production.
    ///   - now: Function that returns the current date.
    public convenience init(
        store: any Store, bundleIdentifier: String, roots: TrustedRoots = .apple, testRoots: TrustedRoots? = nil,
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.init(
            store: store, bundleIdentifier: bundleIdentifier, roots: roots, testRoots: testRoots,
            evidence: { await EnvironmentEvidence.ofThisCopy(bundleIdentifier: bundleIdentifier) }, now: now)
    }

    init(
        store: any Store, bundleIdentifier: String, roots: TrustedRoots = .apple, testRoots: TrustedRoots? = nil,
        evidence: @escaping @Sendable () async -> EnvironmentEvidence, now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.store = store
        self.evidence = evidence
        candidates = { environment in
            var trusted: [TrustedRoots] = []
            if [.production, .sandbox].contains(environment) { trusted.append(roots) }
            if environment != .production, let testRoots { trusted.append(testRoots) }
            #if DEBUG
                if environment == .xcode { trusted.append(.anyXcodeCertificate) }
            #endif
            return trusted.map {
                SignedDataVerifier(roots: $0, bundleIdentifier: bundleIdentifier, environment: environment, now: now)
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
        let known = state.withLock { $0 }
        let environment: StoreEnvironment
        if let decided = known.launch ?? known.named {
            environment = decided
        } else {
            let evidence = await evidence()
            environment = evidence.named ?? evidence.assumed
        }
        let verification = await verify(in: environment, body)
        if case .verified = verification { return verification }
        if known.isCertain || known.named == environment { return verification }
        do throws(UnknownEnvironment) {
            let named = try await namedEnvironment()
            if named == environment { return verification }
            guard let launch = known.launch else { return await verify(in: named, body) }
            throw UnknownEnvironment(
                reason: "it is \(named.rawValue.prefix(40)), and this launch began with \(launch.rawValue)")
        } catch {
            return .undetermined("the store environment of the app is not known: \(error.reason)")
        }
    }

    /// Verifies data with each verifier of an environment, until one succeeds.
    private func verify<Value>(
        in environment: StoreEnvironment, _ body: (SignedDataVerifier) async -> Verification<Value>
    ) async -> Verification<Value> {
        var first: Verification<Value>?
        for candidate in candidates(environment) {
            let verification = await body(candidate)
            if case .verified = verification { return verification }
            first = first ?? verification
        }
        return first ?? .undetermined("no roots are named for the environment \(environment.rawValue.prefix(40))")
    }

    // MARK: Environment

    /// Returns the environment that the verified app transaction names; `nil` while there is no such transaction.
    func environment() async -> StoreEnvironment? { try? await namedEnvironment() }

    /// Restricts the verifier to data of one environment.
    ///
    /// - Parameter isCertain: `true` if no app transaction has to confirm the environment.
    func begin(in environment: StoreEnvironment, isCertain: Bool) {
        state.withLock { ($0.launch, $0.isCertain) = (environment, isCertain) }
    }

    /// Calls a function once the app transaction has named the environment.
    func recordEnvironment(_ record: @escaping @Sendable (StoreEnvironment) -> Void) {
        let named = state.withLock { state in
            state.record = record
            return state.named
        }
        if let named { record(named) }
    }

    /// Returns the environment that the verified app transaction names.
    private func namedEnvironment() async throws(UnknownEnvironment) -> StoreEnvironment {
        if let named = state.withLock({ $0.named }) { return named }
        let signed: String?
        do {
            signed = try await store.appTransaction()
        } catch {
            throw UnknownEnvironment(reason: error.reason)
        }
        guard let signed else { throw UnknownEnvironment(reason: "the store has no app transaction") }
        guard let claim = UnverifiedJWS(signed)?.decode(AppTransactionPayload.self) else {
            throw UnknownEnvironment(reason: "the app transaction cannot be read")
        }
        switch await verify(in: claim.environment, { await $0.verify(appTransaction: signed) }) {
        case .verified: break
        case .rejected(let reasons):
            throw UnknownEnvironment(
                reason: "the app transaction is rejected: \(reasons.map(\.reason).joined(separator: "; "))")
        case .undetermined(let reason): throw UnknownEnvironment(reason: reason)
        }
        let record = state.withLock { state in
            state.named = claim.environment
            return state.record
        }
        record?(claim.environment)
        return claim.environment
    }
}

/// Reason why the environment of the app is unknown.
private struct UnknownEnvironment: Error {
    let reason: String
}
