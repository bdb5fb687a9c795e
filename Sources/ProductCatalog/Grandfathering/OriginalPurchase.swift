public import Foundation

/// How the customer first got the app, as the store tells it.
public struct OriginalPurchase: Sendable, Hashable {
    /// The app's version at that time: its build number, but on macOS its version number.
    public var version: String
    /// When it was.
    public var date: Date
    /// The platform on which it was; `nil` where nobody says, and nobody knows then whether the version is a build.
    public var platform: AppPlatform?

    public init(version: String, date: Date, platform: AppPlatform?) {
        self.version = version
        self.date = date
        self.platform = platform
    }
}

/// A platform that apps are sold for, as signed data and catalogs name it. The store may add others.
public struct AppPlatform: Sendable, Hashable, Codable, RawRepresentable {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    /// iPhone, iPad, and what runs their apps.
    public static let iOS = AppPlatform(rawValue: "iOS")
    public static let macOS = AppPlatform(rawValue: "macOS")
    public static let tvOS = AppPlatform(rawValue: "tvOS")
    public static let visionOS = AppPlatform(rawValue: "visionOS")

    static let known: [AppPlatform] = [.iOS, .macOS, .tvOS, .visionOS]
}
