internal import Crypto
package import Foundation
internal import VitrineSupport

/// Role of an operator. Each role includes the rights of the roles before it.
package enum OperatorRole: String, Sendable, Hashable, Codable, CaseIterable, Comparable {
    /// Right to look up customers, facts and notifications, without what the store has signed.
    case read
    /// Right to give products and units to customers, end grants, remove devices, and process notifications again.
    case support
    /// Right to publish catalogs, and to export, transfer and erase customers.
    case admin

    package static func < (left: OperatorRole, right: OperatorRole) -> Bool { left.rank < right.rank }

    private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

/// Person or program with access to the routes for operators. The server stores only the digest of its token.
package struct OperatorAccount: Sendable, Hashable {
    /// Name that is recorded with each action of the operator.
    package let name: String
    package let role: OperatorRole
    /// SHA-256 digest of the operator's token, 32 bytes.
    package let tokenDigest: Data

    package init(name: String, role: OperatorRole, tokenDigest: Data) {
        (self.name, self.role, self.tokenDigest) = (name, role, tokenDigest)
    }
}

/// Operators in the configuration of a server.
package struct OperatorAccounts: Sendable {
    private let accounts: [OperatorAccount]

    package init(_ accounts: [OperatorAccount]) { self.accounts = accounts }

    /// Returns the SHA-256 digest of an operator's token, as in the configuration.
    package static func digest(of token: String) -> Data { Data(SHA256.hash(data: Data(token.utf8))) }

    /// Minimum length of an operator's token in bytes. The digests in the configuration have no salt: a token of this
    /// length that is random, as it has to be, cannot be found by trial, with or without a salt.
    package static let shortestToken = 32

    /// Returns the operator with a token; `nil` if there is none, or the token is too short. Digests are compared in
    /// constant time.
    package func account(bearing token: String) -> OperatorAccount? {
        guard token.utf8.count >= Self.shortestToken else { return nil }
        let digest = Self.digest(of: token)
        var found: OperatorAccount?
        for account in accounts where account.tokenDigest.isEqualInConstantTime(to: digest) { found = account }
        return found
    }
}
