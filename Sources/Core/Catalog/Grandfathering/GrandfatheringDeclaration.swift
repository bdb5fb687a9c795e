internal import Foundation
internal import VitrinePropertyList

/// A grandfathering rule as declared in the catalog file.
struct GrandfatheringDeclaration: Sendable {
    /// Rule that is created from the declaration; `nil` if the declaration has an error.
    let rule: GrandfatheringRule?
    let location: SourceLocation
    /// Error messages about the declaration, with their positions in the file.
    private(set) var problems: [Located<String>]

    private enum Key: String, CaseIterable {
        case beforeBuild, beforeVersion, beforeDate, platform
    }

    init(dictionary: PropertyListValue) {
        var rule = GrandfatheringRule()
        var problems: [Located<String>] = []
        func note(_ problem: String, _ value: PropertyListValue) {
            problems.append(Located(value: problem, location: SourceLocation(of: value)))
        }
        var seen: [Key] = []
        var seenOthers: Set<String> = []
        var hasLimit = false
        dictionary.forEachEntry { keyValue, value in
            let name = keyValue.string ?? ""
            let key = Key(rawValue: name)
            let isRepeated = key.map(seen.contains) ?? !seenOthers.insert(name).inserted
            if let key, !isRepeated { seen.append(key) }
            if isRepeated { note("\(name.quoted) is repeated", keyValue) }
            hasLimit = hasLimit || key != nil && key != .platform
            switch key {
            case .beforeBuild:
                rule.beforeBuild = Self.number(value)
                if rule.beforeBuild == nil { note("beforeBuild must be a build number", value) }
            case .beforeVersion:
                rule.beforeVersion = value.string.flatMap(VersionNumber.init)
                if rule.beforeVersion == nil { note("beforeVersion must be a version number", value) }
            case .beforeDate:
                rule.beforeDate = value.date
                if rule.beforeDate == nil {
                    note("beforeDate must be a date, but this is \(value.kind.typeName)", value)
                }
            case .platform:
                rule.platform = value.string.map(AppPlatform.init)
                if !AppPlatform.known.contains(where: { $0 == rule.platform }) {
                    let names = AppPlatform.known.map(\.rawValue).joined(separator: ", ")
                    note("platform must be one of \(names)", value)
                }
            case nil:
                let names = Key.allCases.map(\.rawValue).joined(separator: ", ")
                note(
                    "\(name.quoted) is not a condition of a grandfathering rule; conditions are \(names)",
                    keyValue)
            }
        }
        if !hasLimit { note("a grandfathering rule needs beforeBuild, beforeVersion or beforeDate", dictionary) }
        self.rule = problems.isEmpty ? rule : nil
        self.problems = problems
        location = SourceLocation(of: dictionary)
    }

    /// Creates the declaration for a rule that was created in code.
    init(rule: GrandfatheringRule, location: SourceLocation) {
        self.rule = rule
        self.location = location
        let hasLimit = rule.beforeBuild != nil || rule.beforeVersion != nil || rule.beforeDate != nil
        problems =
            hasLimit
            ? []
            : [
                Located(
                    value: "a grandfathering rule needs beforeBuild, beforeVersion or beforeDate", location: location)
            ]
    }

    /// Parses a build number, which may be a string or an integer.
    private static func number(_ value: PropertyListValue) -> VersionNumber? {
        (value.string ?? value.integer.map(String.init)).flatMap(VersionNumber.init)
    }
}
