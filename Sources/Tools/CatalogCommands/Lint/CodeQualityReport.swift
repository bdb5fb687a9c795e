internal import VitrineCommandSupport

/// Diagnostics as [code quality report](https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format) of
/// GitLab.
struct CodeQualityReport: Encodable {
    struct Issue: Encodable {
        struct Location: Encodable {
            struct Lines: Encodable {
                let begin: Int
            }

            let path: String
            let lines: Lines
        }

        let description: String
        let checkName: String
        /// Identifier with which GitLab recognizes the issue in later reports. It is computed from file, rule and
        /// message. The line is not part of it, because lines above the issue may change.
        let fingerprint: String
        let severity: String
        let location: Location

        private enum CodingKeys: String, CodingKey {
            case description
            case checkName = "check_name"
            case fingerprint, severity, location
        }
    }

    let issues: [Issue]

    init(_ files: [LintedFile]) {
        var counts: [String: Int] = [:]
        issues = files.flatMap { file in
            let path = file.path.relativeToCurrentFolder
            return file.reportedFindings.map { finding in
                let name = [path, finding.rule, finding.message].joined(separator: "\n")
                counts[name, default: 0] += 1
                return Issue(
                    description: finding.message.withoutControlCharacters, checkName: finding.rule,
                    fingerprint: Self.hash("\(name)\n\(counts[name] ?? 0)"), severity: finding.codeQualitySeverity,
                    location: Issue.Location(path: path, lines: Issue.Location.Lines(begin: finding.line ?? 1)))
            }
        }
    }

    func encode(to encoder: any Encoder) throws { try issues.encode(to: encoder) }

    /// Returns the 64-bit FNV-1a hash of a text in hexadecimal.
    private static func hash(_ text: String) -> String {
        let hash = text.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        let digits = String(hash, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}

extension DiagnosticDocument {
    fileprivate var codeQualitySeverity: String {
        switch severity {
        case "error": "major"
        case "warning": "minor"
        default: "info"
        }
    }
}
