internal import VitrineCommandSupport

/// Diagnostics as [code quality report](https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format) of
/// GitLab.
enum CodeQualityReport {
    /// Returns the issues of the report.
    ///
    /// By its fingerprint, GitLab recognizes an issue in later reports. It is computed from file, rule and message. The
    /// line is not part of it, because lines above the issue may change.
    static func issues(_ files: [LintedFile]) -> [JSONObject] {
        var counts: [String: Int] = [:]
        var workspace = Workspace()
        return files.flatMap { file in
            let path = workspace.reportedPath(of: file.path) ?? file.path
            return file.reportedFindings.map { finding -> JSONObject in
                let name = [path, finding.rule, finding.message].joined(separator: "\n")
                counts[name, default: 0] += 1
                return [
                    "description": finding.message.withoutControlCharacters, "check_name": finding.rule,
                    "fingerprint": hash("\(name)\n\(counts[name] ?? 0)"), "severity": finding.codeQualitySeverity,
                    "location": ["path": path, "lines": ["begin": finding.line ?? 1]] as JSONObject,
                ]
            }
        }
    }

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
