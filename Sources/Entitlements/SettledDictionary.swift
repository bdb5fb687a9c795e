internal import HashTreeCollections

/// A dictionary that is filled once and changed a little afterwards.
///
/// It is filled as quickly as Swift's own. Once it is settled, a change of a copy costs the same however much there is.
struct SettledDictionary<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private var settled: [Key: Value] = [:]
    /// What has changed since, in place of what was there.
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

    /// How many keys it was filled with.
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
