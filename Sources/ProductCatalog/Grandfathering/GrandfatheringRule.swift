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

    /// Why no customer can fulfil the rule, as the rest of a sentence; `nil` where some can.
    var reasonItNeverHolds: String? {
        let asksForBoth =
            beforeBuild != nil && (beforeVersion != nil || platform == .macOS)
            || beforeVersion != nil && platform != nil && platform != .macOS
        if asksForBoth { return "the store tells a version on macOS, and a build elsewhere" }
        if let limit = beforeBuild ?? beforeVersion, limit <= Self.lowestVersion {
            return "there is nothing below \(limit)"
        }
        if let beforeDate, beforeDate <= Self.openingOfTheStore { return "the App Store opened in July 2008" }
        return nil
    }

    /// Every customer of today fulfils the rule.
    var alwaysHolds: Bool {
        beforeBuild == nil && beforeVersion == nil && platform == nil && beforeDate.map { $0 > Self.farFuture } ?? false
    }

    /// The build looks like a version number, which the store tells on macOS alone.
    var hasVersionForBuild: Bool {
        guard let beforeBuild, beforeVersion == nil, platform != .macOS else { return false }
        return beforeBuild.description.contains(".") && beforeBuild < Self.highestUsualVersion
    }

    private static let lowestVersion = VersionNumber(0)
    private static let highestUsualVersion = VersionNumber(100)
    private static let openingOfTheStore = Date(timeIntervalSince1970: 1_215_648_000)  // 2008-07-10
    private static let farFuture = Date(timeIntervalSince1970: 4_102_444_800)  // 2100-01-01

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
