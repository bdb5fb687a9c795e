internal import Foundation
internal import PropertyList

/// A grandfathering rule as it is written down.
struct GrandfatheringDeclaration: Sendable {
    /// What it comes to; `nil` where something is wrong with it.
    let rule: GrandfatheringRule?
    /// What is wrong with it, and where.
    private(set) var problems: [Located<String>]

    private enum Key: String, CaseIterable {
        case beforeBuild, beforeVersion, beforeDate, platform
    }

    init(dictionary: PropertyListValue) {
        var rule = GrandfatheringRule()
        var problems: [Located<String>] = []
        func note(_ problem: String, _ position: SourcePosition?) {
            problems.append(Located(value: problem, position: position))
        }
        var seen: Set<String> = []
        for entry in dictionary.entries {
            let value = entry.value
            if !seen.insert(entry.key).inserted { note("\(entry.key.quoted) is given twice", entry.keyPosition) }
            switch Key(rawValue: entry.key) {
            case .beforeBuild:
                rule.beforeBuild = Self.number(value)
                if rule.beforeBuild == nil { note("beforeBuild must be a build number", value.position) }
            case .beforeVersion:
                rule.beforeVersion = value.string.flatMap(VersionNumber.init)
                if rule.beforeVersion == nil { note("beforeVersion must be a version number", value.position) }
            case .beforeDate:
                rule.beforeDate = value.date
                if rule.beforeDate == nil {
                    note("beforeDate must be a date, and this is \(value.kind.inWords)", value.position)
                }
            case .platform:
                rule.platform = value.string.map(AppPlatform.init)
                if !AppPlatform.known.contains(where: { $0 == rule.platform }) {
                    let names = AppPlatform.known.map(\.rawValue).joined(separator: ", ")
                    note("platform must be one of \(names)", value.position)
                }
            case nil:
                let names = Key.allCases.map(\.rawValue).joined(separator: ", ")
                note(
                    "\(entry.key.quoted) is no condition of a grandfathering rule: those are \(names)",
                    entry.keyPosition)
            }
        }
        let hasLimit = Key.allCases.contains { $0 != .platform && dictionary[$0.rawValue] != nil }
        if !hasLimit { note("a grandfathering rule says before what: everybody would own it", dictionary.position) }
        self.rule = problems.isEmpty ? rule : nil
        self.problems = problems
    }

    /// A rule made in code.
    init(rule: GrandfatheringRule, position: SourcePosition?) {
        self.rule = rule
        let hasLimit = rule.beforeBuild != nil || rule.beforeVersion != nil || rule.beforeDate != nil
        problems =
            hasLimit
            ? []
            : [Located(value: "a grandfathering rule says before what: everybody would own it", position: position)]
    }

    /// A build number may be written as a number too.
    private static func number(_ value: PropertyListValue) -> VersionNumber? {
        (value.string ?? value.integer.map(String.init)).flatMap(VersionNumber.init)
    }
}
