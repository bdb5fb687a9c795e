public import Foundation
internal import VitrineSupport

/// Conditions on the original purchase of the app under which a customer owns a product. All conditions must be met.
public struct GrandfatheringRule: Sendable, Hashable {
    /// Upper bound (exclusive) of the app's build number at the original purchase. Never met on macOS, where the store
    /// reports no build.
    public var beforeBuild: VersionNumber?
    /// Upper bound (exclusive) of the app's version number at the original purchase. Only met on macOS: the store
    /// reports no version elsewhere.
    public var beforeVersion: VersionNumber?
    /// Upper bound (exclusive) of the date of the original purchase of the app.
    public var beforeDate: Date?
    /// Required platform of the original purchase of the app.
    public var platform: AppPlatform?

    /// Creates a rule. At least one of the first three conditions is required: a rule with only a platform is never
    /// met.
    public init(
        beforeBuild: VersionNumber? = nil, beforeVersion: VersionNumber? = nil, beforeDate: Date? = nil,
        platform: AppPlatform? = nil
    ) {
        self.beforeBuild = beforeBuild
        self.beforeVersion = beforeVersion
        self.beforeDate = beforeDate
        self.platform = platform
    }

    /// Result of evaluating a grandfathering rule for a customer.
    public enum Answer: Sendable, Hashable {
        case yes, no
        /// The store data about the original purchase is not sufficient for a decision.
        case unknown
    }

    /// Evaluates the rule for an original purchase of the app.
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

    /// Reason why no customer can meet the rule, as part of a sentence; `nil` if customers can meet it.
    var reasonItNeverHolds: String? {
        let asksForBoth =
            beforeBuild != nil && (beforeVersion != nil || platform == .macOS)
            || beforeVersion != nil && platform != nil && platform != .macOS
        if asksForBoth { return "the store reports a version only on macOS, and a build number only elsewhere" }
        if let limit = beforeBuild ?? beforeVersion, limit.isZero {
            return "no version or build number is below \(limit)"
        }
        if let beforeDate, beforeDate <= Self.openingOfTheStore { return "the App Store opened later, in July 2008" }
        return nil
    }

    /// `true` if every current customer meets the rule.
    var alwaysHolds: Bool {
        beforeBuild == nil && beforeVersion == nil && platform == nil && beforeDate.map { $0 > Self.farFuture } ?? false
    }

    /// `true` if the limit `beforeBuild` looks like a version number, which the store reports only on macOS.
    var hasVersionForBuild: Bool {
        guard let beforeBuild, beforeVersion == nil, platform != .macOS else { return false }
        return beforeBuild.description.utf8.contains(UInt8(ascii: "."))
            && Self.highestUsualVersion.map { beforeBuild < $0 } ?? false
    }

    private static let highestUsualVersion = VersionNumber("100")
    private static let openingOfTheStore = Date(timeIntervalSince1970: 1_215_648_000)  // 2008-07-10
    private static let farFuture = Date(timeIntervalSince1970: 4_102_444_800)  // 2100-01-01

    /// Description of the rule's conditions for messages: "a build before 200".
    public var conditions: String {
        let limits = [
            beforeBuild.map { "a build before \($0)" }, beforeVersion.map { "a version before \($0)" },
            beforeDate.map { "a date before \($0.day)" },
        ].compactMap(\.self)
        return limits.joined(separator: " and ") + (platform.map { " on \($0.rawValue)" } ?? "")
    }
}

extension OriginalPurchase {
    /// Compares the app's version at the original purchase with a limit: a build number if `countsBuilds` is `true`,
    /// otherwise a version number. The answer is `no` on a platform where the store reports the other type of number.
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
    /// Evaluates grandfathering rules for an original purchase of the app: `yes` if at least one rule is met, else
    /// `unknown` if at least one rule cannot be decided, else `no`.
    public func answer(for purchase: OriginalPurchase) -> GrandfatheringRule.Answer {
        let answers = map { $0.answer(for: purchase) }
        if answers.contains(.yes) { return .yes }
        return answers.contains(.unknown) ? .unknown : .no
    }
}

extension OriginalPurchase {
    /// Description of the purchase for messages: "as build 150 on 2019-05-01".
    public var description: String {
        "as \(platform == .macOS ? "version" : "build") \(version) on \(date.day)"
    }
}

/// Original purchase of the app, as reported by the store.
public struct OriginalPurchase: Sendable, Hashable {
    /// Original version of the app: its build number, or its version number on macOS.
    public var version: String
    /// Date of the original purchase of the app.
    public var date: Date
    /// Platform of the original purchase of the app; `nil` if it is unknown. The type of `version`, a build number or a
    /// version number, is then unknown too.
    public var platform: AppPlatform?

    public init(version: String, date: Date, platform: AppPlatform?) {
        self.version = version
        self.date = date
        self.platform = platform
    }
}

/// App platform, with its name in signed data and catalogs. The store may add further platforms.
public struct AppPlatform: Sendable, Hashable, Codable, RawRepresentable {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    /// iPhone, iPad, and devices that run their apps.
    public static let iOS = AppPlatform(rawValue: "iOS")
    public static let macOS = AppPlatform(rawValue: "macOS")
    public static let tvOS = AppPlatform(rawValue: "tvOS")
    public static let visionOS = AppPlatform(rawValue: "visionOS")

    static let known: [AppPlatform] = [.iOS, .macOS, .tvOS, .visionOS]
}
