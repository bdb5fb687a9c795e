public import Foundation

/// Original purchase of the app, as reported by the store.
public struct OriginalPurchase: Sendable, Hashable {
    /// Original version of the app: its build number, or its version number on macOS.
    public var version: String
    /// Date of the original purchase.
    public var date: Date
    /// Platform of the original purchase; `nil` if it is unknown. The type of `version` is then unknown too.
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
