import Foundation
import VitrineCommandSupport
import VitrineReceipts
import VitrineSupport

/// Result of verifying signed data.
struct Verdict {
    let status: ExitStatus
    let reasons: [RejectionReason]
    /// Reason why the data could not be verified.
    private let obstacle: String?

    /// Creates the verdict of a verification.
    ///
    /// - Parameter code: Rejection reason to ignore.
    init<Value>(_ verification: Verification<Value>, ignoring code: RejectionReason.Code? = nil) {
        switch verification {
        case .verified: (status, reasons, obstacle) = (.yes, [], nil)
        case .rejected(let all):
            reasons = all.filter { $0.code != code }
            (status, obstacle) = (reasons.isEmpty ? .yes : .no, nil)
        case .undetermined(let reason): (status, reasons, obstacle) = (.unknown, [], reason)
        }
    }

    /// Creates the verdict for signed data for which a requested check was not possible, while all other checks passed.
    init(undetermined reason: String) { (status, reasons, obstacle) = (.unknown, [], reason) }

    /// Word for the fields of the signed data: `verified`, or `claimed` if the data is not verified.
    var fieldStatus: String { status == .yes ? "verified" : "claimed" }

    /// Returns the verdict as lines of text.
    ///
    /// - Parameter subject: Name of the checked data.
    func lines(of subject: String) -> [String] {
        if let obstacle { return ["undetermined: \(subject) could not be checked: \(obstacle)"] }
        guard !reasons.isEmpty else { return ["verified: \(subject) is good"] }
        return ["rejected: \(subject) cannot be trusted:"] + reasons.map { "  \($0.reason) [\($0.code)]" }
    }

    /// Returns a row of the text output for each check: name, required value, found value and result.
    func rows(_ checks: [Check]) -> [[String]] {
        checks.map { check in
            [check.name, check.expected ?? "", check.found, word(for: check)]
        }
    }

    private func word(for check: Check) -> String {
        if fails(check.codes) { return "failed" }
        guard check.expected != nil else { return "not checked" }
        guard obstacle == nil, !fails(check.basis) else { return "unknown" }
        // A match proves nothing without a valid signature.
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

/// Comparison of one value in signed data with a required value, as a row of the verdict.
struct Check {
    let name: String
    /// Value that the signed data must have; `nil` if no value was required.
    let expected: String?
    let found: String
    /// Codes of the rejection reasons that mean that the value differs from the required one.
    let codes: Set<RejectionReason.Code>
    /// Codes of the rejection reasons after which the value was not compared, so that the result is unknown.
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

    /// Codes of the rejection reasons that mean that the signer is not trusted, at any date.
    static let chainCodes: Set<RejectionReason.Code> = [.certificateChain, .certificateMark]

    /// Codes of the rejection reasons that mean that it is not known who signed the data.
    static let signatureCodes = chainCodes.union([
        .malformed, .algorithm, .signature, .certificateValidity, .certificateRevoked,
    ])

    /// `true` if the compared value is part of the signed data, and does not concern the signer.
    var isOfContent: Bool { codes.isDisjoint(with: Self.signatureCodes) }
}
