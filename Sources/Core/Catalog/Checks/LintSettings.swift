package import VitrineFileSystem
package import VitrinePropertyList

/// Settings of a team for `vitrine lint`, from a property list beside the catalogs.
///
/// Settings cannot make a catalog look better than it is sold: a diagnostic that excludes a product from the catalog keeps
/// its severity and is always reported.
package struct LintSettings: Sendable {
    /// Name of the rule for errors in settings.
    package static let rule = "lint-settings"
    static let explanation =
        "A setting that cannot be read has no effect: warnings are reported that it was to turn off, or are not that it "
        + "was to raise."

    /// Maximum number of patterns. Each file that is found is compared with all of them.
    private static let mostPatterns = 1_000

    private enum Key: String, CaseIterable {
        case disabledRules, severities, excluded
    }

    /// Rules whose warnings and notes are not reported.
    package private(set) var disabledRules: Set<String> = []
    /// Severities of warnings and notes, by rule.
    package private(set) var severities: [String: Diagnostic.Severity] = [:]
    /// Patterns of files and folders that are left out, relative to the folder of the settings.
    package private(set) var excluded: [PathPattern] = []
    /// Diagnostics about the settings themselves.
    package private(set) var diagnostics: [Diagnostic] = []
    private var names = RuleNames()

    /// Creates settings that change nothing.
    package init() {}

    /// Reads settings. Each value that cannot be used has a diagnostic, and no effect.
    package init(document: PropertyListDocument) {
        let root = document.root
        guard root.kind == .dictionary else {
            report(.error, "settings must be a dictionary, but this is \(root.kind.typeName)", at: root.position)
            return
        }
        for key in root.repeatedKeys {
            report(.error, "the key \((key.string ?? "").quoted) is repeated", at: key.position)
        }
        for entry in root.entries {
            switch Key(rawValue: entry.key) {
            case .disabledRules: readDisabledRules(entry)
            case .severities: readSeverities(entry)
            case .excluded: readExcluded(entry)
            case nil:
                let known = Key.allCases.map(\.rawValue)
                let meant = EditDistance.nearest(to: entry.key, among: known).map { "did you mean \($0.quoted)?" }
                report(
                    .warning,
                    "the settings have the unknown key \(entry.key.quoted); "
                        + (meant ?? "known keys are \(known.joined(separator: ", "))"), at: entry.keyPosition)
            }
        }
    }

    /// Returns diagnostics of a catalog without the ones of disabled rules, and with the severities of the settings.
    package func applied(to diagnostics: [Diagnostic]) -> [Diagnostic] {
        diagnostics.filter(reports).map { diagnostic in
            diagnostic.excludesProduct ? diagnostic : severities[diagnostic.rule].map(diagnostic.with) ?? diagnostic
        }
    }

    /// Returns `false` for a diagnostic of a disabled rule.
    package func reports(_ diagnostic: Diagnostic) -> Bool {
        diagnostic.excludesProduct || !disabledRules.contains(diagnostic.rule)
    }

    private mutating func readDisabledRules(_ entry: PropertyListValue.Entry) {
        for value in strings(of: entry) where isRule(value) { disabledRules.insert(value.string ?? "") }
    }

    private mutating func readSeverities(_ entry: PropertyListValue.Entry) {
        guard entry.value.kind == .dictionary else {
            let type = entry.value.kind.typeName
            return report(
                .error, "severities must be a dictionary from rules to severities, but this is \(type)",
                at: entry.value.position)
        }
        for rule in entry.value.entries where isRule(rule.keyValue) {
            guard let severity = rule.value.string.flatMap(Diagnostic.Severity.init(rawValue:)) else {
                let known = Diagnostic.Severity.allCases.map(\.rawValue).joined(separator: ", ")
                report(
                    .error, "the severity of \(rule.key.quoted) must be one of \(known)", at: rule.value.position)
                continue
            }
            severities[rule.key] = severity
        }
    }

    private mutating func readExcluded(_ entry: PropertyListValue.Entry) {
        let patterns = strings(of: entry)
        guard patterns.count <= Self.mostPatterns else {
            return report(
                .error, "excluded may contain at most \(Self.mostPatterns) patterns, not \(patterns.count)",
                at: entry.value.position)
        }
        for value in patterns {
            guard let pattern = PathPattern(value.string ?? "") else {
                report(
                    .warning, "\((value.string ?? "").quoted) matches no path: \(PathPattern.requirement)",
                    at: value.position)
                continue
            }
            excluded.append(pattern)
        }
    }

    /// Returns the strings in an array, and reports everything else.
    private mutating func strings(of entry: PropertyListValue.Entry) -> [PropertyListValue] {
        guard entry.value.kind == .array else {
            report(
                .error, "\(entry.key) must be an array of strings, but this is \(entry.value.kind.typeName)",
                at: entry.value.position)
            return []
        }
        return entry.value.elements.filter { element in
            if element.kind == .string { return true }
            report(
                .error, "\(entry.key) must contain strings, but this is \(element.kind.typeName)",
                at: element.position)
            return false
        }
    }

    /// Returns `true` for the name of a rule, and reports any other name.
    private mutating func isRule(_ name: PropertyListValue) -> Bool {
        guard let objection = names.objection(to: name.string ?? "") else { return true }
        report(.warning, objection, at: name.position)
        return false
    }

    private mutating func report(_ severity: Diagnostic.Severity, _ message: String, at position: SourcePosition) {
        guard diagnostics.count < CatalogLimits.findings else { return }
        diagnostics.append(Diagnostic(rule: Self.rule, severity: severity, message: message, position: position))
    }
}
