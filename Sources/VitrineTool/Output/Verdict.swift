import Foundation
import Receipts

/// Result of verifying signed data.
struct Verdict {
    let status: ExitStatus
    let reasons: [RejectionReason]
    /// Reason why the data could not be verified.
    private let obstacle: String?

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

    /// Creates the verdict for data that passed all other checks while a requested check was not possible.
    init(undetermined reason: String) { (status, reasons, obstacle) = (.unknown, [], reason) }

    /// Trust status of the data's fields.
    var fieldStatus: String { status == .yes ? "verified" : "claimed" }

    /// - Parameter subject: Name of the checked data.
    func lines(of subject: String) -> [String] {
        if let obstacle { return ["undetermined: \(subject) could not be checked: \(obstacle)"] }
        guard !reasons.isEmpty else { return ["verified: \(subject) is good"] }
        return ["rejected: \(subject) cannot be trusted:"] + reasons.map { "  \($0.reason) [\($0.code)]" }
    }

    /// Returns a row for each check with its result.
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

/// One check of a verdict.
struct Check {
    let name: String
    /// Required value; `nil` if the check was not requested.
    let expected: String?
    let found: String
    /// Rejection reasons for which the check fails.
    let codes: Set<RejectionReason.Code>
    /// Rejection reasons that prevent the check.
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

    /// Rejection reasons for which the signer is not trusted, whatever the date.
    static let chainCodes: Set<RejectionReason.Code> = [.certificateChain, .certificateMark]

    /// Rejection reasons for which the signer is unknown.
    static let signatureCodes = chainCodes.union([
        .malformed, .algorithm, .signature, .certificateValidity, .certificateRevoked,
    ])

    /// `true` if the check is about the signed data and not about the signer.
    var isOfContent: Bool { codes.isDisjoint(with: Self.signatureCodes) }
}
