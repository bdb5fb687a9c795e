import Foundation
import VitrineCommandSupport
import VitrineReceipts
import VitrineSupport

/// Result of verifying signed data.
struct Verdict {
    let status: ExitStatus
    let reasons: [RejectionReason]
    /// Reason why the data could not be verified; `nil` if it was verified or rejected.
    private let obstacle: String?

    /// Creates the verdict from the result of a verification.
    ///
    /// - Parameter code: Code of a rejection reason to ignore.
    init<Value>(_ verification: Verification<Value>, ignoring code: RejectionReason.Code? = nil) {
        switch verification {
        case .verified: (status, reasons, obstacle) = (.yes, [], nil)
        case .rejected(let all):
            reasons = all.filter { $0.code != code }
            (status, obstacle) = (reasons.isEmpty ? .yes : .no, nil)
        case .undetermined(let reason): (status, reasons, obstacle) = (.unknown, [], reason)
        }
    }

    /// Creates the undetermined verdict for signed data that passed all possible checks, while a requested check was
    /// not possible.
    init(undetermined reason: String) { (status, reasons, obstacle) = (.unknown, [], reason) }

    /// Status of the fields of the signed data: `verified`, or `claimed` if the data is not verified.
    var fieldStatus: String { status == .yes ? "verified" : "claimed" }

    /// Returns the verdict as lines of text.
    ///
    /// - Parameter subject: Name of the checked data in the text.
    func lines(of subject: String) -> [String] {
        if let obstacle { return ["undetermined: \(subject) could not be checked: \(obstacle)"] }
        guard !reasons.isEmpty else { return ["verified: \(subject) is good"] }
        return ["rejected: \(subject) cannot be trusted:"] + reasons.map { "  \($0.reason) [\($0.code)]" }
    }

    /// Returns a table row for each check: name, required value, actual value and result.
    func rows(_ checks: [Check]) -> [[String]] {
        checks.map { check in
            [check.name, check.expected ?? "", check.found, word(for: check)]
        }
    }

    private func word(for check: Check) -> String {
        if fails(check.codes) { return "failed" }
        guard check.expected != nil else { return "not checked" }
        guard obstacle == nil, !fails(check.basis) else { return "unknown" }
        // Without a valid signature, an equal value is only a claim.
        return check.isOfContent && fails(Check.signatureCodes) ? "claimed" : "passed"
    }

    private func fails(_ codes: Set<RejectionReason.Code>) -> Bool { reasons.contains { codes.contains($0.code) } }

    var document: JSONObject {
        [
            "verdict": obstacle != nil ? "undetermined" : reasons.isEmpty ? "verified" : "rejected",
            "reasons": reasons.map { ["code": $0.code.description, "detail": $0.reason] },
            "undeterminedBecause": obstacle,
        ]
    }
}

/// Check of one value in signed data against a required value; one row of the verdict's table.
struct Check {
    let name: String
    /// Required value in the signed data; `nil` if any value is accepted.
    let expected: String?
    let found: String
    /// Rejection reasons that mean that the value differs from the required one.
    let codes: Set<RejectionReason.Code>
    /// Rejection reasons that prevent the comparison of the value, whose result is then unknown.
    let basis: Set<RejectionReason.Code>

    init(
        _ name: String, _ expected: String?, _ found: String, _ codes: Set<RejectionReason.Code>,
        after basis: Set<RejectionReason.Code> = []
    ) {
        self.name = name
        self.expected = expected
        self.found = found
        self.codes = codes
        self.basis = basis
    }

    /// Rejection reasons for a certificate chain that is not trusted at any date.
    static let chainCodes: Set<RejectionReason.Code> = [.certificateChain, .certificateMark]

    /// Rejection reasons for data whose signature and certificates were not examined.
    static let unreadCodes: Set<RejectionReason.Code> = [.malformed, .algorithm]

    /// Rejection reasons for data whose signer is unknown.
    static let signatureCodes = chainCodes.union(unreadCodes).union([
        .signature, .certificateValidity, .certificateRevoked,
    ])

    /// `true` if the value is part of the signed content, not a property of the signature.
    var isOfContent: Bool { codes.isDisjoint(with: Self.signatureCodes) }
}
