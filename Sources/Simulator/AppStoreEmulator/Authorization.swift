internal import Foundation
internal import VitrineReceipts
internal import VitrineStoreSimulator
internal import VitrineSupport

/// Verification of the JSON Web Tokens that authorize the requests of the app's server
/// ([Apple's description](https://developer.apple.com/documentation/appstoreserverapi/generating-json-web-tokens-for-api-requests)).
/// Dates in tokens are compared with the clock of the machine, even if the clock of the store was advanced, because the
/// app's server does not know the store's clock.
final class Authorization: Sendable {
    enum Verdict: Sendable {
        case accepted
        case unauthenticated
        /// The token is valid, but names an app that the store does not have.
        case unknownApp
    }

    private struct Known: Sendable {
        let verdict: Verdict
        let expiry: Date
    }

    /// Maximum lifetime of a token in seconds, counted from its issue or from now, whichever is earlier.
    private static let longestValidity: TimeInterval = 3_600
    /// Maximum number of tokens in the cache.
    private static let capacity = 1_000

    private let store: SimulatedStore
    private let now: @Sendable () -> Date
    /// Verdicts about tokens with valid signatures, cached so that each signature is checked once.
    private let known = Locked<[String: Known]>([:])

    init(store: SimulatedStore, now: @escaping @Sendable () -> Date) { (self.store, self.now) = (store, now) }

    /// Verifies the token of a request.
    ///
    /// - Parameter text: The token; `nil` for a request without one.
    func check(_ text: String?) async throws(SimulatedStoreError) -> Verdict {
        guard let text else { return .unauthenticated }
        let now = now()
        if let earlier = known.withLock({ $0[text] }) {
            guard earlier.expiry > now else { return .unauthenticated }
            return earlier.verdict
        }
        guard let token = ServerToken(text), let expiry = token.expiry, expiry > now,
            expiry <= min(now, token.issued ?? now) + Self.longestValidity,
            Self.isSame(token.audience, ServerToken.audienceOfStore),
            let key = try await store.serverKeys().first(where: { Self.isSame(token.keyIdentifier, $0.identifier) }),
            let publicKey = try? ServerPublicKey(pem: key.publicKey), Self.isSame(token.issuer, key.issuer),
            token.isSigned(by: publicKey)
        else { return .unauthenticated }
        let isKnown = Self.isSame(token.bundleIdentifier, store.bundleIdentifier)
        let verdict: Verdict = isKnown ? .accepted : .unknownApp
        known.withLock { known in
            if known.count >= Self.capacity { known.removeAll() }
            known[text] = Known(verdict: verdict, expiry: expiry)
        }
        return verdict
    }

    /// Compares identifiers byte by byte, because `==` ignores differences in Unicode normalization.
    private static func isSame(_ text: String?, _ expected: String) -> Bool {
        text?.utf8.elementsEqual(expected.utf8) ?? false
    }
}
