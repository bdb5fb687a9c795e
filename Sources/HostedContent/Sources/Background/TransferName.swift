internal import Foundation

/// What a background transfer is known by beyond the end of the process: whose content it is, and of which version.
///
/// It is written as the digest, a space and the product's identifier.
struct TransferName: Hashable {
    let productIdentifier: String
    /// SHA-256 of the whole file, in 64 small hexadecimal digits.
    let digest: String

    init(productIdentifier: String, digest: String) {
        self.productIdentifier = productIdentifier
        self.digest = digest
    }

    /// - Returns: `nil` for what none of ours is called.
    init?(_ text: String) {
        let parts = text.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, ContentDigest.isDigest(String(parts[0])) else { return nil }
        self.init(productIdentifier: String(parts[1]), digest: String(parts[0]))
    }

    var text: String { "\(digest) \(productIdentifier)" }
}
