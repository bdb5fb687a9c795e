internal import Foundation

/// Preferences that `UserDefaults` stores for an app, or for a group of apps.
public struct UserDefaultsPreferences: PreferenceStore {
    private let suiteName: String?

    /// Creates the preferences of an app or of an app group.
    ///
    /// - Parameter suiteName: Name of an app group; `nil` for the app's own preferences, which are also used for a
    ///   name that `UserDefaults` rejects.
    public init(suiteName: String? = nil) { self.suiteName = suiteName }

    public func value(forKey key: String) -> PreferenceValue? {
        defaults.object(forKey: key).map { PreferenceValue($0) }
    }

    public func set(_ value: Int, forKey key: String) { change { $0.set(value, forKey: key) } }

    public func set(_ value: Bool, forKey key: String) { change { $0.set(value, forKey: key) } }

    public func removeValue(forKey key: String) { change { $0.removeObject(forKey: key) } }

    /// Instance of `UserDefaults`, recreated for each access: `UserDefaults` is not `Sendable` everywhere, and all
    /// instances of one name share their data.
    private var defaults: UserDefaults { suiteName.flatMap(UserDefaults.init(suiteName:)) ?? .standard }

    private func change(_ change: (UserDefaults) -> Void) {
        let defaults = defaults
        change(defaults)
        #if !canImport(Darwin)
            // Outside Apple's platforms, preferences are not written automatically.
            _ = defaults.synchronize()
        #endif
    }
}

extension PreferenceValue {
    private static let mostValues = 100_000
    private static let greatestDepth = 8

    /// Converts a value of `UserDefaults`, with at most a hundred thousand values, nested at most eight levels deep.
    fileprivate init(_ value: Any) {
        var left = Self.mostValues
        self.init(value, depth: 0, left: &left)
    }

    private init(_ value: Any, depth: Int, left: inout Int) {
        left -= 1
        guard left > 0, depth < Self.greatestDepth else {
            self = .unsupported
            return
        }
        if let scalar = Self.scalar(value) {
            self = scalar
        } else if let elements = value as? [Any] {
            self = .array(elements.map { PreferenceValue($0, depth: depth + 1, left: &left) })
        } else if let entries = value as? [String: Any] {
            self = .dictionary(entries.mapValues { PreferenceValue($0, depth: depth + 1, left: &left) })
        } else {
            self = .unsupported
        }
    }

    private static func scalar(_ value: Any) -> PreferenceValue? {
        if let string = value as? String { return .string(string) }
        if let data = value as? Data { return .data(data) }
        if let date = value as? Date { return .date(date) }
        if isBoolean(value) { return (value as? Bool).map { .boolean($0) } }
        if let integer = value as? Int { return .integer(integer) }
        return (value as? Double).map { .real($0) }
    }

    private static func isBoolean(_ value: Any) -> Bool {
        #if canImport(Darwin)
            // On Apple platforms, the number 1 can be cast to Bool as well.
            CFGetTypeID(value as CFTypeRef) == CFBooleanGetTypeID()
        #else
            value is Bool
        #endif
    }
}
