internal import SwiftASN1
internal import X509

/// The marks that the App Store's certificates carry, and the length of their chain.
enum StoreCertificateMarks {
    /// On the leaf: signs receipts and transactions of the App Store.
    static let leaf: ASN1ObjectIdentifier = [1, 2, 840, 113635, 100, 6, 11, 1]
    /// On the intermediate: Apple Worldwide Developer Relations.
    static let intermediate: ASN1ObjectIdentifier = [1, 2, 840, 113635, 100, 6, 2, 1]
}

/// A chain of leaf, intermediate and root in which the first two carry the store's marks. Without this any
/// certificate that leads to the same root could sign a purchase.
struct StoreMarksPolicy: VerifierPolicy {
    let verifyingCriticalExtensions: [ASN1ObjectIdentifier] = []

    func chainMeetsPolicyRequirements(chain: UnverifiedCertificateChain) -> PolicyEvaluationResult {
        guard chain.count == 3 else {
            return .failsToMeetPolicy(reason: "the chain has \(chain.count) certificates, and must have 3")
        }
        guard chain[0].extensions[oid: StoreCertificateMarks.leaf] != nil else {
            return .failsToMeetPolicy(reason: "the leaf certificate does not carry the store's mark")
        }
        guard chain[1].extensions[oid: StoreCertificateMarks.intermediate] != nil else {
            return .failsToMeetPolicy(reason: "the intermediate certificate does not carry the store's mark")
        }
        return .meetsPolicy
    }
}
