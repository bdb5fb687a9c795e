internal import PropertyList

/// What the rules found, and what has to be left out because of it.
struct FindingReport {
    private var diagnostics: [Diagnostic] = []
    /// The declarations that errors leave out.
    private(set) var declarations: Set<Int> = []

    /// Adds what a rule found. Past a number of findings they are counted rather than told.
    mutating func add(_ findings: [Finding], of rule: String) {
        for finding in findings { declarations.formUnion(finding.declarations) }
        diagnostics += findings.prefix(CatalogLimits.findings).map(\.diagnostic)
        let others = findings.dropFirst(CatalogLimits.findings)
        guard let first = others.first else { return }
        let severities = Set(others.map(\.diagnostic.severity))
        diagnostics.append(
            Diagnostic(
                rule: rule,
                severity: Diagnostic.Severity.allCases.first(where: severities.contains) ?? .note,
                message: others.count == 1
                    ? "1 more finding of this rule is not told"
                    : "\(others.count) more findings of this rule are not told",
                position: first.diagnostic.position,
                notes: []
            ))
    }

    /// In the order of the file; those without position first.
    var sortedDiagnostics: [Diagnostic] {
        let beginning = SourcePosition(line: 0, column: 0)
        return diagnostics.enumerated()
            .sorted { left, right in
                (left.element.position ?? beginning, left.offset) < (right.element.position ?? beginning, right.offset)
            }
            .map(\.element)
    }
}
