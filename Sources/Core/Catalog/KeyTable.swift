internal import Foundation

/// Hash table that finds a catalog key by the bytes of its name, without creating a string. A large catalog contains
/// more than a hundred thousand keys.
struct KeyTable: Sendable {
    private struct Slot {
        var key: CatalogKey?
        var start = 0
        var count = 0
    }

    /// Number of slots: a power of two, larger than twice the number of keys.
    private static let size = 64

    private var slots = Array(repeating: Slot(), count: size)
    private var characters: [UInt8] = []

    init() {
        for key in CatalogKey.allCases {
            let name = Array(key.name.utf8)
            var slot = name.withUnsafeBufferPointer(Self.slot)
            while slots[slot].key != nil { slot = (slot + 1) % Self.size }
            slots[slot] = Slot(key: key, start: characters.count, count: name.count)
            characters += name
        }
    }

    func key(_ name: UnsafeBufferPointer<UInt8>) -> CatalogKey? {
        guard let start = name.baseAddress else { return nil }
        var slot = Self.slot(name)
        while let key = slots[slot].key {
            let (first, count) = (slots[slot].start, slots[slot].count)
            let isEqual =
                count == name.count
                && characters.withUnsafeBufferPointer { $0.baseAddress.map { memcmp($0 + first, start, count) } == 0 }
            if isEqual { return key }
            slot = (slot + 1) % Self.size
        }
        return nil
    }

    /// Returns the slot at which the search for a name begins: a hash of the length and three letters of the name.
    private static func slot(_ name: UnsafeBufferPointer<UInt8>) -> Int {
        guard let first = name.first, let last = name.last else { return 0 }
        return (name.count &* 5 &+ Int(first) &* 3 &+ Int(name[name.count / 2]) &* 7 &+ Int(last)) % size
    }
}
