public import Foundation
public import VitrinePropertyList
public import VitrineSupport

/// A StoreKit configuration file (`.storekit`) of Xcode: products and settings of a test store. All versions of the
/// format are supported.
///
/// A product that cannot be sold as the file describes it is left out; the other products can still be sold.
/// A private key in the file is never part of a description or of a comparison.
public struct StoreConfiguration: Sendable, Equatable {
    /// Version of the file format: major and minor number, such as 4 and 0.
    public let version: (major: Int, minor: Int)
    /// Consumables, non-consumables and non-renewing subscriptions.
    public let items: [Item]
    /// Groups of auto-renewable subscriptions, including groups that contain no subscription.
    public let groups: [SubscriptionGroup]
    /// Auto-renewable subscriptions, group by group.
    public let subscriptions: [Subscription]
    public let settings: Settings
    /// Products, offers and values that are not used because they are invalid, or unknown to this version: each version
    /// of Xcode may add values. At most 1,000.
    public let omissions: [Omission]
    /// ISO 3166-1 alpha-3 country code of the storefront: `USA` unless the file contains another one.
    public let storefront: String
    /// Locale of the customer: `en_US` unless the file contains another one.
    public let locale: String
    /// Key pair for promotional offers; `nil` if the file contains none.
    package let offersKeyPair: OffersKeyPair?
    private let data: Data

    /// Paths of keys that no known version of the format contains, such as `products[2].pricing`. Computed on access.
    public var unknownKeys: [String] { UnknownStoreKey.find(in: data).map(\.path) }

    /// ``unknownKeys``, with a suggestion for the intended key where one was found.
    var unknownKeysWithSuggestions: [UnknownStoreKey] { UnknownStoreKey.find(in: data) }

    /// Parses a configuration file.
    ///
    /// - Throws: ``StoreConfigurationError`` if the file is not a JSON object with the version of the format.
    public init(data: Data) throws(StoreConfigurationError) {
        guard data.count <= Self.sizeLimit else {
            throw StoreConfigurationError(reason: "the file is larger than \(Self.sizeLimit) bytes")
        }
        let root = try ConfigurationObject(data: data)
        let version = try root.requiredObject("version")
        self.version = (try version.requiredInteger("major"), try version.requiredInteger("minor"))
        var reader = ConfigurationReader(root)
        items = reader.items
        groups = reader.groups
        subscriptions = reader.subscriptions
        let settings = root.object("settings", &reader.omissions)
        self.settings = Settings(settings, &reader.omissions)
        storefront = Self.storefront(settings, &reader.omissions)
        locale = settings.text("_locale", &reader.omissions).flatMap { $0.isEmpty ? nil : $0 } ?? "en_US"
        offersKeyPair = OffersKeyPair(root, &reader.omissions)
        omissions = reader.omissions.all
        self.data = data
    }

    private static func storefront(_ settings: ConfigurationObject, _ omissions: inout Omissions) -> String {
        guard let code = settings.text("_storefront", &omissions) else { return "USA" }
        if isCountry(code) { return code }
        omissions.add(.value, "settings._storefront is ignored: \(code.quoted) is not a country code like USA")
        return "USA"
    }

    /// Returns `true` if a text is the ISO 3166-1 alpha-3 code of a country with a currency.
    package static func isCountry(_ code: String) -> Bool {
        code.utf8.count == 3 && code.utf8.allSatisfy { (0x41...0x5A).contains($0) }
            && Locale(identifier: "en_\(code)").currency != nil
    }

    /// Maximum size of a StoreKit configuration file in bytes.
    package static let sizeLimit = 16 * 1024 * 1024

    public static func == (left: StoreConfiguration, right: StoreConfiguration) -> Bool {
        left.version == right.version && left.items == right.items && left.groups == right.groups
            && left.subscriptions == right.subscriptions && left.settings == right.settings
            && left.unknownKeys == right.unknownKeys && left.storefront == right.storefront
            && left.locale == right.locale
    }
}

/// Error thrown when a StoreKit configuration file cannot be used.
public struct StoreConfigurationError: DescribedError {
    /// Description of the error, in lower case and without a period.
    public let reason: String
    /// Position of a syntax error; `nil` for other errors, and if the position is unknown.
    public let position: SourcePosition?

    public init(reason: String, position: SourcePosition? = nil) {
        self.reason = reason
        self.position = position
    }

    public var description: String { position.map { "\($0): \(reason)" } ?? reason }

    public var recoverySuggestion: String? { "Save the file again with the StoreKit configuration editor of Xcode." }
}

extension PropertyListValue {
    /// `true` for the root of a StoreKit configuration, where the version of the format is a dictionary.
    package var isStoreConfiguration: Bool { self["version"]?.kind == .dictionary }
}

extension StoreConfigurationError {
    init(syntax error: any Error, of data: Data) {
        if let offset = ConflictMarker.offset(in: Array(data)) {
            self.init(reason: ConflictMarker.reason, position: Self.position(of: offset, in: data))
        } else {
            self.init(reason: "the file is not JSON", position: Self.position(of: error, in: data))
        }
    }

    /// Returns the position of a JSON syntax error, which `JSONSerialization` provides only in its message.
    private static func position(of error: any Error, in data: Data) -> SourcePosition? {
        let message = (error as NSError).userInfo[NSDebugDescriptionErrorKey] as? String ?? ""
        guard let match = message.firstMatch(of: /character ([0-9]+)/), let offset = Int(match.1) else { return nil }
        return position(of: offset, in: data)
    }

    private static func position(of offset: Int, in data: Data) -> SourcePosition {
        let lines = data.prefix(offset).split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        let column = String(decoding: lines.last ?? Data(), as: UTF8.self).unicodeScalars.count + 1
        return SourcePosition(line: max(lines.count, 1), column: column)
    }
}
