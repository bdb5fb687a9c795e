public import Foundation

/// Who owns a product because of when they first got the app. All its conditions must hold.
public struct GrandfatheringRule: Sendable, Hashable {
    /// The app's build was below this one. Never so on macOS, where the store tells no build.
    public var beforeBuild: VersionNumber?
    /// The app's version was below this one. Only ever so on macOS: elsewhere the store tells no version.
    public var beforeVersion: VersionNumber?
    /// It was before this date.
    public var beforeDate: Date?
    /// It was on this platform.
    public var platform: AppPlatform?

    /// A rule needs one of the first three: nobody owns something merely for having a platform.
    public init(
        beforeBuild: VersionNumber? = nil, beforeVersion: VersionNumber? = nil, beforeDate: Date? = nil,
        platform: AppPlatform? = nil
    ) {
        self.beforeBuild = beforeBuild
        self.beforeVersion = beforeVersion
        self.beforeDate = beforeDate
        self.platform = platform
    }

    /// Whether a rule is fulfilled.
    public enum Answer: Sendable, Hashable {
        case yes, no
        /// What the store says does not tell.
        case unknown
    }

    /// Whether somebody who got the app in this way owns the product.
    public func answer(for purchase: OriginalPurchase) -> Answer {
        let conditions = [
            beforeBuild.map { purchase.isBefore($0, countsBuilds: true) },
            beforeVersion.map { purchase.isBefore($0, countsBuilds: false) },
            beforeDate.map { Answer(purchase.date < $0) },
        ].compactMap(\.self)
        guard !conditions.isEmpty else { return .no }
        let all = conditions + (platform.map { wanted in [Answer(purchase.platform.map { $0 == wanted })] } ?? [])
        if all.contains(.no) { return .no }
        return all.contains(.unknown) ? .unknown : .yes
    }

    /// No customer can fulfil the rule: it asks for a build and a version, or for the one where the store tells the other.
    var neverHolds: Bool {
        beforeBuild != nil && (beforeVersion != nil || platform == .macOS)
            || beforeVersion != nil && platform != nil && platform != .macOS
    }

    /// The conditions in words: "a build before 200".
    public var conditions: String {
        let limits = [
            beforeBuild.map { "a build before \($0)" }, beforeVersion.map { "a version before \($0)" },
            beforeDate.map { "a date before \($0.formatted(.iso8601.year().month().day()))" },
        ].compactMap(\.self)
        return limits.joined(separator: " and ") + (platform.map { " on \($0.rawValue)" } ?? "")
    }
}

extension OriginalPurchase {
    /// Whether the version is below a limit, and of its kind: a build, or a version number.
    fileprivate func isBefore(_ limit: VersionNumber, countsBuilds: Bool) -> GrandfatheringRule.Answer {
        guard let platform else { return .unknown }
        guard (platform == .macOS) != countsBuilds else { return .no }
        return GrandfatheringRule.Answer(VersionNumber(version).map { $0 < limit })
    }
}

extension GrandfatheringRule.Answer {
    fileprivate init(_ holds: Bool?) {
        self =
            switch holds {
            case true?: .yes
            case false?: .no
            case nil: .unknown
            }
    }
}

extension [GrandfatheringRule] {
    /// Whether any of the rules is fulfilled.
    public func answer(for purchase: OriginalPurchase) -> GrandfatheringRule.Answer {
        let answers = map { $0.answer(for: purchase) }
        if answers.contains(.yes) { return .yes }
        return answers.contains(.unknown) ? .unknown : .no
    }
}

extension OriginalPurchase {
    /// The purchase in words: "as build 150 on 2019-05-01".
    public var words: String {
        "as \(platform == .macOS ? "version" : "build") \(version) on \(date.formatted(.iso8601.year().month().day()))"
    }
}
