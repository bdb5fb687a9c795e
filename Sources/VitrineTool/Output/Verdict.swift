import Foundation
import Receipts

/// What came of checking signed data, as commands print it.
struct Verdict {
    let status: ExitStatus
    let reasons: [RejectionReason]
    /// Why it could not be told.
    private let obstacle: String?

    /// - Parameter code: What does not matter.
    init<Value>(_ verification: Verification<Value>, ignoring code: RejectionReason.Code? = nil) {
        switch verification {
        case .verified: (status, reasons, obstacle) = (.yes, [], nil)
        case .rejected(let all):
            reasons = all.filter { $0.code != code }
            (status, obstacle) = (reasons.isEmpty ? .yes : .no, nil)
        case .undetermined(let reason): (status, reasons, obstacle) = (.unknown, [], reason)
        }
    }

    /// A check that was asked for could not be made, though all others passed.
    init(undetermined reason: String) { (status, reasons, obstacle) = (.unknown, [], reason) }

    /// Whether a field can be believed.
    var standing: String { status == .yes ? "proved" : "claimed" }

    /// - Parameter subject: What was checked.
    func lines(of subject: String) -> [String] {
        if let obstacle { return ["undetermined: \(subject) could not be checked: \(obstacle)"] }
        guard !reasons.isEmpty else { return ["verified: \(subject) is good"] }
        return ["rejected: \(subject) is not to be trusted:"] + reasons.map { "  \($0.detail) [\($0.code)]" }
    }

    /// A row for each check, with what came of it.
    func rows(_ checks: [Check]) -> [[String]] {
        checks.map { check in
            [check.name, check.expected ?? "", check.found, word(for: check)]
        }
    }

    private func word(for check: Check) -> String {
        if fails(check.codes) { return "failed" }
        guard check.expected != nil else { return "not asked" }
        guard obstacle == nil, !fails(check.basis) else { return "not known" }
        // What matches proves nothing unless the signature does.
        return check.isOfContent && fails(Check.signatureCodes) ? "claimed" : "passed"
    }

    private func fails(_ codes: Set<RejectionReason.Code>) -> Bool { reasons.contains { codes.contains($0.code) } }

    var document: Document {
        Document(
            verdict: obstacle != nil ? "undetermined" : reasons.isEmpty ? "verified" : "rejected",
            reasons: reasons.map { Document.Reason(code: $0.code.description, detail: $0.detail) },
            undeterminedBecause: obstacle)
    }

    struct Document: Encodable {
        struct Reason: Encodable {
            let code: String
            let detail: String
        }

        let verdict: String
        let reasons: [Reason]
        let undeterminedBecause: String?
    }
}

/// One of the checks that a verdict is made of.
struct Check {
    let name: String
    /// What was asked for; `nil` where it was not asked.
    let expected: String?
    let found: String
    /// The reasons for which it fails.
    let codes: Set<RejectionReason.Code>
    /// The reasons for which it is not made.
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

    /// The reasons for which the signer is not trusted, whatever the date.
    static let chainCodes: Set<RejectionReason.Code> = [.certificateChain, .certificateMark]

    /// The reasons for which it is not known who has signed.
    static let signatureCodes = chainCodes.union([
        .malformed, .algorithm, .signature, .certificateValidity, .certificateRevoked,
    ])

    /// It is about what is signed, not about who has signed it.
    var isOfContent: Bool { codes.isDisjoint(with: Self.signatureCodes) }
}
