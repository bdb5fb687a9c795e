internal import FileSystem
public import Foundation

/// Preferences by key, as `UserDefaults` stores them.
public protocol PreferenceStore: Sendable {
    /// - Returns: `nil` if no value is stored under the key.
    func value(forKey key: String) -> PreferenceValue?
    func set(_ value: Int, forKey key: String)
    func set(_ value: Bool, forKey key: String)
    func removeValue(forKey key: String)
}

/// Value stored under a key, with its type: nothing is converted.
public enum PreferenceValue: Sendable, Hashable {
    case integer(Int)
    /// Number with a fraction, or one that does not fit in 64 bits.
    case real(Double)
    case boolean(Bool)
    case string(String)
    case data(Data)
    case date(Date)
    case array([PreferenceValue])
    case dictionary([String: PreferenceValue])
    /// Value of any other type, or one that exceeds the limits of a reader.
    case unsupported
}

/// Preferences in memory, for tests and previews.
public final class MemoryPreferences: PreferenceStore {
    private let values: Locked<[String: PreferenceValue]>

    public init(_ values: [String: PreferenceValue] = [:]) { self.values = Locked(values) }

    public func value(forKey key: String) -> PreferenceValue? { values.withLock { $0[key] } }

    public func set(_ value: Int, forKey key: String) { values.withLock { $0[key] = .integer(value) } }

    public func set(_ value: Bool, forKey key: String) { values.withLock { $0[key] = .boolean(value) } }

    public func removeValue(forKey key: String) { values.withLock { $0[key] = nil } }
}
