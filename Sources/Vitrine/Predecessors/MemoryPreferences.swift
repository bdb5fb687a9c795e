internal import FileSystem

/// Preferences in memory, for tests and previews.
public final class MemoryPreferences: PreferenceStore {
    private let values: Locked<[String: PreferenceValue]>

    public init(_ values: [String: PreferenceValue] = [:]) { self.values = Locked(values) }

    public func value(forKey key: String) -> PreferenceValue? { values.withLock { $0[key] } }

    public func set(_ value: Int, forKey key: String) { values.withLock { $0[key] = .integer(value) } }

    public func set(_ value: Bool, forKey key: String) { values.withLock { $0[key] = .boolean(value) } }

    public func removeValue(forKey key: String) { values.withLock { $0[key] = nil } }
}
