internal import HashTreeCollections

/// Dictionary that is filled once and changed little afterwards.
///
/// Initial filling is as fast as for a standard Swift dictionary. ``settle()`` ends it; afterwards, the cost of
/// changing a copy does not depend on the number of keys.
struct BaseAndDelta<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private var settled: [Key: Value] = [:]
    /// Values that were changed after the initial filling. They override the initial values.
    private var changed: TreeDictionary<Key, Value> = [:]
    private var isSettled = false

    init() {}

    subscript(key: Key) -> Value? {
        if !changed.isEmpty, let value = changed[key] { return value }
        return settled[key]
    }

    mutating func update(_ key: Key, default defaultValue: @autoclosure () -> Value, _ body: (inout Value) -> Void) {
        if isSettled {
            var value = self[key] ?? defaultValue()
            body(&value)
            changed[key] = value
        } else {
            body(&settled[key, default: defaultValue()])
        }
    }

    /// Number of keys from the initial filling.
    var settledCount: Int { settled.count }

    mutating func settle() { isSettled = true }

    mutating func reserveCapacity(_ count: Int) { settled.reserveCapacity(count) }

    func forEach(_ body: (Key, Value) -> Void) {
        if changed.isEmpty {
            for (key, value) in settled { body(key, value) }
        } else {
            for (key, value) in settled where changed[key] == nil { body(key, value) }
            for (key, value) in changed { body(key, value) }
        }
    }
}
