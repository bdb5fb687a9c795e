internal import Crypto
package import Foundation

/// Rights of an operator. Each role includes those before it.
package enum OperatorRole: String, Sendable, Hashable, Codable, CaseIterable, Comparable {
    /// Looks up customers, facts and notifications.
    case read
    /// Also gives products and units, ends grants, and delivers notifications again.
    case support
    /// Also publishes catalogs and exports customers.
    case admin

    package static func < (left: OperatorRole, right: OperatorRole) -> Bool { left.rank < right.rank }

    private var rank: Int {
        switch self {
        case .read: 0
        case .support: 1
        case .admin: 2
        }
    }
}

/// Person or program that may make the requests of operators. The server has no more of the token than its digest.
package struct OperatorAccount: Sendable, Hashable {
    /// Name under which what the operator does is recorded.
    package let name: String
    package let role: OperatorRole
    /// SHA-256 of the operator's token, 32 bytes.
    package let tokenDigest: Data

    package init(name: String, role: OperatorRole, tokenDigest: Data) {
        (self.name, self.role, self.tokenDigest) = (name, role, tokenDigest)
    }
}

/// Operators of a server.
package struct OperatorAccounts: Sendable {
    private let accounts: [OperatorAccount]

    package init(_ accounts: [OperatorAccount]) { self.accounts = accounts }

    /// Returns the digest of a token, as the configuration has it.
    package static func digest(of token: String) -> Data { Data(SHA256.hash(data: Data(token.utf8))) }

    /// Returns the operator with a token. The time that this takes does not depend on where digests differ.
    package func account(bearing token: String) -> OperatorAccount? {
        let digest = Self.digest(of: token)
        var found: OperatorAccount?
        for account in accounts where Self.isEqual(account.tokenDigest, digest) { found = account }
        return found
    }

    private static func isEqual(_ one: Data, _ other: Data) -> Bool {
        guard one.count == other.count else { return false }
        return zip(one, other).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
